// From a task's types and operators at run time to those of C++, for peers that are templates.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "data/structs.hpp"
#include "peers/peer.hpp"

namespace bifold::detail {

// A peer's module has nothing of bifold but its headers. Its definitions stay as long as it does.
inline const StructType& keep_right_struct(const StructType& definition) noexcept {
  return definition;
}

}  // namespace bifold::detail

namespace bench {

/// Calls `use` with a zero of the task's type; the storage types are left out.
template <class Use>
auto visit_peer_type(bifold::Type type, Use use) {
  using bifold::Type;
  switch (type.kind()) {
    case Type::i8: return use(std::int8_t{});
    case Type::i16: return use(std::int16_t{});
    case Type::i32: return use(std::int32_t{});
    case Type::i64: return use(std::int64_t{});
    case Type::u8: return use(std::uint8_t{});
    case Type::u16: return use(std::uint16_t{});
    case Type::u32: return use(std::uint32_t{});
    case Type::u64: return use(std::uint64_t{});
    case Type::f32: return use(float{});
    case Type::f64: return use(double{});
    default: break;
  }
  throw std::logic_error("a type that the peer has told to be an obstacle");
}

/// Why a peer that has sums, minima and maxima of the types above cannot do the task; or nothing.
inline std::string obstacle_of_plain_peer(const PeerTask& task) {
  using bifold::OperatorKind;
  if (task.type.is_struct()) return "it is not compared on structs";
  if (bifold::is_storage(task.type)) return "it has no 16-bit floating types";
  if (task.op != OperatorKind::plus && task.op != OperatorKind::minimum &&
      task.op != OperatorKind::maximum) {
    return "only plus, minimum and maximum are compared";
  }
  return {};
}

/// Makes the task's call: Make<T, Plus<T>>, Make<T, Minimum<T>> or Make<T, Maximum<T>> of `Ops`.
template <template <class T, class Op> class Call, class Ops>
std::unique_ptr<PeerCall> make_plain_call(const PeerTask& task) {
  return visit_peer_type(task.type, [&](auto zero) -> std::unique_ptr<PeerCall> {
    using T = decltype(zero);
    switch (task.op) {
      case bifold::OperatorKind::plus:
        // NOLINTNEXTLINE(modernize-use-transparent-functors): libraries know std::plus<T>.
        return std::make_unique<Call<T, typename Ops::template Plus<T>>>(task);
      case bifold::OperatorKind::minimum:
        return std::make_unique<Call<T, typename Ops::template Minimum<T>>>(task);
      case bifold::OperatorKind::maximum:
        return std::make_unique<Call<T, typename Ops::template Maximum<T>>>(task);
      default: break;
    }
    throw std::logic_error("an operator that the peer has told to be an obstacle");
  });
}

/// Why a peer that has those and sums of structs cannot do the task; or nothing.
inline std::string obstacle_of_peer_with_structs(const PeerTask& task) {
  if (!task.type.is_struct()) return obstacle_of_plain_peer(task);
  return task.op == bifold::OperatorKind::plus ? "" : "of structs, only sums are compared";
}

/// make_plain_call() for such a peer.
template <template <class T, class Op> class Call, class Ops>
std::unique_ptr<PeerCall> make_call_with_structs(const PeerTask& task) {
  if (!task.type.is_struct()) return make_plain_call<Call, Ops>(task);
  return visit_struct(task.type, [&](auto zero) -> std::unique_ptr<PeerCall> {
    using T = decltype(zero);
    // NOLINTNEXTLINE(modernize-use-transparent-functors): as above.
    return std::make_unique<Call<T, typename Ops::template Plus<T>>>(task);
  });
}

}  // namespace bench
