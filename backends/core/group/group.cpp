#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/group/group.hpp>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/process.hpp"
#include "core/group/group_state.hpp"

namespace bifold {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

// All ranks are here: bytes are copied.
class InProcess final : public Transport {
 public:
  explicit InProcess(std::uint32_t ranks) : ranks_(ranks) {
    std::iota(ranks_.begin(), ranks_.end(), 0U);
  }

  [[nodiscard]] std::uint32_t size() const override {
    return static_cast<std::uint32_t>(ranks_.size());
  }
  [[nodiscard]] std::vector<std::uint32_t> local_ranks() const override { return ranks_; }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  Deadline /*deadline*/) override {
    std::copy(mine.begin(), mine.end(), all.begin());
  }

  void exchange(std::span<const Outgoing> sent, std::span<const Incoming> received,
                Deadline /*deadline*/) override {
    for (const Incoming& to : received) {
      const auto from = std::find_if(sent.begin(), sent.end(), [&to](const Outgoing& one) {
        return one.from == to.from && one.to == to.to;
      });
      if (from == sent.end() || from->bytes.size() != to.bytes.size()) {
        throw Error(ErrorCategory::backend_failure, "a message that nobody sent");
      }
      std::copy(from->bytes.begin(), from->bytes.end(), to.bytes.begin());
    }
  }

 private:
  std::vector<std::uint32_t> ranks_;
};

}  // namespace

Group::Group(std::shared_ptr<Transport> transport, const GroupOptions& options) try
    : state_(core::make_state<detail::GroupState>()) {
  if (!transport) refuse("a group without a transport");
  if (options.deadline <= std::chrono::nanoseconds{0}) refuse("a group's deadline is positive");
  state_->deadline = options.deadline;
  state_->size = transport->size();
  state_->local = transport->local_ranks();
  const std::vector<std::uint32_t>& local = state_->local;
  const bool ascending =
      std::adjacent_find(local.begin(), local.end(), std::greater_equal<>()) == local.end();
  if (local.empty() || !ascending || local.back() >= state_->size) {
    refuse("a group's local ranks are ascending numbers below its size, at least one");
  }
  state_->streams = dynamic_cast<StreamTransport*>(transport.get());
  state_->transport = std::move(transport);
} catch (...) {
  detail::rethrow();
}

Group Group::in_process(std::uint32_t ranks) try {
  return Group(std::make_shared<InProcess>(ranks));
} catch (...) {
  detail::rethrow();
}

detail::GroupState& Group::state() const {
  if (!state_) core::refuse_moved_from("Group");
  core::refuse_forked();
  return *state_;
}

std::uint32_t Group::size() const { return state().size; }

const std::vector<std::uint32_t>& Group::local_ranks() const { return state().local; }

}  // namespace bifold
