"""Functions of tensors of CUDA into new tensors, which are repeated without the package.

Each gives None where that cannot be: then another function is to do the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from .. import _core
from .._base import errors
from .._repeated import repeated
from . import _kernels
from ._results import axis_of
from ._state import direct

_core.put_names(torch.dtype)


@repeated
def _total(
    x: torch.Tensor, op: str, *, axis: int | None, keepdims: bool, dtype: torch.dtype | None
) -> torch.Tensor | None:
    return _kernels.total(op, x, axis, keepdims, dtype, learns=True) if direct(x) else None


@repeated
def _extreme(x: torch.Tensor, op: str, *, axis: int | None, keepdims: bool) -> torch.Tensor | None:
    return _kernels.extreme(op, x, axis, keepdims, learns=True) if direct(x) else None


@repeated
def _scan(
    x: torch.Tensor, op: str, *, axis: int | None, dtype: torch.dtype | None, reverse: bool
) -> torch.Tensor | None:
    dim = 0 if axis is None else axis
    return _kernels.scan(op, x, dim, dtype, reverse, learns=True) if direct(x) else None


def _all(x: torch.Tensor, dim: int) -> bool:
    """Whether a tensor has the one dimension: then calls of other lengths are known, too."""
    return x.dim() == 1 and axis_of(dim, 1) == 0


def total(
    op: str,
    x: torch.Tensor,
    dim: int | Sequence[int] | None,
    keepdim: bool,
    dtype: torch.dtype | None,
) -> torch.Tensor | None:
    """sum() and prod()."""
    if dim is not None:
        if type(dim) is not int:
            return None
        if _all(x, dim):
            dim = None
    try:
        return _total(x, op, axis=dim, keepdims=keepdim, dtype=dtype)
    except errors.Unsupported:  # As the stream is captured, say.
        return None


def extreme(
    op: str, x: torch.Tensor, dim: int | Sequence[int] | None, keepdim: bool
) -> torch.Tensor | None:
    """amin() and amax()."""
    if dim is not None:
        if dim == ():
            dim = None
        elif type(dim) is not int:
            return None
        elif _all(x, dim):
            dim = None
    try:
        return _extreme(x, op, axis=dim, keepdims=keepdim)
    except errors.Unsupported:
        return None


def scan(
    op: str, x: torch.Tensor, dim: int, dtype: torch.dtype | None, reverse: bool
) -> torch.Tensor | None:
    """cumsum() and cumprod()."""
    if type(dim) is not int:
        return None
    try:
        return _scan(x, op, axis=None if _all(x, dim) else dim, dtype=dtype, reverse=reverse)
    except errors.Unsupported:
        return None
