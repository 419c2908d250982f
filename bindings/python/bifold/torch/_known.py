"""Functions of tensors of CUDA into new tensors, which are repeated without the package.

Each gives None where a tensor is more than memory: then another function is to do the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from .. import _core
from .._repeated import repeated
from . import _kernels
from ._state import is_memory

_core.put_names(torch.dtype)

Axis = int | Sequence[int] | None


@repeated
def total(
    x: torch.Tensor, op: str, axis: Axis, keepdims: bool, dtype: torch.dtype | None
) -> torch.Tensor | None:
    """sum() and prod()."""
    return _kernels.total(op, x, axis, keepdims, dtype, learns=True) if is_memory(x) else None


@repeated
def extreme(x: torch.Tensor, op: str, axis: Axis, keepdims: bool) -> torch.Tensor | None:
    """amin() and amax()."""
    return _kernels.extreme(op, x, axis, keepdims, learns=True) if is_memory(x) else None


@repeated
def find(x: torch.Tensor, least: bool, axis: Axis, keepdims: bool) -> torch.Tensor | None:
    """argmin() and argmax()."""
    return _kernels.find(least, x, axis, keepdims, learns=True) if is_memory(x) else None


@repeated
def scan(
    x: torch.Tensor, op: str, axis: int, dtype: torch.dtype | None, reverse: bool
) -> torch.Tensor | None:
    """cumsum() and cumprod()."""
    return _kernels.scan(op, x, axis, dtype, reverse, learns=True) if is_memory(x) else None
