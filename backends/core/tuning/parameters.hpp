// THE table of tuning parameters: their names, and what kernels are told of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/tuning/tuning.hpp"

namespace bifold::core {

/// A member of Tuning.
using TuningMember = Tuning::Value Tuning::*;

/// One parameter, for everything that spells its name or hands its value on.
struct Parameter {
  std::string_view name;  ///< In tuning files and in what the tool prints.
  TuningMember member;
  std::string_view define{};    ///< In kernels; empty: the host alone uses the value.
  std::string_view old_name{};  ///< Tuning files may still have it.
};

/// All of them, in the order of Tuning.
std::span<const Parameter> parameters() noexcept;

/// The parameter of a member.
const Parameter& parameter_of(TuningMember member) noexcept;

/// Whether there is no value.
bool is_empty(const Tuning& tuning) noexcept;

/// The values, with those that `changes` has instead.
Tuning changed(Tuning tuning, const Tuning& changes);

/// "GROUP_SIZE=64 UNROLL=2".
std::string text_of(const Tuning& tuning);

}  // namespace bifold::core
