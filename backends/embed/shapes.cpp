#include "embed/shapes.hpp"

#include <initializer_list>
#include <utility>
#include <vector>

#include "core/probe/bandwidth.hpp"
#include "core/probe/comparison.hpp"

namespace bifold::embed {

namespace {

/// The orders whose kernels differ: what is exact runs the same in either.
std::vector<Order> orders_of(const Operator& op, Type accumulator) {
  if (op.exact(accumulator)) return {Order::v1};
  return {Order::v1, Order::any};
}

void add_reductions(EmbeddedShapes& shapes, Type input, Type accumulator, Type result,
                    const Operator& op) {
  for (const Order order : orders_of(op, accumulator)) {
    ReduceShape reduction{.input = input, .accumulator = accumulator, .op = op};
    reduction.order = order;
    if (result != accumulator) reduction.result = result;
    shapes.reductions.push_back(reduction);
  }
}

void add_scans(EmbeddedShapes& shapes, Type input, Type accumulator, Type output,
               const Operator& op) {
  for (const Order order : orders_of(op, accumulator)) {
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      ScanShape scan{
          .input = input, .output = output, .accumulator = accumulator, .kind = kind, .op = op};
      scan.order = order;
      shapes.scans.push_back(scan);
    }
  }
}

void add(EmbeddedShapes& shapes, Type input, Type result, const Operator& op) {
  add_reductions(shapes, input, result, result, op);
  add_scans(shapes, input, result, result, op);
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
  for (const Type type : storage_types) {
    add_reductions(shapes, type, Type::f32, Type::f32, plus);
    add_reductions(shapes, type, Type::f32, type, plus);
    add_scans(shapes, type, Type::f32, type, plus);
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
