"""The functions as operators of torch.ops.bifold, with what PyTorch wants to know of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from . import _functions, _gradients, _kernels
from ._results import axes_of, axis_of, check_elements, check_some, reduced, total_of

Tensor = torch.Tensor

_TOTAL = "(Tensor input, int[]? dim=None, bool keepdim=False, ScalarType? dtype=None) -> Tensor"
_FOUND = "(Tensor input, int[]? dim=None, bool keepdim=False) -> Tensor"
_SCAN = "(Tensor input, int dim, ScalarType? dtype=None, bool reverse=False) -> Tensor"
_EXTREMES = "(Tensor input, int dim, bool reverse=False) -> (Tensor values, Tensor indices)"


class Operator(NamedTuple):
    """One operator.

    Attributes:
        schema: its arguments and results.
        kernel: computes results.
        shaped: makes tensors like results.
        batched: computes results of many tensors, which are one with another dimension.
        keep, gradient: of an operator with a gradient, what is kept and what follows from it.
    """

    schema: str
    kernel: Callable[..., Any]
    shaped: Callable[..., Any]
    batched: Callable[..., Any]
    keep: Any = None
    gradient: Any = None


def _shaped_total(x: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    _, kind = total_of(x.dtype, dtype)
    return x.new_empty(reduced(x.shape, axes_of(dim, x.dim()), keepdim), dtype=kind)


def _shaped_extreme(name: str, x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    check_elements(x.dtype)
    axes = axes_of(dim, x.dim())
    check_some(x.shape, axes, name)
    kind = torch.int64 if name.startswith("arg") else x.dtype
    return x.new_empty(reduced(x.shape, axes, keepdim), dtype=kind)


def _shaped_scan(x: Tensor, dim: int, dtype: Any = None, reverse: bool = False) -> Tensor:
    axis_of(dim, x.dim())
    return x.new_empty(x.shape, dtype=total_of(x.dtype, dtype)[1])


def _shaped_extremes(x: Tensor, dim: int, reverse: bool = False) -> tuple[Tensor, Tensor]:
    axis_of(dim, x.dim())
    check_elements(x.dtype)
    return x.new_empty(x.shape), x.new_empty(x.shape, dtype=torch.int64)


def _batched_reduction(
    name: str, _: Any, in_dims: Any, x: Tensor, dim: Any = None, keepdim: bool = False, *more: Any
) -> tuple[Tensor, int]:
    x = x.movedim(in_dims[0], 0)
    axes = [axis + 1 for axis in axes_of(dim, x.dim() - 1)]
    operator = _functions.operator_of(name)
    if axes:
        return operator(x, axes, keepdim, *more), 0
    return operator(x.unsqueeze(1), [1], False, *more), 0


def _batched_scan(
    name: str, _: Any, in_dims: Any, x: Tensor, dim: int, *more: Any
) -> tuple[Any, Any]:
    x = x.movedim(in_dims[0], 0)
    axis = axis_of(dim, x.dim() - 1)
    lone = x.dim() == 1
    results = _functions.operator_of(name)(x.unsqueeze(1) if lone else x, axis + 1, *more)
    if isinstance(results, Tensor):
        return (results.squeeze(1) if lone else results), 0
    return tuple(one.squeeze(1) if lone else one for one in results), (0, 0)


_TOTALS = (_TOTAL, _shaped_total, _batched_reduction)
_SCANS = (_SCAN, _shaped_scan, _batched_scan)
_PAIRS = (_EXTREMES, _shaped_extremes, _batched_scan)
_of, _g = functools.partial, _gradients


def _extreme(name: str) -> tuple[Any, ...]:
    return _FOUND, _of(_shaped_extreme, name), _batched_reduction


_TABLE: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "sum": (_of(_kernels.total, "plus"), _TOTALS, (_g.keep_shape, _g.of_sum)),
    "prod": (_of(_kernels.total, "multiplies"), _TOTALS, (_g.keep_input, _g.of_prod)),
    "amax": (_of(_kernels.extreme, "maximum"), _extreme("amax"), ()),
    "amin": (_of(_kernels.extreme, "minimum"), _extreme("amin"), ()),
    "argmax": (_of(_kernels.find, False), _extreme("argmax"), ()),
    "argmin": (_of(_kernels.find, True), _extreme("argmin"), ()),
    "cumsum": (_of(_kernels.scan, "plus"), _SCANS, (_g.keep_shape, _g.of_cumsum)),
    "cumprod": (_of(_kernels.scan, "multiplies"), _SCANS, (_g.keep_input, _g.of_cumprod)),
    "cummax": (_of(_kernels.scan_extremes, False), _PAIRS, ()),
    "cummin": (_of(_kernels.scan_extremes, True), _PAIRS, ()),
}
_ALL = {
    name: Operator(schema, kernel, shaped, _of(batched, name), *gradient)
    for name, (kernel, (schema, shaped, batched), gradient) in _TABLE.items()
}
_DEFAULTS = {"dim": None, "keepdim": False, "dtype": None, "reverse": False}


def _complete(operator: Operator, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
    """All arguments behind the input, in the schema's order."""
    words = operator.schema.partition(")")[0].split(", ")[1:]
    names = [word.partition("=")[0].split()[-1] for word in words]
    rest = [named.get(name, _DEFAULTS[name]) for name in names[len(arguments) :]]
    return [*arguments, *rest]


def _memory(x: Tensor) -> Tensor:
    """A tensor without what belongs to the dispatcher above kernels."""
    x = (x.detach() if x.requires_grad else x).resolve_neg().resolve_conj()
    return x if type(x) is Tensor else x.as_subclass(Tensor)


def _as_kernel(operator: Operator) -> Callable[..., Any]:
    def kernel(x: Tensor, *arguments: Any, **named: Any) -> Any:
        return operator.kernel(_memory(x), *_complete(operator, arguments, named))

    return kernel


def _refuse(name: str) -> Callable[..., None]:
    def refuse(*_: Any, **__: Any) -> None:
        raise _functions.no_gradient(name)

    return refuse


def _refuse_forward(name: str) -> Callable[..., None]:
    def refuse(*_: Any) -> None:
        raise _functions.no_forward_gradient(name)

    return refuse


def _register() -> Any:
    """Defines torch.ops.bifold; what is returned has to be kept."""
    library = torch.library.Library("bifold", "DEF")
    for name, operator in _ALL.items():
        full = f"bifold::{name}"
        library.define(name + operator.schema)
        for place in ("CPU", "CUDA"):
            library.impl(name, _as_kernel(operator), place)
        torch.library.register_fake(full, operator.shaped, lib=library)
        if hasattr(torch.library, "register_vmap"):
            torch.library.register_vmap(full, operator.batched, lib=library)
        keep, gradient = operator.keep, operator.gradient
        if name in _functions.NO_GRADIENT:
            keep = gradient = _refuse(name)
        if gradient is not None:
            torch.library.register_autograd(full, gradient, setup_context=keep, lib=library)
            if operator.gradient is not None:
                _functions.TRANSFORMABLE[name] = _transformable(name, operator)
        _functions.OPERATORS[name] = getattr(torch.ops.bifold, name).default
    return library


def _transformable(name: str, operator: Operator) -> Callable[..., Any]:
    """An operator for torch.func's transforms, which see no gradient of a registered one."""
    members = {
        "forward": staticmethod(lambda *arguments: _functions.OPERATORS[name](*arguments)),
        "setup_context": staticmethod(operator.keep),
        "backward": staticmethod(operator.gradient),
        "vmap": staticmethod(operator.batched),
        "jvp": staticmethod(_refuse_forward(name)),
    }
    function: Any = type(name, (torch.autograd.Function,), members)

    def call(x: Tensor, *arguments: Any, **named: Any) -> Any:
        return function.apply(x, *_complete(operator, arguments, named))

    return call


class _WithGradient(torch.autograd.Function):
    """Calls an operator that is not registered."""

    @staticmethod
    def forward(ctx: Any, operator: Operator, x: Tensor, *arguments: Any) -> Any:
        result = operator.kernel(_memory(x), *arguments)
        ctx.operator = operator
        operator.keep(ctx, (x, *arguments), result)
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return (None, *ctx.operator.gradient(ctx, *grads))


def _unregistered(operator: Operator) -> Callable[..., Any]:
    def call(x: Tensor, *arguments: Any, **named: Any) -> Any:
        complete = _complete(operator, arguments, named)
        if x.requires_grad and torch.is_grad_enabled() and operator.gradient is not None:
            return _WithGradient.apply(operator, x, *complete)
        return operator.kernel(_memory(x), *complete)

    return call


if hasattr(torch.library, "register_autograd"):
    _library = _register()
else:
    _functions.OPERATORS.update({name: _unregistered(one) for name, one in _ALL.items()})
