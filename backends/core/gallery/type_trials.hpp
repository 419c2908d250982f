// Element types on platforms that bifold is not tested on: tried before they are used.
#pragma once

#include <bifold/device.hpp>
#include <map>
#include <mutex>
#include <string>

#include "core/shape/plan_shape.hpp"

namespace bifold::core {

/// What a device's compiler makes of struct types, and of accumulators that may be absent. Such a
/// type is tried once, by a kernel that does with it what all kernels do. Thread-safe.
class TypeTrials {
 public:
  /// What is wrong with a type of the shape, or nothing; nothing where no type has to be tried.
  /// Compiles and runs a kernel for each type that is new.
  std::string problem(const Device& device, const PlanShape& shape);

 private:
  std::string problem(const Device& device, const Operator& op, Type type);

  std::mutex mutex_;                          // Held while a type is tried; others wait for it.
  std::map<std::string, std::string> known_;  // By the text of the trial.
};

}  // namespace bifold::core
