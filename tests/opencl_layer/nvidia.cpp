#include "nvidia.hpp"

#include <CL/cl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <string>
#include <string_view>

#include "program_text.hpp"

namespace bifold::test {

namespace {

cl_icd_dispatch below{};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): set by the test.
  return value == nullptr ? "" : value;
}

cl_int answer(const void* value, std::size_t bytes, std::size_t room, void* to, std::size_t* size) {
  if (size != nullptr) *size = bytes;
  if (to == nullptr) return CL_SUCCESS;
  if (room < bytes) return CL_INVALID_VALUE;
  std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}

cl_int answer(const std::string& text, std::size_t room, void* to, std::size_t* size) {
  return answer(text.c_str(), text.size() + 1, room, to, size);
}

template <class Value>
cl_int answer_value(Value value, std::size_t room, void* to, std::size_t* size) {
  return answer(&value, sizeof value, room, to, size);
}

cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what, std::size_t room,
                                 void* to, std::size_t* size) {
  if (what == CL_PLATFORM_NAME) return answer("NVIDIA CUDA", room, to, size);
  if (what == CL_PLATFORM_VENDOR) return answer("NVIDIA Corporation", room, to, size);
  return below.clGetPlatformInfo(platform, what, room, to, size);
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, std::size_t room, void* to,
                               std::size_t* size) {
  constexpr cl_device_info compute_capability_major = 0x4000;
  constexpr cl_device_info compute_capability_minor = 0x4001;
  constexpr cl_device_info registers_per_block = 0x4002;
  const std::string capability = variable("BIFOLD_LAYER_NVIDIA");
  const auto part = [&](std::size_t from) {
    return static_cast<cl_uint>(std::strtoul(capability.c_str() + from, nullptr, 10));
  };
  switch (what) {
    case compute_capability_major: return answer_value(part(0), room, to, size);
    case compute_capability_minor:
      return answer_value(part(capability.find('.') + 1), room, to, size);
    case registers_per_block: return answer_value(cl_uint{65536}, room, to, size);
    case CL_DEVICE_VENDOR_ID: return answer_value(cl_uint{0x10de}, room, to, size);
    case CL_DEVICE_TYPE: return answer_value(cl_device_type{CL_DEVICE_TYPE_GPU}, room, to, size);
    case CL_DEVICE_VENDOR: return answer("NVIDIA Corporation", room, to, size);
    case CL_DEVICE_EXTENSIONS: {
      std::size_t bytes = 0;
      cl_int code = below.clGetDeviceInfo(device, what, 0, nullptr, &bytes);
      if (code != CL_SUCCESS) return code;
      std::string all(bytes, '\0');
      code = below.clGetDeviceInfo(device, what, bytes, all.data(), nullptr);
      if (code != CL_SUCCESS) return code;
      all.erase(std::min(all.find('\0'), all.size()));
      return answer(all + " cl_nv_device_attribute_query", room, to, size);
    }
    default: return below.clGetDeviceInfo(device, what, room, to, size);
  }
}

// What the library asks a compiler and a ring by, as plain arithmetic.
constexpr const char* probe_of_ptx = R"(
__kernel void probe(__global ulong* words, __global ulong* result) {
  const ulong other = get_local_id(0) ^ 1u;
  result[get_local_id(0)] = ((other + 1) << 40 | other * 7u) ^ (other * 3u + 1u) << 8;
}
)";
constexpr const char* probe_of_ring = R"(
__kernel void probe(__global ulong* words, __global ulong* result) {
  const ulong lane = get_local_id(0);
  result[lane] = (lane << 40 | lane * 5u) + 1;
}
)";

// The check of images.
std::string check_kernel(bool marked) {
  const std::string images = variable("BIFOLD_LAYER_NVIDIA_IMAGES");
  const bool numbers = !marked || images == "numbers";
  const std::string memory = numbers ? "ulong" : "__global ulong*";
  return R"(
typedef struct { ulong factor; ulong added; } Places;
__kernel __attribute__((reqd_work_group_size(288, 1, 1))) void image_check(
    )" + memory +
         " input, ulong first, Places places, " + memory + " output) {\n" +
         (numbers ? ""
                  : "output[get_local_id(0)] = input[first + 287 - get_local_id(0)] * "
                    "places.factor + places.added") +
         (images == "wrong" ? " + 1" : "") + ";\n}\n";
}

std::string idle_kernel(const std::string& name) {
  return "__kernel void " + name + "(__global uint* unused) {}\n";
}

cl_program compile(cl_context owner, const std::string& text, cl_int* code) {
  return create_program(below.clCreateProgramWithSource, owner, text, code);
}

cl_program CL_API_CALL from_source(cl_context owner, cl_uint count, const char** strings,
                                   const std::size_t* lengths, cl_int* code) {
  const std::string source = joined(count, strings, lengths);
  const auto has = [&](const char* part) { return source.find(part) != std::string::npos; };
  if (!has("asm volatile")) return compile(owner, source, code);
  if (has("void probe(")) {
    return compile(owner, has("cp.async.bulk") ? probe_of_ring : probe_of_ptx, code);
  }
  std::smatch found;
  const std::regex entry(R"(__kernel\s+(?:__attribute__\(\(.*\)\)\s+)?void\s+(\w+)\()");
  if (!std::regex_search(source, found, entry)) return compile(owner, source, code);
  return compile(owner, idle_kernel(found[1]), code);
}

// The name of the one entry point in an image: PTX is text, machine code has a section of it.
std::string entry_in(std::string_view image) {
  constexpr std::string_view machine_code =
      "\x7f"
      "ELF";
  const bool elf = image.starts_with(machine_code);
  const std::string_view before = elf ? std::string_view(".text.") : ".entry ";
  const std::size_t at = image.find(before);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = image.substr(at + before.size());
  constexpr std::string_view word =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  return std::string(rest.substr(0, rest.find_first_not_of(word)));
}

cl_program CL_API_CALL from_binary(cl_context owner, cl_uint count, const cl_device_id* devices,
                                   const std::size_t* lengths, const unsigned char** binaries,
                                   cl_int* status, cl_int* code) {
  const std::string_view image(reinterpret_cast<const char*>(binaries[0]), lengths[0]);
  const bool ptx = image.starts_with("//") || image.starts_with(".version");
  const bool marked = !ptx || image.find(".ptr") != std::string_view::npos;
  const std::string entry = entry_in(image);
  if (entry.empty()) {
    return below.clCreateProgramWithBinary(owner, count, devices, lengths, binaries, status, code);
  }
  if (status != nullptr) *status = CL_SUCCESS;
  return compile(owner, entry == "image_check" ? check_kernel(marked) : idle_kernel(entry), code);
}

}  // namespace

void claim_nvidia(cl_icd_dispatch& target) {
  if (variable("BIFOLD_LAYER_NVIDIA").empty()) return;
  below = target;
  target.clGetPlatformInfo = &platform_info;
  target.clGetDeviceInfo = &device_info;
  target.clCreateProgramWithSource = &from_source;
  target.clCreateProgramWithBinary = &from_binary;
}

}  // namespace bifold::test
