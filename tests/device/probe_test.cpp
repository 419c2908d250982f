// The bandwidth probes, whose rates every result is compared with.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "core/probe/bandwidth.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace bifold {

TEST_SUITE_BEGIN("probe");

TEST_CASE(
    "the copy probe copies every byte, at sizes that fill its loops and at some that do not") {
  Queue queue(test::device());
  const core::BandwidthProbe probe(test::device());
  for (const std::size_t words : {16U << 10, (16U << 10) + 16, 3 * (16U << 10) + 48, 1U << 20}) {
    INFO(words, " words");
    std::vector<std::uint32_t> host(words);
    for (std::size_t i = 0; i < words; ++i) host[i] = static_cast<std::uint32_t>(i * 2654435761U);
    auto from = queue.upload(std::span<const std::uint32_t>(host));
    auto to = queue.allocate<std::uint32_t>(words);
    queue.fill(to, 0xdeadbeefU);
    probe.copy(queue, from, to);
    probe.read(queue, from);
    CHECK(queue.download(to) == host);
    CHECK(queue.download(from) == host);
  }
}

TEST_CASE("the probes refuse ranges that they could not walk in whole lines") {
  Queue queue(test::device());
  const core::BandwidthProbe probe(test::device());
  auto data = queue.allocate<std::uint32_t>(1U << 16);
  const auto category = [&](const ErasedView& view) {
    return test::failure_of([&] { probe.read(queue, view); }).category;
  };
  CHECK(category(data.view(0, 1000)) == ErrorCategory::invalid_argument);
  CHECK(category(data.view(0, (1U << 15) + 1)) == ErrorCategory::invalid_argument);
  CHECK(category(data.view(1, 1U << 15)) == ErrorCategory::invalid_argument);
  CHECK_FALSE(category(data.view(16, 1U << 15)).has_value());
  queue.finish();
}

TEST_SUITE_END();

}  // namespace bifold
