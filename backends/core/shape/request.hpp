// What a plan is made for: a device, a shape, and how the shape lies there.
#pragma once

#include <bifold/device.hpp>
#include <utility>

#include "core/shape/layout.hpp"
#include "core/shape/plan_shape.hpp"
#include "core/shape/test_hooks.hpp"

namespace bifold::core {

/// Handed on through planning. It refers to the device.
struct Request {
  Request(const Device& on, PlanShape of, const TestHooks& forced = {})
      : device(on),
        shape(with_scalars(with_operator_of_type(std::move(of)))),
        layout(layout_of(shape, on.capabilities())),
        hooks(forced) {}

  /// Another kernel of the same plan: its shape, laid out as the plan's.
  [[nodiscard]] Request with(PlanShape other) const {
    Request request{device, std::move(other), layout, hooks};
    request.may_go = may_go;
    return request;
  }

  const Device& device;
  PlanShape shape;
  Layout layout;
  TestHooks hooks;
  bool may_go = false;  ///< Whether the device may drop the plan, and its kernels with it.

 private:
  Request(const Device& on, PlanShape of, const Layout& known, const TestHooks& forced)
      : device(on), shape(std::move(of)), layout(known), hooks(forced) {}
};

}  // namespace bifold::core
