#include "support/cases/hard_names.hpp"

#include <array>
#include <bifold/gallery.hpp>
#include <sstream>

#include "core/base/format.hpp"
#include "core/device/state.hpp"
#include "core/gallery/gallery.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "core/kernel/kernel_source.hpp"
#include "core/operators/operator_text.hpp"
#include "core/plan/make_spec.hpp"
#include "core/shape/plan_shape.hpp"
#include "core/text/kernel_names.hpp"

namespace bifold::test {

namespace {

constexpr const char* words =
    // C++
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
    "char32_t char8_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit continue decltype default delete do double dynamic_cast else "
    "enum explicit export extern false float for friend goto if inline int long mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires restrict return short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try typedef "
    "typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq std "
    "NULL INFINITY NAN M_PI INT_MAX FLT_MAX offsetof size_t ptrdiff_t intptr_t uintptr_t "
    // OpenCL C
    "half quad complex imaginary kernel global local constant private_ generic pipe read_only "
    "write_only read_write uniform uchar ushort uint ulong char2 int4 float4 float16 double2 "
    "uint2 uint4 ulong8 half16 event_t sampler_t image2d_t queue_t clk_event_t reserve_id_t "
    "__kernel __global __local __private __attribute__ vec_step get_global_id get_local_id "
    "get_group_id get_num_groups barrier mem_fence work_group_barrier atomic_add atomic_cmpxchg "
    "atom_cmpxchg as_uint as_float convert_int vload4 vstore4 select mix step sign mad mad24 "
    "hadd popcount clz rotate mul_hi upsample isnan isequal any all dot cross length normalize "
    "min max clamp abs fabs fmin fmax floor ceil sqrt exp log pow fma printf prefetch "
    "CLK_LOCAL_MEM_FENCE MAXFLOAT HUGE_VALF __OPENCL_VERSION__ __FILE__ __LINE__ linux unix "
    // CUDA
    "__device__ __global__ __shared__ __constant__ __forceinline__ __launch_bounds__ __align__ "
    "threadIdx blockIdx blockDim gridDim warpSize dim3 float2 make_uint2 make_uint4 "
    "__syncthreads __syncwarp __shfl_sync __shfl_down_sync __ballot_sync __popc __clz __ffs "
    "__ldg __ldcs __stwb __threadfence atomicAdd atomicCAS atomicMin cudaError_t __CUDA_ARCH__ "
    "__CUDACC__ __nv_bfloat16 nanf rsqrtf sincosf assert clock "
    // kernels
    "i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 f16 bf16 DEVICE FIELD_OFFSET NATIVE_i8 PASTE VECTOR "
    "IN OUT VALUE ACC SECOND IN_NAME OUT_NAME VALUE_NAME OUT_WHOLE IN_OF_BITS COUNT_TYPE "
    "ADJOINED VALUE_OF LIFT LIFT_AT LIFT_INIT LIFT_PAIR TO_OUT IDENTITY COMBINE COMBINE_VECTORS "
    "COMBINE_FIELDS VECTOR_LANES LANE_NAME Lane Vector FIELDS FIELD ACC_WORDS AccWords words_of "
    "word made value present adjoined absent combined mapped a b x y i text input output VEC "
    "UNROLL ROWS TILE GROUP_SIZE PER_ITEM STRIPES COUNT COUNT_PARAMETERS INIT INIT_PARAMETERS "
    "TOTAL_PARAMETERS LEAVE_TOTAL Element KeptTile Tile Run Range Places Segment made_ layout "
    "bits exponential_f32 logarithm_f32 bits_of_f32 f32_of_bits minimum_f32 maximum_f32 "
    "comes_before_f32 rounding_of_sum_f32 "
    "text_min_i32 text_abs_f32 TEXT_MAGNITUDE_F32 INTEGER_FUNCTIONS Phases Mbarrier lane lanes "
    "groups group_sum tile_sum epoch state total count lead n ";

}  // namespace

const std::vector<std::string>& hard_names() {
  static const auto names = [] {
    std::vector<std::string> all;
    std::istringstream stream(words);
    for (std::string word; stream >> word;) all.push_back(word);
    return all;
  }();
  return names;
}

backend::Source source_with_hard_names(const Device& device) {
  const std::vector<std::string>& names = hard_names();
  constexpr std::size_t fields_each = 8;
  std::string text;
  for (std::size_t at = 0; at < names.size(); ++at) {
    std::array<StructField, fields_each> fields{};
    std::string maker;
    for (std::size_t i = 0; i < fields_each; ++i) {
      const std::string& field = names[(at * fields_each + i) % names.size()];
      fields[i] = {field, i % 2 == 0 ? Type::i32 : Type::f32, 4 * i};
      maker += core::formatted("{}max(a.{}, b.{})", i == 0 ? "" : ", ", field, field);
    }
    const StructType structure{names[at], 4 * fields_each, fields};
    const Type type(structure);
    core::append_struct(text, type);
    const Operator op = Operator::user(names[at], "make_" + names[at] + "(" + maker + ")", type);
    const std::string name = core::kernel_name(type);
    text += core::formatted("DEVICE {} hard_name_{}({} a, {} b) {{ return {}; }}\n", name, at, name,
                            name, core::operator_text(op, type).text);
  }
  static constexpr StructField fields[] = {{"first", Type::i32, 0}, {"second", Type::f32, 4}};
  static constexpr StructType pair{"Pair", 8, fields};
  const Type type(pair);
  const Operator op =
      Operator::user("greatest", "make_Pair(max(a.first, b.first), max(a.second, b.second))",
                     Value::from_bytes(type, std::array<std::byte, 8>{}.data()));
  const gallery::Variant& row = *gallery::find(Algorithm::scan, "lookback");
  const core::PlanShape shape{type, type, type, ScanKind::inclusive, op};
  const core::Request request(device, shape);
  const core::Row own = core::row_of(row);
  const core::KernelSpec spec =
      core::make_spec(request, own, core::built_in_tuning(request, row), own.entry());
  backend::Source source = core::kernel_source(*device.state()->backend, spec);
  // Where structs of the kernel's own stand, in front of all that kernels say.
  source.text.insert(source.text.find("typedef struct { i32 userfield_first"), text);
  return source;
}

}  // namespace bifold::test
