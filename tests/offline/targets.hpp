// Devices that nobody here has: what their drivers report, how their compilers are run without one,
// and what a compiled kernel may take of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "offline_device.hpp"

namespace bifold::test {

enum class Vendor : std::uint8_t { amd, intel };

/// What a compiler says that a kernel takes. Registers are those of a work-item on AMD devices, and
/// of a hardware thread, which runs a sub-group, on Intel's.
struct KernelUse {
  std::string name;
  std::uint32_t registers = 0;
  std::uint32_t scalar_registers = 0;  ///< Of a wave; AMD only.
  std::uint32_t spilled = 0;           ///< Registers (AMD) or bytes (Intel) kept in memory.
  std::uint32_t scalars_spilled = 0;   ///< Scalar registers kept in lanes of others; AMD only.
  std::uint32_t private_bytes = 0;     ///< Of memory per work-item, what is spilled included.
  std::uint32_t local_bytes = 0;
  std::uint32_t width = 0;  ///< Work-items in a wave or sub-group.
};

/// The most that a kernel may take.
struct Budget {
  std::uint32_t registers;
  std::uint32_t spilled;
  std::uint32_t scalars_spilled;
  std::uint32_t private_bytes;
  std::uint32_t local_bytes;
};

/// One device and mode.
struct Target {
  std::string_view name;
  Vendor vendor;
  std::string_view architecture;  ///< As the compiler calls it.
  std::uint32_t width;            ///< Of a wave or sub-group, as kernels are to be compiled.
  Description device;
  Budget budget;
  Budget look_back;  ///< Of the scan in order v1 that waits for other groups,
  Budget ahead;      ///< and of the one that keeps two tiles in registers, of 4-byte elements.
  /// Whether only files that exchange registers are compiled: a width that production takes where
  /// there is no better one.
  bool lanes_only = false;
};

/// Every target.
const std::vector<Target>& targets();

/// The one that $BIFOLD_TEST_TARGET names.
const Target& target();

/// What $BIFOLD_TEST_COMPILER calls itself.
std::string compiler_name();

/// Compiles by $BIFOLD_TEST_COMPILER. What every kernel of the text takes; on failure none, and the
/// compiler's messages in `log`.
std::vector<KernelUse> compile(const Target& target, const backend::Source& source,
                               std::string& log);

/// Kernels in the metadata of AMD's assembly text, and in Intel's `.ze_info`.
std::vector<KernelUse> read_amd_metadata(std::string_view assembly);
std::vector<KernelUse> read_intel_metadata(std::string_view ze_info);

}  // namespace bifold::test
