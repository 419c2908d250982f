// What the library holds programs of, run on a device.
#pragma once

#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstddef>
#include <iostream>
#include <vector>

#include "embed/shapes.hpp"
#include "support/cases/workload.hpp"

namespace bifold::test {

/// Builds what all of them run.
inline void warm_listed_shapes(const Device& device) {
  const embed::EmbeddedShapes shapes = embed::embedded_shapes();
  for (const ReduceShape& shape : shapes.reductions) warm(device, shape);
  for (const ScanShape& shape : shapes.scans) warm(device, shape);
}

/// Every shape of the list of what the library holds, against the host reference.
inline void check_listed_shapes(Queue& queue) {
  // The last is of a size that production takes the ring for, where there is one.
  const std::vector<Run> runs{{.n = 1},
                              {.n = 1000, .offset = 3, .with_init = true},
                              {.n = 100003, .offset = 1},
                              {.n = 7000001}};
  std::size_t checked = 0;
  const auto check = [&](const Workload& workload) {
    check_runs(queue, workload, runs);
    ++checked;
  };
  const embed::EmbeddedShapes shapes = embed::embedded_shapes();
  for (const ReduceShape& shape : shapes.reductions) {
    if (shape.order != Order::v1) continue;
    check({.row = gallery::find(Algorithm::reduce, "production"),
           .input = shape.input,
           .accumulator = shape.accumulator,
           .output = shape.result.value_or(shape.accumulator),
           .op = shape.op});
  }
  for (const ScanShape& shape : shapes.scans) {
    if (shape.order != Order::v1) continue;
    check({.row = gallery::find(Algorithm::scan, "production"),
           .input = shape.input,
           .accumulator = shape.accumulator,
           .output = shape.output,
           .op = shape.op,
           .kind = shape.kind});
  }
  CHECK(checked == 51 * 3 + 8);
  std::cout << checked << " shapes, each on " << runs.size() << " lengths\n";
}

}  // namespace bifold::test
