"""What the operators do, with tensors that are nothing but memory of CUDA or of the CPU."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from .._base import errors
from .._base.operators import Map, Operator
from .._base.types import struct_type
from .._workspaces import Workspace
from . import _calls, _cpu
from ._results import Extremes, axes_of, axis_of, check_elements, check_some, reduced, total_of

_CONTIGUOUS = torch.contiguous_format


def _write_nothing(x: torch.Tensor) -> None:
    x.as_strided((0,), (1,)).zero_()


# The earliest versions of PyTorch have nothing of the kind.
_increment_version = getattr(torch.autograd.graph, "increment_version", _write_nothing)


def _call(
    function: Any,
    x: torch.Tensor,
    out: torch.Tensor,
    *arguments: Any,
    learns: bool = False,
    **named: Any,
) -> None:
    """Calls one of _calls; a function that `learns` it has made the output, a tensor of CUDA."""
    if not x.is_cuda:
        given = _cpu.array_of(x), _cpu.array_of(out)
        function(*given, *arguments, queue=_cpu.queue(), **named)
        return
    try:
        if learns:
            _calls.into_new(function, x, out, *arguments, queue=None, **named)
        else:
            function(x, out, *arguments, queue=None, **named)
    except errors.Unsupported as refused:
        _into_graph(refused, function, x, out, *arguments, **named)


def _into_graph(
    refused: errors.Unsupported,
    function: Any,
    x: torch.Tensor,
    out: torch.Tensor,
    *arguments: Any,
    **named: Any,
) -> None:
    """Calls one of _calls again, where it was refused as the stream's work is captured in a graph.

    Its scratch memory is PyTorch's then, which keeps it for the graph: work behind the call may
    have it, also in the next launch.
    """
    if not torch.cuda.is_current_stream_capturing():
        raise refused
    size = 1 << 16
    most = 4 * (x.numel() * x.element_size() + out.numel() * out.element_size()) + (64 << 20)
    while True:
        with Workspace(x.new_empty((size,), dtype=torch.uint8)) as workspace:
            try:
                function(x, out, *arguments, queue=None, workspace=workspace, **named)
                return
            except errors.InvalidArgument:  # It is too small.
                if size > most:
                    raise
        size *= 4


def _check_out(x: torch.Tensor, out: torch.Tensor, shape: Sequence[int], kind: torch.dtype) -> None:
    """InvalidArgument where an output does not fit. It gets its shape where it is empty."""
    if not isinstance(out, torch.Tensor):
        raise errors.WrongType(f"out must be a tensor, not {type(out).__name__}")
    if out.device != x.device or out.dtype is not kind:
        raise errors.InvalidArgument(
            f"out has elements of {out.dtype} on {out.device}, results are of {kind} on {x.device}"
        )
    if out.requires_grad:
        raise errors.InvalidArgument("out requires a gradient: pass out.detach()")
    if list(out.shape) != list(shape):
        if out.numel() != 0:
            raise errors.InvalidArgument(
                f"out has shape {tuple(out.shape)}, the results have {tuple(shape)}"
            )
        out.resize_(shape)
    if out.is_neg():
        raise errors.InvalidArgument("out is a negated view: pass out.resolve_neg()")
    if out.is_conj():
        raise errors.InvalidArgument("out is a conjugated view: pass out.resolve_conj()")
    # Gradients that were to be of what was there are refused.
    _increment_version(out)


def _wanted(dtype: torch.dtype | None, out: Any) -> torch.dtype | None:
    """The type of results that is asked for; WrongType where an output is no tensor."""
    if out is None:
        return dtype
    if not isinstance(out, torch.Tensor):
        raise errors.WrongType(f"out must be a tensor, not {type(out).__name__}")
    return out.dtype if dtype is None else dtype


def scan(
    op: str,
    x: torch.Tensor,
    dim: int,
    dtype: torch.dtype | None,
    reverse: bool,
    out: torch.Tensor | None = None,
    *,
    learns: bool = False,
) -> torch.Tensor:
    """cumsum() and cumprod(); into a new tensor of CUDA for a function that `learns` it."""
    cast, kind = total_of(x.dtype, dtype if out is None else _wanted(dtype, out))
    if cast is not None:
        x, learns = x.to(cast), False
    dimensions = x.dim()
    axis: int | None = dim
    if type(dim) is not int or not -dimensions <= dim < dimensions:
        axis = axis_of(dim, dimensions)
    if dimensions <= 1:
        axis = None  # Then calls of other lengths are known, too.
    if out is None:
        out = torch.empty_like(x, dtype=kind, memory_format=_CONTIGUOUS)
    else:
        _check_out(x, out, x.shape, kind)
    target = out
    if dimensions == 0:
        x, target, learns = x.reshape(1), out.view(1), False
    _call(_calls.scan_into, x, target, op, learns=learns, axis=axis, reverse=reverse)
    return out


def _lines_along(
    x: torch.Tensor, dim: int | Sequence[int] | None
) -> tuple[torch.Tensor, int | None, Sequence[int]]:
    """The elements of each result along one axis of a tensor, or all of them for None.

    Third, the shape of results without the dimensions of `dim`.
    """
    count = x.dim()
    if type(dim) is int and -count <= dim < count and count > 1:
        shape = list(x.shape)
        del shape[dim]
        return x, dim, shape
    axes = None if dim is None or dim == () else axes_of(dim, count)
    if axes is None or len(axes) == count:
        return (x if x.is_contiguous() else x.reshape(-1)), None, ()
    rest = [d for d in range(count) if d not in axes]
    # A view, unless no single stride leads through the axes.
    lines = x.permute(*rest, *axes).flatten(len(rest))
    return lines, len(rest), lines.shape[:-1]


def _shape(
    x: torch.Tensor, dim: int | Sequence[int] | None, keepdim: bool, rest: Sequence[int]
) -> Sequence[int]:
    return reduced(x.shape, axes_of(dim, x.dim()), True) if keepdim else rest


def _reduce(
    into: Any,
    x: torch.Tensor,
    what: Any,
    dim: int | Sequence[int] | None,
    keepdim: bool,
    kind: torch.dtype,
    out: torch.Tensor | None,
    learns: bool,
) -> torch.Tensor:
    source, axis, rest = _lines_along(x, dim)
    shape = _shape(x, dim, keepdim, rest)
    if out is None:
        # An empty tuple takes PyTorch twice as long as an empty list.
        out = x.new_empty(list(shape), dtype=kind)
    else:
        _check_out(x, out, shape, kind)
    if learns and (source is x or source.data_ptr() == x.data_ptr()):
        # Nothing was copied, and the call is known by the tensor itself.
        axes = None if axis is None else dim if isinstance(dim, int) else tuple(dim or ())
        _call(into, x, out, what, learns=True, axis=axes, keepdims=keepdim)
    else:
        target = out.view(rest) if keepdim else out
        _call(into, source, target, what, axis=axis, keepdims=False)
    return out


def total(
    op: str,
    x: torch.Tensor,
    dim: int | Sequence[int] | None,
    keepdim: bool,
    dtype: torch.dtype | None,
    out: torch.Tensor | None = None,
    *,
    learns: bool = False,
) -> torch.Tensor:
    """sum() and prod(); into a new tensor of CUDA for a function that `learns` it."""
    cast, kind = total_of(x.dtype, dtype if out is None else _wanted(dtype, out))
    if cast is not None:
        x, learns = x.to(cast), False
    return _reduce(_calls.reduce_into, x, op, dim, keepdim, kind, out, learns)


def extreme(
    op: str,
    x: torch.Tensor,
    dim: int | Sequence[int] | None,
    keepdim: bool,
    out: torch.Tensor | None = None,
    *,
    learns: bool = False,
) -> torch.Tensor:
    """amin() and amax(); into a new tensor of CUDA for a function that `learns` it."""
    check_elements(x.dtype)
    if x.numel() == 0:
        check_some(x.shape, axes_of(dim, x.dim()), "amin" if op == "minimum" else "amax")
    return _reduce(_calls.reduce_into, x, op, dim, keepdim, x.dtype, out, learns)


def find(
    least: bool,
    x: torch.Tensor,
    dim: int | Sequence[int] | None,
    keepdim: bool,
    out: torch.Tensor | None = None,
    *,
    learns: bool = False,
) -> torch.Tensor:
    """argmin() and argmax(); into a new tensor of CUDA for a function that `learns` it."""
    check_elements(x.dtype)
    if x.numel() == 0:
        check_some(x.shape, axes_of(dim, x.dim()), "argmin" if least else "argmax")
    return _reduce(_calls.find_into, x, least, dim, keepdim, torch.int64, out, learns)


# What values are seen as in a pair with an index of the same size, by the letters of NumPy.
_VALUES = {torch.float64: "f8", torch.int64: "i8"}
_VALUES.update({kind: "f4" for kind in (torch.float16, torch.bfloat16, torch.float32)})
_VALUES.update({kind: "i4" for kind in (torch.bool, torch.uint8, torch.int8, torch.int16)})
_VALUES[torch.int32] = "i4"
for _name, _letters in (("uint16", "i4"), ("uint32", "u4"), ("uint64", "u8")):
    if hasattr(torch, _name):
        _VALUES[getattr(torch, _name)] = _letters
# Indices of lines that are longer than 2^31 take eight bytes, values beside them then, too.
_WIDE = {"f4": "f8", "i4": "i8", "u4": "i8"}


@functools.cache
def _pairs(letters: str, least: bool, reverse: bool) -> tuple[Operator, Map]:
    """What a scan of values with their indices is made of."""
    struct = struct_type(
        f"Leading_{letters}", np.dtype([("leading", letters), ("place", f"i{letters[1]}")])
    )
    # Of equals the last one that the scan comes by leads; NaN leads all.
    new, old = ("a", "b") if reverse else ("b", "a")
    leads = f"{new}.leading {'<' if least else '>'}= {old}.leading"
    text = f"{new}.leading != {new}.leading || {leads} ? {new} : {old}"
    op = Operator(f"leading_{letters}", text, dtype=struct)
    return op, Map(f"make_Leading_{letters}(x, i)")


_PARTS = ("s.leading", "s.place")


def scan_extremes(
    least: bool,
    x: torch.Tensor,
    dim: int,
    reverse: bool,
    out: tuple[torch.Tensor, torch.Tensor] | None = None,
) -> Extremes:
    """cummin() and cummax()."""
    check_elements(x.dtype)
    axis = axis_of(dim, x.dim())
    if out is not None:
        _check_out(x, out[0], x.shape, x.dtype)
        _check_out(x, out[1], x.shape, torch.int64)
    source = x if x.dim() else x.reshape(1)
    letters = _VALUES[x.dtype]
    if source.shape[axis] > 2**31:
        letters = _WIDE.get(letters, letters)
    op, map = _pairs(letters, least, reverse)
    values = torch.empty_like(source, memory_format=_CONTIGUOUS)
    indices = torch.empty_like(source, dtype=torch.int64, memory_format=_CONTIGUOUS)
    places = indices if x.is_cuda else _cpu.array_of(indices)
    given = source, values, places, op, map, _PARTS
    _call(_calls.scan_both_into, *given, axis=axis, reverse=reverse)
    if x.dim() == 0:
        values, indices = values.view(()), indices.view(())
    if out is not None:
        return Extremes(out[0].copy_(values), out[1].copy_(indices))
    return Extremes(values, indices)
