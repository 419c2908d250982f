// The C interface: groups of ranks.
#include <algorithm>
#include <bifold/group/distributed.hpp>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "core/c_api/c_api_calls.hpp"
#include "core/c_api/c_api_slices.hpp"
#include "core/group/group_call.hpp"

namespace bifold::c_api {

namespace {

// A transport by functions of the caller's.
class Functions final : public Transport {
 public:
  explicit Functions(const bifold_transport& given)
      : given_(given), ranks_(given.local_ranks, given.local_ranks + given.local_rank_count) {}
  ~Functions() override {
    if (owned_ && given_.release != nullptr) given_.release(given_.user);
  }
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;

  // From now on the caller's object ends with this one.
  void own() noexcept { owned_ = true; }

  [[nodiscard]] std::uint32_t size() const override { return given_.size; }
  [[nodiscard]] std::vector<std::uint32_t> local_ranks() const override { return ranks_; }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  Deadline deadline) override {
    check(given_.all_gather(given_.user, mine.data(), all.data(), mine.size() / ranks_.size(),
                            nanoseconds_to(deadline)),
          "all_gather");
  }
  void exchange(std::span<const Outgoing> sent, std::span<const Incoming> received,
                Deadline deadline) override {
    std::vector<bifold_message> out;
    out.reserve(sent.size());
    for (const Outgoing& one : sent) {
      // The function is told to read it.
      auto* const bytes = const_cast<std::byte*>(one.bytes.data());  // NOLINT(*-const-cast)
      out.push_back({one.from, one.to, bytes, one.bytes.size()});
    }
    std::vector<bifold_message> in;
    in.reserve(received.size());
    for (const Incoming& one : received) {
      in.push_back({one.from, one.to, one.bytes.data(), one.bytes.size()});
    }
    check(given_.exchange(given_.user, out.data(), out.size(), in.data(), in.size(),
                          nanoseconds_to(deadline)),
          "exchange");
  }

 private:
  static std::uint64_t nanoseconds_to(Deadline deadline) {
    const std::chrono::nanoseconds left = deadline - std::chrono::steady_clock::now();
    return left.count() > 0 ? static_cast<std::uint64_t>(left.count()) : 0;
  }
  static void check(bifold_status status, const char* function) {
    if (status == BIFOLD_OK) return;
    const bool known = status > BIFOLD_OK && status <= BIFOLD_BACKEND_FAILURE;
    throw Error(known ? static_cast<ErrorCategory>(status - 1) : ErrorCategory::backend_failure,
                std::string("the transport's ") + function + " returned " + std::to_string(status));
  }

  bifold_transport given_;
  std::vector<std::uint32_t> ranks_;
  bool owned_ = false;
};

DistributedOptions options_from(const bifold_options* options) {
  const bifold_options given =
      read_struct(options, BIFOLD_C_SIZE_TO(bifold_options, accumulate), "options");
  const bool others =
      given.wait_count > 0 || given.done != nullptr || given.workspace != nullptr ||
      given.variant != nullptr || given.count_from != nullptr || given.init_from != nullptr ||
      given.total != nullptr || given.lines != nullptr || given.output_lines != nullptr ||
      given.second_lines != nullptr || given.lines_from != nullptr || given.reverse != 0 ||
      given.result_map != nullptr || given.more_output_count > 0 || given.more_input_count > 0 ||
      given.segments != nullptr || given.keys != nullptr;
  if (others) refuse("calls of a group take the options order and accumulate alone");
  DistributedOptions known;
  known.order = order_from(given.order);
  if (given.accumulate != nullptr) known.accumulate = type_from(*given.accumulate);
  return known;
}

// What calls are given besides their slices.
struct Reduced {
  const Operator& op;
  unsigned char& result;
  Type type;
  std::vector<Slice> slices;
  std::optional<Value> init;
  DistributedOptions options;
};
struct Scanned {
  const Operator& op;
  std::vector<ScanSlice> slices;
  std::optional<Value> init;
  DistributedOptions options;
};

using Search = Value(Group&, const std::vector<Slice>&, const DistributedOptions&);

bifold_status search(Search find, bifold_group* group, const bifold_slice* slices,
                     std::size_t count, void* value, std::uint64_t* index,
                     const bifold_options* options) {
  return guard([&] {
    Group& over = need(group, "group").value;
    const auto [all, known] = core::prepared_over(over, [&] {
      need(static_cast<unsigned char*>(value), "value");
      need(index, "index");
      return std::pair(slices_from(slices, count), options_from(options));
    });
    const Value found = find(over, all, known);
    put_indexed(found, all.front().input.type, value, index);
  });
}

template <class Shape>
bifold_status split(std::uint64_t n, std::uint32_t ranks, const bifold_operator* op,
                    bifold_type accumulator, std::uint64_t* offsets) {
  return guard([&] {
    Shape shape;
    shape.op = need(op, "op").value;
    shape.accumulator = type_from(accumulator);
    std::uint64_t& out = need(offsets, "offsets");
    const std::vector<std::uint64_t> all = even_split(n, ranks, shape);
    std::copy(all.begin(), all.end(), &out);
  });
}

}  // namespace

}  // namespace bifold::c_api

using namespace bifold::c_api;

bifold_status bifold_group_create(const bifold_transport* transport, bifold_group** group) {
  return guard([&] {
    need(group, "group");
    need(transport, "transport");
    const bifold_transport given =
        read_struct(transport, BIFOLD_C_SIZE_TO(bifold_transport, release), "transport");
    if (given.all_gather == nullptr || given.exchange == nullptr) {
      refuse("a transport has both functions");
    }
    if (given.local_rank_count > 0) need(given.local_ranks, "local_ranks");
    const auto functions = std::make_shared<Functions>(given);
    bifold::GroupOptions options;
    constexpr auto most = static_cast<std::uint64_t>(std::chrono::nanoseconds::max().count());
    if (given.deadline > 0) {
      options.deadline = std::chrono::nanoseconds(std::min(given.deadline, most));
    }
    put_handle(group, bifold::Group(functions, options));
    functions->own();
  });
}

bifold_status bifold_group_create_in_process(std::uint32_t ranks, bifold_group** group) {
  return guard([&] {
    need(group, "group");
    put_handle(group, bifold::Group::in_process(ranks));
  });
}

void bifold_group_destroy(bifold_group* group) { delete group; }

bifold_status bifold_group_reduce(bifold_group* group, const bifold_slice* slices,
                                  size_t slice_count, const bifold_operator* op,
                                  const bifold_map* map, bifold_type type, const void* init,
                                  void* result, const bifold_options* options) {
  return guard([&] {
    bifold::Group& over = need(group, "group").value;
    const Reduced given = bifold::core::prepared_over(over, [&] {
      const bifold::Type accumulator = type_from(type);
      return Reduced{need(op, "op").value,
                     need(static_cast<unsigned char*>(result), "result"),
                     accumulator,
                     slices_from(slices, slice_count),
                     init_from(accumulator, init),
                     options_from(options)};
    });
    const bifold::Value value = bifold::transform_reduce(
        over, given.slices, given.type, given.op, given.init, map_or_identity(map), given.options);
    std::memcpy(&given.result, value.data(), value.size());
  });
}

bifold_status bifold_group_argmin(bifold_group* group, const bifold_slice* slices,
                                  size_t slice_count, void* value, uint64_t* index,
                                  const bifold_options* options) {
  return search(bifold::argmin, group, slices, slice_count, value, index, options);
}

bifold_status bifold_group_argmax(bifold_group* group, const bifold_slice* slices,
                                  size_t slice_count, void* value, uint64_t* index,
                                  const bifold_options* options) {
  return search(bifold::argmax, group, slices, slice_count, value, index, options);
}

bifold_status bifold_group_scan(bifold_group* group, bifold_scan_kind kind,
                                const bifold_scan_slice* slices, size_t slice_count,
                                const bifold_operator* op, const bifold_map* map, const void* init,
                                const bifold_options* options) {
  return guard([&] {
    bifold::Group& over = need(group, "group").value;
    const Scanned given = bifold::core::prepared_over(over, [&] {
      if (kind != BIFOLD_INCLUSIVE && kind != BIFOLD_EXCLUSIVE) refuse("no such kind of scan");
      Scanned scanned{
          need(op, "op").value, scan_slices_from(slices, slice_count), {}, options_from(options)};
      const auto& all = scanned.slices;
      if (!all.empty()) scanned.init = init_from(all.front().output.type, init);
      return scanned;
    });
    bifold::transform_scan(over, static_cast<bifold::ScanKind>(kind), given.slices, given.op,
                           given.init, map_or_identity(map), given.options);
  });
}

bifold_status bifold_even_reduce_split(uint64_t n, uint32_t ranks, const bifold_operator* op,
                                       bifold_type accumulator, uint64_t* offsets) {
  return split<bifold::ReduceShape>(n, ranks, op, accumulator, offsets);
}

bifold_status bifold_even_scan_split(uint64_t n, uint32_t ranks, const bifold_operator* op,
                                     bifold_type accumulator, uint64_t* offsets) {
  return split<bifold::ScanShape>(n, ranks, op, accumulator, offsets);
}
