#include "opencl/driver/query.hpp"

#include <algorithm>
#include <array>

#include "core/base/ascii.hpp"
#include "core/base/printable.hpp"

namespace bifold::backend::opencl {

namespace {

// Of OpenCL 3.0; asked of devices that say they are.
constexpr cl_device_info device_opencl_c_all_versions = 0x1066;

struct NameVersion {
  cl_uint version;  // 10 bits major, 10 bits minor, 12 bits patch.
  std::array<char, 64> name;
};

}  // namespace

std::string trimmed(const std::string& text) {
  const auto blank = [](char c) { return c == '\0' || core::is_blank(c); };
  const auto first = std::find_if_not(text.begin(), text.end(), blank);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), blank).base();
  return first < last ? std::string(first, last) : std::string();
}

std::string device_text(cl_device_id device, cl_device_info what) {
  std::size_t bytes = 0;
  check(clGetDeviceInfo(device, what, 0, nullptr, &bytes), "clGetDeviceInfo", Step::open);
  std::string text(bytes, '\0');
  check(clGetDeviceInfo(device, what, bytes, text.data(), nullptr), "clGetDeviceInfo", Step::open);
  return core::printable(text);
}

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  std::size_t bytes = 0;
  check(clGetPlatformInfo(platform, what, 0, nullptr, &bytes), "clGetPlatformInfo", Step::open);
  std::string text(bytes, '\0');
  check(clGetPlatformInfo(platform, what, bytes, text.data(), nullptr), "clGetPlatformInfo",
        Step::open);
  return core::printable(text);
}

std::string platform_of(cl_device_id device) {
  auto* const platform = device_value<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  return platform_text(platform, CL_PLATFORM_NAME) + ", " +
         platform_text(platform, CL_PLATFORM_VERSION);
}

bool has_extension(const std::string& extensions, std::string_view name) {
  const std::string padded = " " + extensions + " ";
  return padded.find(" " + std::string(name) + " ") != std::string::npos;
}

bool is_nvidias(cl_device_id device) {
  constexpr cl_uint vendor_nvidia = 0x10de;
  return device_value<cl_uint>(device, CL_DEVICE_VENDOR_ID) == vendor_nvidia &&
         has_extension(device_text(device, CL_DEVICE_EXTENSIONS), "cl_nv_device_attribute_query");
}

std::uint32_t version_in(const std::string& text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 >= text.size() || !digit(text[dot - 1]) ||
      !digit(text[dot + 1])) {
    return 0;
  }
  return static_cast<std::uint32_t>(10 * (text[dot - 1] - '0') + (text[dot + 1] - '0'));
}

std::vector<std::uint32_t> language_versions(cl_device_id device) {
  std::vector<std::uint32_t> versions{version_in(device_text(device, CL_DEVICE_OPENCL_C_VERSION))};
  if (version_in(device_text(device, CL_DEVICE_VERSION)) >= 30) {
    std::size_t bytes = 0;
    check(clGetDeviceInfo(device, device_opencl_c_all_versions, 0, nullptr, &bytes),
          "clGetDeviceInfo", Step::open);
    std::vector<NameVersion> rows(bytes / sizeof(NameVersion));
    check(clGetDeviceInfo(device, device_opencl_c_all_versions, rows.size() * sizeof(NameVersion),
                          rows.data(), nullptr),
          "clGetDeviceInfo", Step::open);
    for (const NameVersion& row : rows) {
      versions.push_back(10 * (row.version >> 22) + ((row.version >> 12) & 0x3ff));
    }
  }
  return versions;
}

}  // namespace bifold::backend::opencl
