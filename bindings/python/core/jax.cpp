// bifold._jax, the handlers that programs of JAX call through XLA's foreign function interface.
//
// An array is dense and in C order. Attributes tell the operator and the axes of its lines; extents
// and types are the arrays'. Handlers are not declared compatible with command buffers: a call that
// is captured must bring its scratch memory, whose size XLA would have to know before.

#include <xla/ffi/api/ffi.h>

#include <new>

#include "jax_places.hpp"

namespace bifold::python {

namespace {

namespace ffi = xla::ffi;

using Array = ffi::AnyBuffer;
using Output = ffi::Result<ffi::AnyBuffer>;

ffi::Error failure(bifold_status status) {
  if (status == BIFOLD_OK) return ffi::Error::Success();
  static constexpr std::pair<bifold_status, ffi::ErrorCode> codes[] = {
      {BIFOLD_INVALID_ARGUMENT, ffi::ErrorCode::kInvalidArgument},
      {BIFOLD_UNSUPPORTED, ffi::ErrorCode::kUnimplemented},
      {BIFOLD_UNAVAILABLE, ffi::ErrorCode::kUnavailable},
      {BIFOLD_OUT_OF_MEMORY, ffi::ErrorCode::kResourceExhausted},
      {BIFOLD_TIMEOUT, ffi::ErrorCode::kDeadlineExceeded},
      {BIFOLD_DEVICE_LOST, ffi::ErrorCode::kAborted}};
  ffi::ErrorCode code = ffi::ErrorCode::kInternal;
  for (const auto& [of, named] : codes) {
    if (of == status) code = named;
  }
  return {code, std::string("bifold: ") + api().last_error()};
}

/// The library's type; -1: it has none.
bifold_type type_of(ffi::DataType type) {
  static constexpr std::pair<ffi::DataType, bifold_type> types[] = {
      {ffi::DataType::S8, BIFOLD_I8},         {ffi::DataType::S16, BIFOLD_I16},
      {ffi::DataType::S32, BIFOLD_I32},       {ffi::DataType::S64, BIFOLD_I64},
      {ffi::DataType::U8, BIFOLD_U8},         {ffi::DataType::U16, BIFOLD_U16},
      {ffi::DataType::U32, BIFOLD_U32},       {ffi::DataType::U64, BIFOLD_U64},
      {ffi::DataType::F16, BIFOLD_F16},       {ffi::DataType::BF16, BIFOLD_BF16},
      {ffi::DataType::F32, BIFOLD_F32},       {ffi::DataType::F64, BIFOLD_F64},
      {ffi::DataType::C64, BIFOLD_COMPLEX64}, {ffi::DataType::C128, BIFOLD_COMPLEX128}};
  for (const auto& [of, named] : types) {
    if (of == type) return named;
  }
  return -1;
}

std::uint64_t product(const std::int64_t* first, std::int64_t count) {
  std::uint64_t product = 1;
  for (std::int64_t i = 0; i < count; ++i) product *= static_cast<std::uint64_t>(first[i]);
  return product;
}

/// A call of the library.
struct Call {
  bool scan = false;
  const bifold_operator* op = nullptr;
  bool reverse = false;
  bifold_lines lines = {};
  bifold_type from = -1, to = -1;
  std::uint64_t inputs = 0, outputs = 0;  // Elements.

  /// Takes arrays, with lines of `axes` axes from `axis` on. What is wrong with them, or null.
  const char* set(std::int64_t op_kind, std::int64_t axis, std::int64_t axes, const Array& x,
                  const Array& out);

  bifold_status enqueue(bifold_queue* queue, bifold_buffer* x, bifold_buffer* out) const;
};

const char* Call::set(std::int64_t op_kind, std::int64_t axis, std::int64_t axes, const Array& x,
                      const Array& out) {
  op = api().builtin_operator(static_cast<bifold_operator_kind>(op_kind));
  from = type_of(x.element_type());
  to = type_of(out.element_type());
  if (!op || from < 0 || to < 0) return "bifold: no such operator or type";
  inputs = x.element_count();
  outputs = out.element_count();
  const ffi::Span<const std::int64_t> shape = x.dimensions();
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < 0 || axes < 0 || axes > rank || axis > rank - axes) {
    return "bifold: the array has no such axis";
  }
  const std::uint64_t outer = product(shape.begin(), axis);
  const std::uint64_t length = product(shape.begin() + axis, axes);
  const std::uint64_t inner = product(shape.begin() + axis + axes, rank - axis - axes);
  const auto step = static_cast<std::int64_t>(inner);
  // Lines are described as the package does it, so that both find the same plans.
  const std::int64_t outer_step = outer == 1 ? 0 : static_cast<std::int64_t>(length) * step;
  lines = {outer, length, inner, outer_step, step, inner == 1 ? 0 : 1};
  return nullptr;
}

bifold_status Call::enqueue(bifold_queue* queue, bifold_buffer* x, bifold_buffer* out) const {
  bifold_options options = {};
  options.struct_size = sizeof options;
  options.reverse = reverse;
  // One array has no lines, so that variants which take none serve it, too.
  if (lines.outer != 1 || lines.inner != 1) options.lines = &lines;
  const bifold_view input = {x, from, 0, inputs};
  const bifold_view output = {out, to, 0, outputs};
  return (scan ? api().inclusive_scan : api().reduce_into)(queue, input, output, op, nullptr,
                                                           &options);
}

/// A place on the device for arrays of the host, given back at the end.
struct Lease {
  Lease() = default;
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    if (place.queue) device->put(place);
  }
  std::shared_ptr<HostDevice> device;
  HostPlace place;
};

/// Blocks until the result is there. Elements are copied to the device and back.
ffi::Error run_on_host(const Call& call, const Array& x, const Array& out) {
  Lease lease;
  auto& [queue, input, output] = lease.place;
  bifold_status status = host_device(&lease.device);
  if (status == BIFOLD_OK) status = lease.device->take(&lease.place);
  if (status == BIFOLD_OK) status = lease.device->reserve(&input, x.size_bytes());
  const bifold_view elements = {input.buffer, call.from, 0, call.inputs};
  if (status == BIFOLD_OK && call.inputs > 0) {
    status = api().upload(queue, x.untyped_data(), elements);
  }
  if (status == BIFOLD_OK && !call.scan && call.outputs == 1) {
    return failure(
        api().reduce(queue, elements, call.op, call.to, nullptr, out.untyped_data(), nullptr));
  }
  // A scan may be in place.
  const bool apart = !call.scan || call.from != call.to;
  if (status == BIFOLD_OK && apart) {
    status = lease.device->reserve(&output, out.size_bytes());
  }
  bifold_buffer* target = apart ? output.buffer : input.buffer;
  if (status == BIFOLD_OK) status = call.enqueue(queue, input.buffer, target);
  if (status == BIFOLD_OK) {
    status = api().download(queue, {target, call.to, 0, call.outputs}, out.untyped_data());
  }
  return failure(status);
}

/// A handle of memory.
struct Buffer {
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { api().buffer_destroy(handle); }
  bifold_buffer* handle = nullptr;
};

std::uint64_t address_of(const Array& array) {
  return reinterpret_cast<std::uint64_t>(array.untyped_data());
}

/// Enqueues on XLA's stream.
ffi::Error run_on_stream(const Call& call, void* stream, const Array& x, const Array& out) {
  bifold_queue* queue = nullptr;
  Buffer input, output;
  bifold_status status = queue_of(stream, address_of(out), &queue);
  if (status == BIFOLD_OK) {
    status = api().cuda_adopt_known_buffer(address_of(x), x.size_bytes(), &input.handle);
  }
  if (status == BIFOLD_OK) {
    status = api().cuda_adopt_known_buffer(address_of(out), out.size_bytes(), &output.handle);
  }
  if (status == BIFOLD_OK) status = call.enqueue(queue, input.handle, output.handle);
  return failure(status);
}

/// Runs a call, and lets no exception through to XLA.
template <class Run>
ffi::Error guarded(bool scan, std::int64_t op, std::int64_t axis, std::int64_t axes, bool reverse,
                   const Array& x, const Array& out, Run run) {
  Call call;
  call.scan = scan;
  call.reverse = reverse;
  if (const char* wrong = call.set(op, axis, axes, x, out)) {
    return {ffi::ErrorCode::kInvalidArgument, wrong};
  }
  if (call.outputs == 0) return ffi::Error::Success();
  try {
    return run(call);
  } catch (const std::bad_alloc&) {
    return {ffi::ErrorCode::kResourceExhausted, "bifold: the host has no room"};
  } catch (const std::exception& error) {
    return {ffi::ErrorCode::kInternal, error.what()};
  }
}

ffi::Error host_call(bool scan, std::int64_t op, std::int64_t axis, std::int64_t axes, bool reverse,
                     const Array& x, Output out) {
  return guarded(scan, op, axis, axes, reverse, x, *out,
                 [&](const Call& call) { return run_on_host(call, x, *out); });
}

ffi::Error cuda_call(void* stream, bool scan, std::int64_t op, std::int64_t axis, std::int64_t axes,
                     bool reverse, const Array& x, Output out) {
  return guarded(scan, op, axis, axes, reverse, x, *out,
                 [&](const Call& call) { return run_on_stream(call, stream, x, *out); });
}

XLA_FFI_Error* host_handler(XLA_FFI_CallFrame* frame) {
  static const auto* handler = ffi::Ffi::Bind()
                                   .Attr<bool>("scan")
                                   .Attr<std::int64_t>("op")
                                   .Attr<std::int64_t>("axis")
                                   .Attr<std::int64_t>("axes")
                                   .Attr<bool>("reverse")
                                   .Arg<Array>()
                                   .Ret<Array>()
                                   .To(host_call)
                                   .release();
  return handler->Call(frame);
}

XLA_FFI_Error* cuda_handler(XLA_FFI_CallFrame* frame) {
  static const auto* handler = ffi::Ffi::Bind()
                                   .Ctx<ffi::PlatformStream<void*>>()
                                   .Attr<bool>("scan")
                                   .Attr<std::int64_t>("op")
                                   .Attr<std::int64_t>("axis")
                                   .Attr<std::int64_t>("axes")
                                   .Attr<bool>("reverse")
                                   .Arg<Array>()
                                   .Ret<Array>()
                                   .To(cuda_call)
                                   .release();
  return handler->Call(frame);
}

nb::capsule capsule_of(XLA_FFI_Handler* handler) { return {reinterpret_cast<void*>(handler)}; }

void use_cpu_device(const char* selector) {
  bifold_status status = BIFOLD_OK;
  {
    const nb::gil_scoped_release released;
    status = use_cpu(selector);
  }
  if (status != BIFOLD_OK) raise(status, "bifold_device_open");
}

}  // namespace

}  // namespace bifold::python

NB_MODULE(_jax, module) {
  namespace own = bifold::python;
  module.def("bind", &own::bind);
  module.def("use_cpu", &own::use_cpu_device);
  module.def("host_handler", [] { return own::capsule_of(own::host_handler); });
  module.def("cuda_handler", [] { return own::capsule_of(own::cuda_handler); });
}
