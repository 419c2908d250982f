// What `bifold-bench check` found out about a device: kept beside its kernels, heeded by planning.
#pragma once

#include <bifold/device.hpp>
#include <bifold/gallery.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/shape/plan_shape.hpp"

namespace bifold::core {

/// What a row is judged on. A row that is wrong on integers is wrong altogether; one that is wrong
/// on a floating type is so for whatever contains it, and one that is wrong on structs for all of
/// them, and for operators without identity.
enum class Judged : std::uint8_t { integers, f32, f64, f16, bf16, structs };

inline constexpr Judged all_judged[] = {Judged::integers, Judged::f32,  Judged::f64,
                                        Judged::f16,      Judged::bf16, Judged::structs};

/// "integers", "f32" and so on.
std::string_view name_of(Judged judged) noexcept;

/// What was found of one row of the gallery.
struct Finding {
  const gallery::Variant* row;
  Judged judged;
  std::string problem;  ///< One line; empty: it passed.
};

/// Everything that is known of the rows on one device. Empty where no check was made.
class SelfCheckResult {
 public:
  /// Adds, or puts in the place of an earlier finding.
  void set(Finding finding);
  /// The same, but what failed before stays failed: for several devices that share a self-check
  /// result.
  void merge(const Finding& finding);

  [[nodiscard]] const std::vector<Finding>& findings() const noexcept { return findings_; }
  /// What was found wrong with the row on elements of that shape, or nothing.
  [[nodiscard]] std::string problem(const gallery::Variant& row, const PlanShape& shape) const;
  /// Whether the row was checked, and right, on everything that the shape consists of.
  [[nodiscard]] bool passed(const gallery::Variant& row, const PlanShape& shape) const;

 private:
  [[nodiscard]] const Finding* find(const gallery::Variant& row, Judged judged) const noexcept;

  std::vector<Finding> findings_;
};

/// What a self-check result is true of, a line for each: library, backend, device, driver, and
/// whatever else compiled kernels depend on.
std::string self_check_key(const DeviceInfo& info, std::string_view binary_key);

/// A file's text: a line of format, length and checksum of the rest, the key, and a line
/// "ALGORITHM ROW ELEMENTS passed", or "failed" and why, for each finding.
std::string self_check_text(std::string_view key, const SelfCheckResult& self_check);

struct SelfCheckReading {
  SelfCheckResult self_check;
  std::string problem;  ///< Why there is none; empty: all is well.
};

/// What a file of that text means under that key: everything, or nothing and why.
SelfCheckReading read_self_check(std::string_view text, std::string_view key);

/// Where the self-check result on such devices lies: one file for the device of that name, whatever
/// its driver, so that one that is out of date is noticed. Empty where there is no directory.
std::filesystem::path self_check_file(const CacheOptions& options, const DeviceInfo& info);

/// The self-check result in the device's file; an empty one, with a warning in the log, where the
/// file is damaged, others could have written it, or it is another device's or out of date; an
/// empty one where there is none, or no disk is to be used.
SelfCheckResult load_self_check(const CacheOptions& options, const DeviceInfo& info,
                                std::string_view binary_key);

/// Writes the file whole or not at all. What went wrong, or nothing.
std::string store_self_check(const CacheOptions& options, const DeviceInfo& info,
                             std::string_view binary_key, const SelfCheckResult& self_check);

}  // namespace bifold::core
