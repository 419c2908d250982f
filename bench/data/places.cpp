#include "data/places.hpp"

#include <cstring>
#include <vector>

namespace bench {

const bifold::Operator& argmax() { return bifold::argmax_operator(bifold::Type::i32); }

bool is_argmax(const bifold::Operator& op) { return op == argmax(); }

bifold::Operator element_operator(const bifold::Operator& op) {
  return is_argmax(op) ? bifold::Operator(bifold::maximum) : op;
}

bifold::Type place_type(bifold::Type element) {
  return bifold::visit_scalar_type(element, [](auto zero) {
    return bifold::type_of<bifold::Indexed<bifold::accumulator_t<decltype(zero)>>>();
  });
}

std::optional<Mismatch> check_places(bifold::Queue& queue, const bifold::ErasedView& output,
                                     const HostData& data, const Matrix& matrix) {
  std::vector<std::byte> found(output.count * bifold::size_of(output.type));
  queue.download_bytes(output, found.data(), output.count);
  return bifold::visit_scalar_type(data.type(), [&](auto zero) -> std::optional<Mismatch> {
    using T = decltype(zero);
    using Number = bifold::accumulator_t<T>;
    const auto* const input = reinterpret_cast<const T*>(data.input());
    const bifold::Lines lines = matrix.lines();
    for (std::uint64_t line = 0; line < output.count; ++line) {
      const std::uint64_t first = matrix.axis == 0 ? line : line * lines.length;
      bifold::Indexed<Number> best{static_cast<Number>(input[first]), 0};
      for (std::uint64_t k = 1; k < lines.length; ++k) {
        const auto x =
            static_cast<Number>(input[first + k * static_cast<std::uint64_t>(lines.stride)]);
        if (x > best.value) best = {x, k};
      }
      bifold::Indexed<Number> there;
      std::memcpy(&there, found.data() + line * sizeof there, sizeof there);
      if (there != best) return Mismatch{line, best.index, there.index};
    }
    return {};
  });
}

}  // namespace bench
