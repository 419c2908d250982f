// Groups over NCCL on a host with several GPUs: the bits of one device's calls, at once and in CUDA
// graphs, with all ranks in a thread and with a thread a rank. nccl_gpus.hpp says how it is built.
#include <algorithm>
#include <chrono>
#include <random>
#include <span>

#include "group/nccl_gpus.hpp"

// x becomes scale * x + shift; one behind the other.
struct Affine {
  float scale;
  float shift;
};

BIFOLD_STRUCT(Affine, scale, shift);

namespace bifold::test {

namespace {

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  const auto left = std::as_bytes(std::span(a));
  const auto right = std::as_bytes(std::span(b));
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}
template <class T>
bool same(const T& a, const T& b) {
  return same(std::vector<T>{a}, std::vector<T>{b});
}

using Offsets = std::vector<std::uint64_t>;

// The array of all ranks, split; and what the first GPU makes of the whole.
template <class T>
struct Case {
  Case(std::vector<Gpu>& gpus, std::vector<T> all, Offsets split)
      : host(std::move(all)), offsets(std::move(split)), whole(gpus[0].queue.upload(view(host))) {
    for (std::size_t rank = 0; rank < gpus.size(); ++rank) {
      const std::uint64_t count = offsets[rank + 1] - offsets[rank];
      inputs.emplace_back(gpus[rank].device, count);
      outputs.emplace_back(gpus[rank].device, count);
      totals.emplace_back(gpus[rank].device, 1);
      gpus[rank].queue.upload(view(host).subspan(offsets[rank], count), inputs[rank]);
    }
  }
  static std::span<const T> view(const std::vector<T>& from) { return from; }

  [[nodiscard]] std::vector<Share> shares(const Process& process) {
    std::vector<Share> shares;
    for (std::size_t i = 0; i < process.gpus.size(); ++i) {
      shares.push_back({process.gpus[i]->queue, inputs[process.ranks[i]].size()});
    }
    return shares;
  }
  [[nodiscard]] std::vector<Slice> slices(const Process& process) {
    std::vector<Slice> slices;
    for (std::size_t i = 0; i < process.gpus.size(); ++i) {
      slices.push_back({process.gpus[i]->queue, inputs[process.ranks[i]]});
    }
    return slices;
  }
  [[nodiscard]] std::vector<ScanSlice> scan_slices(const Process& process, bool with_total) {
    std::vector<ScanSlice> slices;
    for (std::size_t i = 0; i < process.gpus.size(); ++i) {
      const std::uint32_t rank = process.ranks[i];
      slices.push_back({process.gpus[i]->queue, inputs[rank], outputs[rank]});
      if (with_total) slices.back().total = totals[rank];
    }
    return slices;
  }
  [[nodiscard]] std::vector<T> part(const std::vector<T>& all, std::uint32_t rank) const {
    return {all.begin() + static_cast<std::ptrdiff_t>(offsets[rank]),
            all.begin() + static_cast<std::ptrdiff_t>(offsets[rank + 1])};
  }

  std::vector<T> host;
  Offsets offsets;
  Buffer<T> whole;
  std::vector<Buffer<T>> inputs;
  std::vector<Buffer<T>> outputs;
  std::vector<Buffer<T>> totals;
};

// Runs a plan at once, again, and in a graph, and looks at what is left each time.
void run_each_way(const Process& process, const std::function<void()>& run,
                  const std::function<void()>& finish,
                  const std::function<void(const char*)>& look) {
  for (const char* way : {"at once", "again"}) {
    run();
    finish();
    look(way);
  }
  const Graph graph({process.gpus.begin(), process.gpus.end()}, run);
  for (const char* way : {"in a graph", "in a graph again"}) {
    graph.launch();
    finish();
    look(way);
  }
}

// Results of the whole array on one GPU.
template <class T>
struct Wanted {
  Wanted(Gpu& gpu, Case<T>& data, const Operator& op, const T& init) {
    Buffer<T> output(gpu.device, data.host.size());
    Buffer<T> left(gpu.device, 1);
    sum = transform_reduce(gpu.queue, erase(data.whole), type_of<T>(), op, Value(init), {})
              .template as<T>();
    scan(gpu.queue, ScanKind::exclusive, data.whole, output, op, Value(init), {.total = left});
    scanned = gpu.queue.download(output);
    total = gpu.queue.download(left).front();
  }
  T sum;
  T total;
  std::vector<T> scanned;
};

template <class T>
void check_case(Process& process, Case<T>& data, const Wanted<T>& want, const Operator& op,
                const T& init, const std::string& name) {
  const std::vector<Share> shares = data.shares(process);
  constexpr Type type = type_of<T>();
  std::vector<Buffer<T>> results;
  std::vector<ErasedView> views;
  results.reserve(process.gpus.size());
  views.reserve(process.gpus.size());
  for (Gpu* gpu : process.gpus) results.emplace_back(gpu->device, 1);
  for (Buffer<T>& result : results) views.push_back(result);
  GroupReducePlan reduction(process.group, {.input = type, .accumulator = type, .op = op}, shares,
                            Value(init));
  run_each_way(
      process, [&] { reduction.run(data.slices(process), views); }, [&] { reduction.finish(); },
      [&](const char* way) {
        for (std::size_t i = 0; i < views.size(); ++i) {
          const T got = process.gpus[i]->queue.download(results[i]).front();
          check(same(got, want.sum), name + " reduced " + way);
        }
      });
  check(same(reduction.run(data.slices(process)).template as<T>(), want.sum),
        name + " reduced to the host");

  GroupScanPlan scan(process.group,
                     {.input = type,
                      .output = type,
                      .accumulator = type,
                      .kind = ScanKind::exclusive,
                      .op = op,
                      .on_device = {{}, false, true, {}}},
                     shares, Value(init));
  run_each_way(
      process, [&] { scan.run(data.scan_slices(process, true)); }, [&] { scan.finish(); },
      [&](const char* way) {
        for (std::size_t i = 0; i < process.gpus.size(); ++i) {
          const std::uint32_t rank = process.ranks[i];
          Queue& queue = process.gpus[i]->queue;
          check(same(queue.download(data.outputs[rank]), data.part(want.scanned, rank)),
                name + " scanned " + way);
          check(same(queue.download(data.totals[rank]).front(), want.total),
                name + " total " + way);
        }
      });
}

std::vector<float> numbers(std::uint64_t n) {
  std::mt19937 random(7);
  std::vector<float> all(n);
  for (float& x : all) x = static_cast<float>(random()) / 1e9F - 2;
  return all;
}

Offsets even(std::uint64_t n, std::size_t ranks, const ScanShape& shape) {
  return even_split(n, static_cast<std::uint32_t>(ranks), shape);
}

// Two borders of no unit, or one, and ranks without elements.
std::vector<Offsets> splits(std::uint64_t n, std::size_t ranks) {
  std::vector<Offsets> all{even(n, ranks, {.accumulator = Type::f32})};
  for (const std::uint64_t first : {std::uint64_t{5001}, 3 * (n / 4) + 77, std::uint64_t{0}, n}) {
    Offsets offsets(ranks + 1, n);
    offsets[0] = 0;
    offsets[1] = first;
    all.push_back(offsets);
  }
  return all;
}

void check_bits(std::vector<Gpu>& gpus, bool threads) {
  const std::uint64_t n = 3 * (1 << 20) + 12345;
  const std::vector<float> host = numbers(n);
  std::vector<Affine> maps(n / 2);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    maps[i] = {1 + host[2 * i] / 1e6F, host[2 * i + 1]};
  }
  const Operator compose =
      Operator::user("compose", "make_Affine(a.scale * b.scale, a.shift * b.scale + b.shift)",
                     Value(Affine{1, 0}), Commutativity::non_commutative);
  for (const Offsets& offsets : splits(n, gpus.size())) {
    Case<float> sums(gpus, host, offsets);
    const Wanted<float> want(gpus[0], sums, plus, 0.5F);
    const auto greatest = argmax(gpus[0].queue, sums.whole);
    Offsets half = offsets;
    for (std::uint64_t& offset : half) offset /= 2;
    half.back() = maps.size();
    Case<Affine> structs(gpus, maps, half);
    const Wanted<Affine> composed(gpus[0], structs, compose, {1, 2});
    with_processes(gpus, threads, {}, [&](Process& process) {
      check_case(process, sums, want, plus, 0.5F, "f32");
      auto found = GroupReducePlan::argmax(process.group, Type::f32, sums.shares(process));
      check(found.run(sums.slices(process)).as<Indexed<float>>() == greatest, "argmax");
      check(reduce(process.group, sums.slices(process), plus, Value(0.5F)) == Value(want.sum),
            "a blocking call");
      check_case(process, structs, composed, compose, Affine{1, 2}, "structs");
    });
  }
  std::printf("bits, %s: %s\n", threads ? "a thread a rank" : "one thread",
              wrong == 0 ? "all as of one device" : "WRONG");
}

// A rank that does not come is the others' timeout.
void check_deadline(std::vector<Gpu>& gpus) {
  const std::vector<float> host = numbers(1 << 20);
  Case<float> data(gpus, host, even(host.size(), gpus.size(), {.accumulator = Type::f32}));
  with_processes(
      gpus, true, {std::chrono::seconds(3)},
      [&](Process& process) {
        GroupReducePlan plan(process.group, {.input = Type::f32, .accumulator = Type::f32},
                             data.shares(process));
        check(plan.run(data.slices(process)).type() == Type::f32, "a run before");
        if (process.ranks[0] == 0) return;
        const auto begin = std::chrono::steady_clock::now();
        try {
          static_cast<void>(plan.run(data.slices(process)));
          check(false, "a rank that does not come");
        } catch (const Error& error) {
          check(error.category() == ErrorCategory::timeout, error.what());
        }
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        std::printf("deadline of 3 s: given up after %.2f s\n", seconds);
        check(seconds < 20, "a late timeout");
        check(reduce(process.gpus[0]->queue, data.inputs[1], maximum, -9.0F) > -9.0F,
              "the device afterwards");
      },
      false);
}

void run(std::vector<Gpu>& gpus) {
  check_bits(gpus, true);
  check_bits(gpus, false);
  check_deadline(gpus);
}

}  // namespace

}  // namespace bifold::test

int main(int argc, char** argv) { return bifold::test::run_on_gpus(argc, argv, bifold::test::run); }
