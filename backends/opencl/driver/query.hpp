// Reading facts about platforms and devices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opencl/driver/clhpp.hpp"
#include "opencl/driver/error.hpp"

namespace bifold::backend::opencl {

/// A fixed-size fact of a device. Throws when the device does not answer.
template <class T>
T device_value(cl_device_id device, cl_device_info what) {
  T value{};
  // NOLINTNEXTLINE(bugprone-sizeof-expression): some facts are handles, and a handle is meant.
  check(clGetDeviceInfo(device, what, sizeof value, &value, nullptr), "clGetDeviceInfo",
        Step::open);
  return value;
}

/// The same, or `otherwise` for a device too old to know the question.
template <class T>
T device_value_or(cl_device_id device, cl_device_info what, T otherwise) noexcept {
  T value{};
  std::size_t bytes = 0;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): a handle is what is asked for.
  const cl_int code = clGetDeviceInfo(device, what, sizeof(T), &value, &bytes);
  // NOLINTNEXTLINE(bugprone-sizeof-expression)
  return code == CL_SUCCESS && bytes == sizeof(T) ? value : otherwise;
}

/// Texts come without the blanks and zeros that drivers pad them with.
std::string device_text(cl_device_id device, cl_device_info what);
std::string platform_text(cl_platform_id platform, cl_platform_info what);

/// Name and version of the platform of a device.
std::string platform_of(cl_device_id device);

/// Whether the device lists the extension, as a whole word.
bool has_extension(const std::string& extensions, std::string_view name);

/// Whether NVIDIA's own driver runs the device.
bool is_nvidias(cl_device_id device);

/// 10 * major + minor of a text like "OpenCL 3.0 vendor" or "OpenCL C 1.2", 0 when unreadable.
std::uint32_t version_in(const std::string& text);

/// Versions of OpenCL C, as version_in() gives them, that the device compiles.
std::vector<std::uint32_t> language_versions(cl_device_id device);

/// `text` without blanks and zeros at its ends.
std::string trimmed(const std::string& text);

}  // namespace bifold::backend::opencl
