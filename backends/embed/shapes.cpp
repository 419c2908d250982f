#include "embed/shapes.hpp"

#include <initializer_list>
#include <utility>

#include "core/comparison.hpp"
#include "core/probe.hpp"

namespace bifold::embed {

namespace {

void add(EmbeddedShapes& shapes, Type input, Type result, const Operator& op) {
  for (const Order order : {Order::v1, Order::any}) {
    // What is exact runs the same kernels in either order.
    if (order == Order::any && op.exact(result)) continue;
    ReduceShape reduction{.input = input, .accumulator = result, .op = op};
    reduction.order = order;
    shapes.reductions.push_back(reduction);
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      ScanShape scan{
          .input = input, .output = result, .accumulator = result, .kind = kind, .op = op};
      scan.order = order;
      shapes.scans.push_back(scan);
    }
  }
}

}  // namespace

EmbeddedShapes embedded_shapes() {
  EmbeddedShapes shapes;
  for (const Type type : all_types) {
    for (const Operator& op : std::initializer_list<Operator>{plus, multiplies, minimum, maximum}) {
      add(shapes, type, type, op);
    }
  }
  for (const auto& [from, to] : {std::pair<Type, Type>{Type::i8, Type::i32},
                                 {Type::i8, Type::i64},
                                 {Type::i16, Type::i32},
                                 {Type::i16, Type::i64},
                                 {Type::i32, Type::i64},
                                 {Type::u8, Type::u32},
                                 {Type::u8, Type::u64},
                                 {Type::u16, Type::u32},
                                 {Type::u16, Type::u64},
                                 {Type::u32, Type::u64},
                                 {Type::f32, Type::f64}}) {
    add(shapes, from, to, plus);
  }
  return shapes;
}

void warm_benchmark(const bifold::Device& device) {
  static_cast<void>(core::BandwidthProbe(device));
  for (const Type type : {Type::u8, Type::u16, Type::u32, Type::u64}) {
    core::Comparison::warm(device, type);
  }
}

}  // namespace bifold::embed
