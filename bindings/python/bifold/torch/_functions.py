"""The functions, as users call them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.overrides import handle_torch_function, has_torch_function_unary

from .._base import errors
from . import _kernels, _known
from ._results import Extremes, axis_of
from ._state import compiling, is_memory, plain, transforms

Tensor = torch.Tensor
# The operators of PyTorch, by the names of the functions: _operators puts them here.
OPERATORS: dict[str, Callable[..., Any]] = {}
TRANSFORMABLE: dict[str, Callable[..., Any]] = {}
NO_GRADIENT = ("amax", "amin", "cummax", "cummin")


def no_gradient(name: str) -> errors.Unsupported:
    """What is raised where somebody wants a gradient that there is none of."""
    return errors.Unsupported(
        f"{name}() has no gradient, and its input requires one: pass input.detach(), or call it "
        "within torch.no_grad()"
    )


def no_forward_gradient(name: str) -> errors.Unsupported:
    """The same of a gradient of the forward mode."""
    return errors.Unsupported(f"{name}() has no gradient of the forward mode")


def _check(name: str, x: Tensor, out: Any) -> None:
    """Raises what the dispatcher would have other errors for."""
    if x.layout is not torch.strided or x.device.type not in ("cpu", "cuda", "meta"):
        raise errors.Unsupported(
            f"{name}() takes dense tensors of CUDA and of the CPU, not one that is {x.layout} on "
            f"{x.device}"
        )
    outputs = out if isinstance(out, tuple) else (out,)
    wanted = x.requires_grad or any(getattr(one, "requires_grad", False) for one in outputs)
    if wanted and torch.is_grad_enabled() and not name.startswith("arg"):
        if out is not None:
            raise errors.InvalidArgument(f"{name}() into out has no gradient; detach() both")
        if name in NO_GRADIENT:
            raise no_gradient(name)
    if forward_ad._current_level >= 0 and forward_ad.unpack_dual(x).tangent is not None:
        raise no_forward_gradient(name)


def _check_one(dim: Any, x: Any) -> None:
    """WrongType where `dim` is no int; whether a tensor has such a dimension is found out later."""
    if dim is not None and type(dim) is not int:
        axis_of(dim, x.dim() if isinstance(x, Tensor) else 1)


def _made(
    known: Callable[..., Any], kernel: Callable[..., Any], what: Any, x: Any, out: Any, *how: Any
) -> Any:
    """The results for a tensor that PyTorch has no say in; None for others."""
    if not plain(x):
        return None
    if out is None and x.is_cuda:
        try:
            result = known(x, what, *how)
        except errors.Unsupported:  # As the stream is captured, say.
            result = None
        if result is not None:
            return result
    return kernel(what, x, *how, out) if is_memory(x) else None


def operator_of(name: str) -> Callable[..., Any]:
    """What PyTorch's dispatcher, and transforms that are active, are asked by."""
    operator = OPERATORS[name]
    if not compiling() and transforms():
        return TRANSFORMABLE.get(name, operator)
    return operator


def _through(function: Callable[..., Any], x: Any, out: Any, **arguments: Any) -> Any:
    """A call that PyTorch has a say in: of gradients, traces, transforms, classes of tensors."""
    name = function.__name__
    if not isinstance(x, Tensor):
        raise errors.WrongType(f"{name}(): input must be a tensor, not {type(x).__name__}")
    if not compiling():
        if has_torch_function_unary(x):
            return handle_torch_function(function, (x,), x, out=out, **arguments)
        _check(name, x, out)
    if "keepdim" in arguments and isinstance(arguments["dim"], int):
        arguments["dim"] = [arguments["dim"]]
    result = operator_of(name)(x, **arguments)
    if out is None:
        return Extremes(*result) if isinstance(result, tuple) else result
    if isinstance(out, tuple):
        return Extremes(*(_put(one, to) for one, to in zip(result, out)))
    return _put(result, out)


def _put(result: Tensor, out: Tensor) -> Tensor:
    if out.shape != result.shape:
        if out.numel() != 0:
            raise errors.InvalidArgument(
                f"out has shape {tuple(out.shape)}, the results have {tuple(result.shape)}"
            )
        out.resize_(result.shape)
    if out.dtype != result.dtype:
        raise errors.InvalidArgument(f"out has elements of {out.dtype}, results {result.dtype}")
    return out.copy_(result)


def _typed(dtype: torch.dtype | None, out: Any) -> torch.dtype | None:
    """The type of results: an output's own, where none is given."""
    return out.dtype if dtype is None and isinstance(out, Tensor) else dtype


def sum(
    input: Tensor,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The sum of elements, as torch.sum(). Has a gradient.

    Args:
        input: a tensor of bool, integers, floating or complex values, of any shape and strides.
        dim: one dimension or some; None, or none: all. Negative ones count from the last.
        keepdim: reduced dimensions stay, with an extent of 1.
        dtype: of the result: by default int64 of integers and bool, else the input's. Elements
            are converted first; for a result of 16-bit floats that is to float32.
        out: receives the result: of its shape, or empty, and of its type.

    Returns:
        A tensor without the dimensions of `dim`. Of no elements, sums are 0.

    Raises:
        InvalidArgument: elements are of another type; `dim` names no dimension, or one twice;
            `out` does not fit; the tensor is the CPU's and use_cpu() was not called.
        WrongType: `input` is no tensor, `dim` no int.
        Unsupported: the tensor is sparse or on another device; bifold.Error: the device fails.
    """
    made = _made(_known.total, _kernels.total, "plus", input, out, dim, keepdim, dtype)
    if made is not None:
        return made
    dtype = _typed(dtype, out)
    return _through(sum, input, out, dim=dim, keepdim=keepdim, dtype=dtype)


def prod(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The product of elements, as torch.prod(). Has a gradient, also at zeros.

    Arguments, result and errors are those of sum(); `dim` is one dimension, or None for all. Of no
    elements, products are 1.
    """
    _check_one(dim, input)
    made = _made(_known.total, _kernels.total, "multiplies", input, out, dim, keepdim, dtype)
    if made is not None:
        return made
    dtype = _typed(dtype, out)
    return _through(prod, input, out, dim=dim, keepdim=keepdim, dtype=dtype)


def amax(
    input: Tensor,
    dim: int | Sequence[int] | None = (),
    keepdim: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The greatest of elements, as torch.amax(); NaN if there is one, +0 of zeros of both signs.

    Arguments, result and errors are those of sum(); the result has the input's type. It has no
    gradient.

    Raises:
        InvalidArgument: also where a result is one of no elements.
        Unsupported: also where the input requires a gradient.
    """
    dim = None if dim == () else dim
    made = _made(_known.extreme, _kernels.extreme, "maximum", input, out, dim, keepdim)
    if made is not None:
        return made
    return _through(amax, input, out, dim=dim, keepdim=keepdim)


def amin(
    input: Tensor,
    dim: int | Sequence[int] | None = (),
    keepdim: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The least of elements, as torch.amin(); -0 of zeros of both signs, else as amax()."""
    dim = None if dim == () else dim
    made = _made(_known.extreme, _kernels.extreme, "minimum", input, out, dim, keepdim)
    if made is not None:
        return made
    return _through(amin, input, out, dim=dim, keepdim=keepdim)


def argmax(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Where the greatest element is, as torch.argmax(): the first of equals, and of NaNs.

    Unlike there, +0 is greater than -0, and elements may be of bool.

    Args:
        input: as in sum().
        dim: along which one; None: among all, by the index in C order.
        keepdim: as in sum().
        out: receives the result.

    Returns:
        Indices, of int64.

    Raises:
        InvalidArgument: also where a result is one of no elements; otherwise as sum().
    """
    _check_one(dim, input)
    made = _made(_known.find, _kernels.find, False, input, out, dim, keepdim)
    if made is not None:
        return made
    return _through(argmax, input, out, dim=dim, keepdim=keepdim)


def argmin(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Where the least element is, as torch.argmin(); -0 is less than +0, else as argmax()."""
    _check_one(dim, input)
    made = _made(_known.find, _kernels.find, True, input, out, dim, keepdim)
    if made is not None:
        return made
    return _through(argmin, input, out, dim=dim, keepdim=keepdim)


def cumsum(
    input: Tensor,
    dim: int,
    *,
    dtype: torch.dtype | None = None,
    out: Tensor | None = None,
    reverse: bool = False,
) -> Tensor:
    """The sums up to each element, as torch.cumsum(). Has a gradient.

    Args:
        input: as in sum().
        dim: along which one.
        dtype: as in sum().
        out: receives the result: of its shape, or empty, and of its type. It may be `input`.
        reverse: the sums from the last element to each one.

    Returns:
        A tensor of the input's shape.

    Raises:
        As sum().
    """
    made = _made(_known.scan, _kernels.scan, "plus", input, out, dim, dtype, reverse)
    if made is not None:
        return made
    dtype = _typed(dtype, out)
    return _through(cumsum, input, out, dim=dim, dtype=dtype, reverse=reverse)


def cumprod(
    input: Tensor,
    dim: int,
    *,
    dtype: torch.dtype | None = None,
    out: Tensor | None = None,
    reverse: bool = False,
) -> Tensor:
    """The products up to each element, as torch.cumprod(). Has a gradient, also at zeros.

    Arguments, result and errors are those of cumsum().
    """
    made = _made(_known.scan, _kernels.scan, "multiplies", input, out, dim, dtype, reverse)
    if made is not None:
        return made
    dtype = _typed(dtype, out)
    return _through(cumprod, input, out, dim=dim, dtype=dtype, reverse=reverse)


def cummax(
    input: Tensor,
    dim: int,
    *,
    out: tuple[Tensor, Tensor] | None = None,
    reverse: bool = False,
) -> Extremes:
    """The greatest elements up to each one and where they are, as torch.cummax().

    Of equals it is the last one that the scan has come by, and of NaNs, too. It has no gradient.

    Args:
        input, dim, reverse: as in cumsum().
        out: receives values, of the input's type, and indices, of int64.

    Returns:
        Extremes of the input's shape.

    Raises:
        Unsupported: also where the input requires a gradient; otherwise as sum().
    """
    if plain(input) and is_memory(input):
        return _kernels.scan_extremes(False, input, dim, reverse, out)
    return _through(cummax, input, out, dim=dim, reverse=reverse)


def cummin(
    input: Tensor,
    dim: int,
    *,
    out: tuple[Tensor, Tensor] | None = None,
    reverse: bool = False,
) -> Extremes:
    """The least elements up to each one and where they are, as torch.cummin(); else as cummax()."""
    if plain(input) and is_memory(input):
        return _kernels.scan_extremes(True, input, dim, reverse, out)
    return _through(cummin, input, out, dim=dim, reverse=reverse)
