"""Scans and reductions inside programs of JAX, on its CPU and CUDA devices.

>>> import bifold.jax, jax
>>> jax.jit(bifold.jax.cumsum)(jax.numpy.arange(4))
Array([0, 1, 3, 6], dtype=int32)

Results have the shapes and dtypes that functions of ``jax.numpy`` with the same names give them;
``reverse`` is that of ``jax.lax``. Floating sums have the same bits on every device. All work under
``jit``, ``vmap``, ``grad``, ``jvp`` and ``shard_map``. Derivatives of sums call bifold, those of
other functions are JAX's own.

On CUDA a call is enqueued on XLA's stream. On the CPU it blocks one of XLA's threads; elements are
copied to the device that use_cpu() names and back. Memory for them, up to 256 MiB an array, is kept
until another device is named.

A failure while a program runs is a jax.errors.JaxRuntimeError with the message of the library.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import _primitives
from ._axes import axes_of
from ._base import errors
from ._base.arguments import checked
from ._base.kinds import AXIS, SELECTOR, Kind

__all__ = [
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "max",
    "min",
    "prod",
    "sum",
    "use_cpu",
]

_OPERATORS = {"sum": "plus", "prod": "multiplies", "max": "maximum", "min": "minimum"}
_BOOL = np.dtype(bool)
_ELEMENTS = {np.dtype(f"{kind}{size}") for kind in ("i", "u") for size in (1, 2, 4, 8)}
_ELEMENTS |= {np.dtype(kind) for kind in (_BOOL, "f2", "f4", "f8", jnp.bfloat16, "c8", "c16")}


def _array(x: Any) -> jax.Array:
    # Nothing asks an array for its memory: that would wait for it.
    try:
        array = x if isinstance(x, jax.Array) else jnp.asarray(x)
    except OverflowError as failure:
        raise ValueError(failure) from None
    if array.dtype not in _ELEMENTS:
        raise ValueError(f"elements of {array.dtype} are not taken")
    return array


_ARRAY = Kind("an array of JAX", _array)


def _result(x: jax.Array, name: str, dtype: Any) -> np.dtype:
    """The dtype that jax.numpy gives the result."""
    if dtype is not None:
        wanted = np.dtype(jax.dtypes.canonicalize_dtype(dtype))
        if wanted not in _ELEMENTS - {_BOOL}:
            raise errors.InvalidArgument(f"results of {wanted} are not made")
        if x.dtype.kind == "c" and wanted.kind != "c":
            raise errors.InvalidArgument(f"results of {wanted} are not made of {x.dtype}")
        return wanted
    sums = name in ("sum", "prod")
    if x.dtype.kind == "c" and not sums and name not in ("cumsum", "cumprod"):
        raise errors.InvalidArgument(f"{name} of {x.dtype}: complex numbers have no extremes")
    if x.dtype == _BOOL and (sums or name in ("cumsum", "cumprod")):
        return jax.dtypes.canonicalize_dtype(np.int64)
    if sums and x.dtype.kind in "iu":
        wide = jax.dtypes.canonicalize_dtype(np.dtype(f"{x.dtype.kind}8"))
        return wide if x.dtype.itemsize < wide.itemsize else x.dtype
    return x.dtype


def _worked_on(dtype: np.dtype) -> np.dtype:
    """The library has no bool: it is 0 or 1."""
    return np.dtype(np.uint8) if dtype == _BOOL else dtype


def _ready(x: jax.Array, dtype: np.dtype) -> jax.Array:
    """The array as a primitive takes it: its elements promote to those of the result."""
    x = x.astype(_worked_on(x.dtype))
    # The library does not convert complex numbers.
    promotes = dtype.kind != "c" and jnp.promote_types(x.dtype, dtype) == dtype
    return x if promotes else x.astype(dtype)


@functools.partial(jax.jit, static_argnames=("name", "axis", "reverse", "dtype"))
def _scan(x: Any, name: str, axis: int, reverse: bool, dtype: np.dtype) -> jax.Array:
    of = _worked_on(dtype)
    op = _OPERATORS[name.removeprefix("cum")]
    return _primitives.scan(_ready(x, of), op, axis, reverse, of).astype(dtype)


def _cumulated(x: Any, name: str, axis: int | None, reverse: bool, dtype: Any = None) -> jax.Array:
    if axis is None:
        x, axis = x.reshape(-1), 0
    (along,) = axes_of((axis,), x.ndim)
    return _scan(x, name, along, reverse, _result(x, name, dtype))


@functools.partial(jax.jit, static_argnames=("name", "axes", "keepdims", "dtype"))
def _reduce(x: Any, name: str, axes: tuple[int, ...], keepdims: bool, dtype: np.dtype) -> jax.Array:
    of = _worked_on(dtype)
    first = axes[0] if axes else 0
    if axes != tuple(range(first, first + len(axes))):
        # Neighbours, in C order.
        x, first = jnp.moveaxis(x, axes, range(-len(axes), 0)), x.ndim - len(axes)
    made = _primitives.reduce(_ready(x, of), _OPERATORS[name], first, len(axes), of)
    return (jnp.expand_dims(made, axes) if keepdims else made).astype(dtype)


def _reduced(x: Any, name: str, axis: Any, keepdims: bool, dtype: Any = None) -> jax.Array:
    axes = axes_of(axis, x.ndim)
    if name in ("max", "min") and math.prod(x.shape[a] for a in axes) == 0:
        raise errors.InvalidArgument(f"the {name} of no elements")
    return _reduce(x, name, axes, keepdims, _result(x, name, dtype))


@checked(x=_ARRAY, axis=AXIS)
def cumsum(x: Any, axis: int | None = None, reverse: bool = False, dtype: Any = None) -> jax.Array:
    """Cumulative sum along an axis, as jax.numpy.cumsum(); a shape like that of `x`.

    Args:
        x: an array of JAX, or what jax.numpy.asarray() takes: of bool, integers, floats or complex.
        axis: along which. None: the array is flattened.
        reverse: from the last element to the first, as jax.lax.cumsum() does it.
        dtype: of the result, and of accumulation; 16-bit floats are accumulated as float32. None:
            that of `x`, int32 or int64 for bool.

    Raises:
        InvalidArgument: there is no such axis, or no such elements; WrongType: no array.
    """
    return _cumulated(x, "cumsum", axis, reverse, dtype)


@checked(x=_ARRAY, axis=AXIS)
def cumprod(x: Any, axis: int | None = None, reverse: bool = False, dtype: Any = None) -> jax.Array:
    """Cumulative product along an axis, as jax.numpy.cumprod(); see cumsum()."""
    return _cumulated(x, "cumprod", axis, reverse, dtype)


@checked(x=_ARRAY, axis=AXIS)
def cummax(x: Any, axis: int | None = None, reverse: bool = False) -> jax.Array:
    """Cumulative maximum along an axis, as jax.lax.cummax(); NaN propagates. See cumsum()."""
    return _cumulated(x, "cummax", axis, reverse)


@checked(x=_ARRAY, axis=AXIS)
def cummin(x: Any, axis: int | None = None, reverse: bool = False) -> jax.Array:
    """Cumulative minimum along an axis, as jax.lax.cummin(); NaN propagates. See cumsum()."""
    return _cumulated(x, "cummin", axis, reverse)


@checked(x=_ARRAY)
def sum(
    x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, dtype: Any = None
) -> jax.Array:
    """Sum along axes, as jax.numpy.sum(); 0 of no elements.

    Args:
        x: an array of JAX, or what jax.numpy.asarray() takes: of bool, integers, floats or complex.
        axis: one axis or several; None: all.
        keepdims: whether reduced dimensions are kept, with an extent of 1.
        dtype: of the result, and of accumulation; 16-bit floats are accumulated as float32. None:
            that of `x`, but of small integers and bool the 32 or 64 bits that jax.numpy has.

    Raises:
        InvalidArgument: there is no such axis, or no such elements; WrongType: no array.
    """
    return _reduced(x, "sum", axis, keepdims, dtype)


@checked(x=_ARRAY)
def prod(
    x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, dtype: Any = None
) -> jax.Array:
    """Product along axes, as jax.numpy.prod(); 1 of no elements. See sum()."""
    return _reduced(x, "prod", axis, keepdims, dtype)


@checked(x=_ARRAY)
def max(x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> jax.Array:
    """Maximum along axes, as jax.numpy.max(); NaN propagates. See sum().

    Raises:
        InvalidArgument: there are no elements.
    """
    return _reduced(x, "max", axis, keepdims)


@checked(x=_ARRAY)
def min(x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> jax.Array:
    """Minimum along axes, as jax.numpy.min(); NaN propagates. See sum().

    Raises:
        InvalidArgument: there are no elements.
    """
    return _reduced(x, "min", axis, keepdims)


@checked(selector=SELECTOR)
def use_cpu(selector: str) -> None:
    """Opens the device that works on arrays of JAX's CPU from now on; else it is "opencl:cpu".

    Programs that are compiled already use it, too.

    Args:
        selector: as of bifold.open_device().

    Raises:
        Unavailable: there is no such device.
    """
    _primitives.use_cpu(selector)
