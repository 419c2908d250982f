#include "measure/arena.hpp"

#include "measure/timing.hpp"

namespace bench {

bifold::ErasedView elements_of(bifold::Buffer<std::uint8_t>& buffer, bifold::Type type,
                               std::uint64_t first, std::uint64_t count) {
  bifold::ErasedView view = buffer.view();
  view.type = type;
  view.byte_offset += first * bifold::size_of(type);
  view.count = count;
  return view;
}

std::optional<Mismatch> check_call(bifold::Queue& queue, const Configuration& what,
                                   const Arena& arena, const std::function<void()>& enqueue,
                                   Verifier& verifier, Equality equality) {
  const auto& [data, input, output, reference] = arena;
  const bool one_value = what.only_reads();
  queue.fill(output, one_value ? poison(data.total(what.n)) : poison(output.type));
  enqueue();
  queue.finish(wait_limit);
  if (is_argmax(what.op) && what.matrix) return check_places(queue, output, data, *what.matrix);
  if (what.matrix) {
    const auto& expected = reference.outputs(data, what.data, what.matrix_call());
    return verifier.check_elements(queue, output, expected.data(), equality);
  }
  if (one_value) return verifier.check_reduce(queue, output, data, what.n, equality);
  return verifier.check_scan(queue, output, data, what.kind, equality);
}

}  // namespace bench
