// What `bifold-bench check` found.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/gallery/self_check.hpp"
#include "measure/host.hpp"
#include "measure/result.hpp"
#include "measure/support.hpp"

namespace bench {

enum class CheckOutcome : std::uint8_t {
  passed,
  failed,       ///< A result was wrong, or a call that should work did not.
  unsupported,  ///< The row does not run here; the reason says why.
  unchecked,    ///< Something beside the row kept it from being checked.
};

/// Of a line that an interrupt from the keyboard left unchecked.
inline constexpr std::string_view interrupt_reason = "interrupted";

/// One variant on one kind of elements.
struct CheckLine {
  const bifold::gallery::Variant* row = nullptr;
  bifold::core::Judged judged = bifold::core::Judged::integers;
  CheckOutcome outcome = CheckOutcome::unchecked;
  std::string reason;              ///< Of everything but `passed`: the first thing wrong, in words.
  std::vector<std::string> cases;  ///< "i32 plus", "repeated runs".
  std::vector<Refusal> refused;    ///< Cases that do not run here, and why.
  std::uint64_t calls = 0;
  double seconds = 0;
};

/// What production runs on a device once the self-check result holds.
struct ProductionChoice {
  std::string what;     ///< "reduce f32", "scan of u32 with an operator that does not commute".
  std::string row;      ///< Empty: nothing.
  std::string avoided;  ///< Which better rows are passed over, and why; may be empty.
};

struct CheckedDevice {
  bifold::DeviceInfo info;
  bifold::Capabilities capabilities;
  std::vector<CheckLine> lines;
  std::vector<ProductionChoice> production;
  std::filesystem::path stored;  ///< Where the result is; empty: nowhere.
  std::string not_stored;        ///< Why it is not.
  double seconds = 0;

  [[nodiscard]] bool all_well() const {
    for (const CheckLine& line : lines) {
      if (line.outcome == CheckOutcome::failed || line.outcome == CheckOutcome::unchecked) {
        return false;
      }
    }
    return true;
  }
};

struct CheckReport {
  std::string time;
  HostInfo host;
  std::vector<CheckedDevice> devices;
  std::vector<UnopenedDevice> unopened;
  bool complete = true;  ///< False: it was interrupted.
};

}  // namespace bench
