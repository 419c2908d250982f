// Part segment_bounds: where the segments of an array begin and end, as device memory says.
// Provides: segment_bounds
// Uses: line_count, line_starts

#define SEGMENT_PARAMETERS                                                                  \
  const BOUND *begins_memory, u64 begins_offset, const BOUND *ends_memory, u64 ends_offset, \
      LINE_COUNT_PARAMETERS
#define SEGMENT_BEGIN(s) (u64) begins_memory[begins_offset + (s)]
#define SEGMENT_END(s) (u64) ends_memory[ends_offset + (s)]

typedef struct {
  u64 begin;
  u64 length;
} Segment;

// A segment from `begin` up to `end` of an array of n elements: what lies in it.
DEVICE Segment segment_within(u64 begin, u64 end, u64 n) {
  Segment segment;
  segment.begin = 0;
  segment.length = 0;
  if (end > n) end = n;
  if (begin < end) {
    segment.begin = begin;
    segment.length = end - begin;
  }
  return segment;
}

// Whether bounds are out of order, or out of an array of n elements.
DEVICE u32 is_faulty(u64 begin, u64 end, u64 n) { return end < begin || end > n ? 1 : 0; }

// The segment as a line.
DEVICE LineStarts starts_of_segment(Segment segment, u64 s) {
  LineStarts starts;
  starts.input = segment.begin;
  starts.second = segment.begin;
  starts.output = segment.begin;
  starts.inner = s;
  return starts;
}

// Part segment_faults_none: nobody asks how many segments are faulty.
// Provides: segment_faults

#define FAULT_PARAMETERS
#define COUNT_FAULTS(faulty, scratch)
#define COUNT_FAULT(faulty)

// Part segment_faults_counted: faulty segments are counted in 64 bits of device memory, by two
// words, as not every device adds 64 bits at once.
// Provides: segment_faults
// Uses: counters

#define FAULT_PARAMETERS , u32 *faults_memory, u64 faults_offset
#define COUNT_FAULTS(faulty, scratch) add_faults(faults_memory + 2 * faults_offset, faulty, scratch)
#define COUNT_FAULT(faulty) add_to_faults(faults_memory + 2 * faults_offset, faulty)

DEVICE void add_to_faults(u32* faults, u32 faulty) {
  if (faulty == 0) return;
  const u32 before = count_on_device(faults, faulty);
  if (before + faulty < before) count_on_device(faults + 1, 1);
}

// Adds those of a group. All its work-items call it.
DEVICE void add_faults(u32* faults, u32 faulty, u32* scratch) {
  if (threadIdx.x == 0) *scratch = 0;
  __syncthreads();
  if (faulty > 0) count_in_group(scratch, faulty);
  __syncthreads();
  if (threadIdx.x == 0) add_to_faults(faults, *scratch);
  __syncthreads();
}

// Part segment_init_host: the initial value of every segment, and the result of an empty one, given
// by the host.
// Provides: segment_init

#define INIT_PARAMETERS ACC given_init, ACC given_nothing
#define INIT_OF_SEGMENT(places, s) given_init
#define RESULT_OF_NOTHING(places, s) given_nothing

// Part segment_init_device: initial values in device memory, one for all segments or one for each.
// They are the results of empty ones.
// Provides: segment_init

#define INIT_PARAMETERS const VALUE *init_memory, u64 init_offset, ACC given_nothing
#define INIT_OF_SEGMENT(places, s) LIFT_INIT(init_memory[init_offset + (s) * (places).init_step])
#define RESULT_OF_NOTHING(places, s) INIT_OF_SEGMENT(places, s)
