// Part outputs_one: results go to one array. i is the index of a result in it.
// Provides: outputs

#define MORE_OUTPUTS
#define OUTPUTS(first) (first)
#define OUTPUTS_FROM(outputs, i) ((outputs) + (i))
#define PUT_RESULT(outputs, i, value) (outputs)[i] = TO_OUT(value)
// The same from an offset of the first array on: compilers are to see one index.
#define PUT_RESULT_FROM(first, offset, i, value) (first)[(offset) + (i)] = TO_OUT(value)

typedef OUT* Outputs;

// Part outputs_more: results go to two arrays or more, to each what its own result map makes of an
// accumulator. i is the index of a result in all of them.
// Provides: outputs

#define PARAMETERS_OF(k) , OUT_##k *output_##k, u64 output_offset_##k
#define ADDRESS_OF(k) , output_##k + output_offset_##k
#define MORE_OUTPUTS EACH_MORE_OUTPUT(PARAMETERS_OF)
#define OUTPUTS(first) outputs_of((first)EACH_MORE_OUTPUT(ADDRESS_OF))
#define OUTPUTS_FROM(outputs, i) outputs_from(outputs, i)
#define PUT_RESULT(outputs, i, value) put_result(outputs, i, value)
#define PUT_RESULT_FROM(first, offset, i, value) put_result(OUTPUTS((first) + (offset)), i, value)

#define MEMBER_OF(k) OUT_##k* more_##k;
typedef struct {
  OUT* first;
  EACH_MORE_OUTPUT(MEMBER_OF)
} Outputs;

#define PARAMETER_OF(k) , OUT_##k* more_##k
#define SET_MEMBER(k) outputs.more_##k = more_##k;
DEVICE Outputs outputs_of(OUT* first EACH_MORE_OUTPUT(PARAMETER_OF)) {
  Outputs outputs;
  outputs.first = first;
  EACH_MORE_OUTPUT(SET_MEMBER)
  return outputs;
}

#define MOVE_MEMBER(k) outputs.more_##k += i;
DEVICE Outputs outputs_from(Outputs outputs, u64 i) {
  outputs.first += i;
  EACH_MORE_OUTPUT(MOVE_MEMBER)
  return outputs;
}

DEVICE void put_result(Outputs outputs, u64 i, ACC value) {
  outputs.first[i] = TO_OUT(value);
  PUT_MORE_RESULTS(outputs, i, value);
}

// Part output_start_one: whether results take the places of elements.
// Provides: output_start
// Uses: outputs, element_start

DEVICE bool writes_over(Elements input, Outputs outputs) { return starts_at(input, outputs); }

// Part output_start_more: whether results in any array take the places of elements.
// Provides: output_start
// Uses: outputs, element_start

#define STARTS_AT_MEMBER(k) || starts_at(input, outputs.more_##k)
DEVICE bool writes_over(Elements input, Outputs outputs) {
  return starts_at(input, outputs.first) EACH_MORE_OUTPUT(STARTS_AT_MEMBER);
}

// Part line_output_start_one: whether results of a line take the places of its elements.
// Provides: line_output_start
// Uses: outputs, line_elements

DEVICE bool writes_over_line(LineElements line, Outputs outputs) {
  return line_starts_at(line, outputs);
}

// Part line_output_start_more: the same of results in any array.
// Provides: line_output_start
// Uses: outputs, line_elements

#define LINE_STARTS_AT_MEMBER(k) || line_starts_at(line, outputs.more_##k)
DEVICE bool writes_over_line(LineElements line, Outputs outputs) {
  return line_starts_at(line, outputs.first) EACH_MORE_OUTPUT(LINE_STARTS_AT_MEMBER);
}
