// The standard library's parallel algorithms on the host's processors, which libstdc++ builds on
// TBB: std::reduce, std::inclusive_scan and std::exclusive_scan. Lines are loops over them.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/version.h>

#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>

#include "peers/visit.hpp"

namespace {

using bench::PeerTask;

struct Ops {
  template <class T>
  using Plus = std::plus<T>;
  template <class T>
  struct Minimum {
    T operator()(T a, T b) const { return std::min(a, b); }
  };
  template <class T>
  struct Maximum {
    T operator()(T a, T b) const { return std::max(a, b); }
  };
};

template <class T, class Op>
class Call final : public bench::PeerCall {
 public:
  explicit Call(const PeerTask& task)
      : task_(task),
        input_(reinterpret_cast<const T*>(task.input)),  // NOLINT(performance-no-int-to-ptr)
        output_(reinterpret_cast<T*>(task.output)),      // NOLINT(performance-no-int-to-ptr)
        identity_(task.identity.as<T>()) {}

  void block(void* value) override {
    const auto* const end = input_ + task_.n;
    const auto& policy = std::execution::par_unseq;
    if (task_.algorithm == bifold::Algorithm::reduce) {
      *static_cast<T*>(value) = std::reduce(policy, input_, end, identity_, Op{});
    } else if (task_.kind == bifold::ScanKind::exclusive) {
      std::exclusive_scan(policy, input_, end, output_, identity_, Op{});
    } else {
      std::inclusive_scan(policy, input_, end, output_, Op{}, identity_);
    }
  }

  void enqueue() override { block(output_); }

  [[nodiscard]] bool only_blocks() const override { return true; }

 private:
  PeerTask task_;
  const T* input_;
  T* output_;
  T identity_;
};

/// The rows or the columns of a dense matrix. Rows are the library's algorithms, many rows at once
/// or one by many threads. Columns are walked row by row, as many side by side as vectors hold.
template <class T, class Op>
class LinesCall final : public bench::PeerCall {
 public:
  using Range = tbb::blocked_range<std::size_t>;

  // NOLINTBEGIN(bugprone-unchecked-optional-access): it is made of tasks that have lines.
  explicit LinesCall(const PeerTask& task)
      : reduces_(task.algorithm == bifold::Algorithm::reduce),
        exclusive_(task.kind == bifold::ScanKind::exclusive),
        along_rows_(task.lines->stride == 1),
        count_(static_cast<std::size_t>(task.lines->count())),
        length_(static_cast<std::size_t>(task.lines->length)),
        input_(reinterpret_cast<const T*>(task.input)),  // NOLINT(performance-no-int-to-ptr)
        output_(reinterpret_cast<T*>(task.output)),      // NOLINT(performance-no-int-to-ptr)
        identity_(task.identity.as<T>()) {}
  // NOLINTEND(bugprone-unchecked-optional-access)

  void enqueue() override {
    constexpr std::size_t few = 64;
    constexpr std::size_t vectors = 256;
    if (!along_rows_) {
      tbb::parallel_for(Range(0, count_, vectors), [this](const Range& range) { columns(range); });
    } else if (count_ < few) {
      for (std::size_t line = 0; line < count_; ++line) row(line, std::execution::par_unseq);
    } else {
      tbb::parallel_for(Range(0, count_), [this](const Range& range) {
        for (std::size_t line = range.begin(); line != range.end(); ++line) {
          row(line, std::execution::unseq);
        }
      });
    }
  }
  void block(void* /*value*/) override { enqueue(); }

 private:
  template <class Policy>
  void row(std::size_t line, const Policy& policy) const {
    const T* const begin = input_ + line * length_;
    const T* const end = begin + length_;
    if (reduces_) {
      output_[line] = std::reduce(policy, begin, end, identity_, Op{});
    } else if (exclusive_) {
      std::exclusive_scan(policy, begin, end, output_ + line * length_, identity_, Op{});
    } else {
      std::inclusive_scan(policy, begin, end, output_ + line * length_, Op{}, identity_);
    }
  }

  void columns(const Range& range) const {
    const auto combine = [&](const T* a, const T* b, T* to) {
      for (std::size_t column = range.begin(); column != range.end(); ++column) {
        to[column] = static_cast<T>(Op{}(a[column], b[column]));
      }
    };
    const std::size_t first = range.begin();
    if (exclusive_ && !reduces_) {
      std::fill_n(output_ + first, range.size(), identity_);
    } else {
      std::copy_n(input_ + first, range.size(), output_ + first);
    }
    for (std::size_t line = 1; line < length_; ++line) {
      const T* const in = input_ + line * count_;
      T* const out = output_ + line * count_;
      if (reduces_) {
        combine(output_, in, output_);
      } else {
        combine(out - count_, exclusive_ ? in - count_ : in, out);
      }
    }
  }

  bool reduces_;
  bool exclusive_;
  bool along_rows_;
  std::size_t count_;
  std::size_t length_;
  const T* input_;
  T* output_;
  T identity_;
};

class Tbb final : public bench::Peer {
 public:
  [[nodiscard]] std::string_view name() const override { return "std, TBB"; }
  [[nodiscard]] std::string version() const override {
    return "libstdc++ " + std::to_string(__GLIBCXX__) + ", TBB " + TBB_runtime_version();
  }
  [[nodiscard]] bench::PeerSide side() const override { return bench::PeerSide::host; }
  [[nodiscard]] bool takes_lines() const override { return true; }
  [[nodiscard]] std::string obstacle(const PeerTask& task) const override {
    if (!task.lines) return bench::obstacle_of_peer_with_structs(task);
    const bifold::Lines& lines = *task.lines;
    if (lines != bifold::Lines::rows(lines.count(), lines.length) &&
        lines != bifold::Lines::columns(lines.length, lines.count())) {
      return "its lines are those of a dense matrix";
    }
    return bench::obstacle_of_plain_peer(task);
  }
  [[nodiscard]] std::unique_ptr<bench::PeerCall> prepare(const PeerTask& task) const override {
    if (task.lines) return bench::make_plain_call<LinesCall, Ops>(task);
    return bench::make_call_with_structs<Call, Ops>(task);
  }
};

}  // namespace

BIFOLD_BENCH_PEER_MODULE(Tbb)
