"""Shapes and types of results, as PyTorch has them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import torch

from .._base import errors


class Extremes(NamedTuple):
    """What cummax() and cummin() give, as ``torch.return_types.cummax``.

    Attributes:
        values: the extremes up to each element.
        indices: where along the dimension they stand, int64.
    """

    values: torch.Tensor
    indices: torch.Tensor


_UNSIGNED = [getattr(torch, name, None) for name in ("uint16", "uint32", "uint64")]
INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8]
INTEGERS += [kind for kind in _UNSIGNED if kind is not None]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
COMPLEX = [torch.complex64, torch.complex128]
_ELEMENTS = frozenset([torch.bool, *INTEGERS, *FLOATS])


@functools.cache
def total_of(
    kind: torch.dtype, wanted: torch.dtype | None
) -> tuple[torch.dtype | None, torch.dtype]:
    """What elements are cast to before sums, products and their scans, and the results' type.

    None: to nothing, as they are converted on the way. InvalidArgument where either type is none
    that is summed.
    """
    if kind in COMPLEX or wanted in COMPLEX:
        return _total_of_complex(kind, wanted)
    check_elements(kind)
    if wanted is None:
        return None, kind if kind in FLOATS else torch.int64
    if wanted not in INTEGERS and wanted not in FLOATS:
        raise errors.InvalidArgument(f"results of {wanted} are not computed")
    # Floating values are cut off; those that are 0 then do not count.
    return (wanted if kind in FLOATS and wanted in INTEGERS else None), wanted


def _total_of_complex(
    kind: torch.dtype, wanted: torch.dtype | None
) -> tuple[torch.dtype | None, torch.dtype]:
    if kind not in COMPLEX:
        check_elements(kind)
    wanted = kind if wanted is None else wanted
    if wanted not in COMPLEX:
        raise errors.InvalidArgument(f"results of {wanted} are not computed of {kind}")
    return (None if kind is wanted else wanted), wanted


def check_elements(kind: torch.dtype) -> None:
    """InvalidArgument where a type is none of elements."""
    if kind not in _ELEMENTS:
        raise errors.InvalidArgument(
            f"elements of {kind}: they have to be bool, integers of 8 to 64 bits, float16, "
            "bfloat16, float32 or float64, of sums and products complex64 or complex128, too"
        )


def axis_of(dim: int, dimensions: int) -> int:
    """A dimension, not negative; of a tensor of no dimension 0 is one, too.

    InvalidArgument where there is none, WrongType where `dim` is no int.
    """
    if isinstance(dim, bool) or not isinstance(dim, int):
        raise errors.WrongType(f"dim must be an int, not {type(dim).__name__}")
    count = dimensions or 1
    if not -count <= dim < count:
        raise errors.InvalidArgument(
            f"dim {dim} of a tensor of {dimensions} dimensions is not in [{-count}, {count - 1}]"
        )
    return dim % count


def axes_of(dim: int | Sequence[int] | None, dimensions: int) -> tuple[int, ...]:
    """The dimensions of a reduction in order: for None and for none, all of them."""
    if dim is None:
        return tuple(range(dimensions))
    if isinstance(dim, int):
        return (axis_of(dim, dimensions),)[:dimensions]
    if not isinstance(dim, (tuple, list)):
        raise errors.WrongType(f"dim must be an int or some of them, not {type(dim).__name__}")
    if not dim:
        return tuple(range(dimensions))
    axes = sorted(axis_of(one, dimensions) for one in dim)
    if len(set(axes)) < len(axes):
        raise errors.InvalidArgument(f"dim {tuple(dim)} names one twice")
    return tuple(axes)[:dimensions]


def reduced(shape: Sequence[int], axes: Sequence[int], keepdim: bool) -> list[int]:
    """The shape of a reduction's results."""
    if keepdim:
        return [1 if d in axes else extent for d, extent in enumerate(shape)]
    return [extent for d, extent in enumerate(shape) if d not in axes]


def check_some(shape: Sequence[int], axes: Sequence[int], name: str) -> None:
    """InvalidArgument where a result would be an extreme of nothing."""
    if any(shape[axis] == 0 for axis in axes):
        raise errors.InvalidArgument(f"{name}() of no elements: dim has an extent of 0")
