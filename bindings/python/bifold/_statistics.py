"""Mean, variance, norm and logarithms of sums of exponentials, each of one reading.

Without an axis, reductions block and give NumPy scalars. With one, or where `out` is given, they
are enqueued and give arrays of the kind of `x`, as reduce() does.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ._arrays.kinds import operand_of
from ._arrays.operands import ResultOperand
from ._axes import axes_of, reduced_shape
from ._base import types
from ._base.arguments import checked
from ._base.kinds import AXIS
from ._base.queues import Event
from ._calls import Call
from ._reduce import check_results
from ._reductions import Where, put_results, values_of
from ._repeated import FOUND_INTO, Repeated, repeated
from ._scans import check_target, places_of
from ._settings import Settings
from ._workspaces import Workspace


def _mean_of(dtype: np.dtype) -> np.dtype:
    """The dtype of a mean: float64 of integers, float32 of 16 bits."""
    return np.dtype(np.float64) if dtype.kind in "iub" else types.accumulated(dtype)


def _norm_of(dtype: np.dtype) -> np.dtype:
    """The dtype of a norm: of complex numbers that of their parts."""
    return np.empty(0, dtype).real.dtype if dtype.kind == "c" else _mean_of(dtype)


def _reduce(
    function: str,
    x: Any,
    out: Any,
    where: Where,
    of: Callable[[np.dtype], np.dtype],
    settings: Settings,
    *,
    dtype: np.dtype | None,
    accumulate: np.dtype | None = None,
    arguments: tuple[Any, ...] = (),
) -> Any:
    with Call(x, settings, out=out) as call:
        axes = axes_of(where.axis, len(call.input.shape))
        scalar = out is None and where.one
        if out is not None:
            check_results(call, where.axis, where.keepdims)
        elif scalar:
            put_results(call, where, dtype or of(call.input.dtype))
        else:
            shape = reduced_shape(call.input.shape, axes, where.keepdims)
            call.make_output(shape, dtype or of(call.input.dtype))
        # Known calls have no other arguments.
        again = Repeated(FOUND_INTO, finish=values_of if scalar else None)
        call.run(
            function,
            *arguments,
            axes=axes,
            accumulate=accumulate,
            repeated=None if arguments else again,
        )
        return values_of(call.answer) if scalar else call.answer


@repeated
@checked
def mean(
    x: Any,
    out: Any = None,
    *,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    accumulate: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """The mean of real or complex numbers: their sum divided by their number; NaN of nothing.

    It is computed in float64 and rounded once, and has the same bits on every device.

    Args:
        x, axis, keepdims, variant, order, queue, wait: as in reduce().
        out, done, workspace: as in reduce_into(). By default a new array.
        dtype: of the result: floating, or complex for complex numbers. By default float64 for
            integers, float32 for 16 bits, and otherwise that of `x`.
        accumulate: float32, as for devices without float64, or float64.

    Raises:
        InvalidArgument: structs, or other dtypes than those; otherwise as reduce().
    """
    settings = Settings(variant, order, queue, wait, done, workspace)
    more = {"dtype": dtype, "accumulate": accumulate}
    return _reduce("bifold_mean_into", x, out, Where(axis, keepdims), _mean_of, settings, **more)


@checked
def variance(
    x: Any,
    out: Any = None,
    *,
    ddof: float = 0,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    accumulate: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """The variance of real numbers: the mean square of what each is off the mean.

    NaN where an element is not finite. The array is read once.

    Args:
        ddof: what is taken from the number of elements, by which the sum of squares is divided; 1
            gives the sample variance. Below 0 it is divided by 0.
        x, out, axis, keepdims, dtype, accumulate, variant, order, queue, wait, done, workspace: as
            in mean().
    """
    settings = Settings(variant, order, queue, wait, done, workspace)
    more = {"dtype": dtype, "accumulate": accumulate, "arguments": (ctypes.c_double(ddof),)}
    where = Where(axis, keepdims)
    return _reduce("bifold_variance_into", x, out, where, _mean_of, settings, **more)


@checked
def variance_mean(
    x: Any,
    *,
    ddof: float = 0,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    accumulate: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> tuple[Any, Any]:
    """The variance and the mean of real numbers, of one reading.

    Args:
        x, ddof, axis, keepdims, dtype, accumulate, variant, order, queue, wait: as in variance();
            both results are of `dtype`.
    """
    where = Where(axis, keepdims)
    with Call(x, Settings(variant, order, queue, wait)) as call:
        axes = axes_of(axis, len(call.input.shape))
        shape = reduced_shape(call.input.shape, axes, keepdims)
        of = dtype or _mean_of(call.input.dtype)
        if where.one:
            both = [ResultOperand(np.empty(shape, of)) for _ in range(2)]
        else:
            both = [operand_of(call.input.empty(call, shape, of)) for _ in range(2)]
        call.put_output(*both)
        call.run(
            "bifold_variance_mean_into",
            ctypes.c_double(ddof),
            axes=axes,
            accumulate=accumulate,
            written=2,
        )
        if where.one:
            return values_of(both[0].array), values_of(both[1].array)
        return call.answer


@repeated
@checked
def norm(
    x: Any,
    out: Any = None,
    *,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    accumulate: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """The Euclidean norm of real or complex numbers; 0 of nothing.

    It is the root of the sum of squared magnitudes, of all elements or along axes. No square
    overflows or underflows before the norm does.

    Args:
        x, out, axis, keepdims, accumulate, variant, order, queue, wait, done, workspace: as in
            mean().
        dtype: as in mean(), but floating.
    """
    settings = Settings(variant, order, queue, wait, done, workspace)
    more = {"dtype": dtype, "accumulate": accumulate}
    return _reduce("bifold_norm_into", x, out, Where(axis, keepdims), _norm_of, settings, **more)


@repeated
@checked
def logsumexp(
    x: Any,
    out: Any = None,
    *,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """The logarithm of the sum of exp(x), which does not overflow; -infinity of nothing.

    exp and log are bifold's own, so that it has the same bits on every device.

    Args:
        x, out, axis, keepdims, variant, order, queue, wait, done, workspace: as in mean().
        dtype: of the result, floating, which is that of accumulation too, but for 16 bits. By
            default as in mean().
    """
    settings = Settings(variant, order, queue, wait, done, workspace)
    where = Where(axis, keepdims)
    return _reduce("bifold_logsumexp_into", x, out, where, _mean_of, settings, dtype=dtype)


@repeated
@checked(axis=AXIS)
def cumulative_logsumexp(
    x: Any,
    out: Any = None,
    *,
    axis: int | None = None,
    reverse: bool = False,
    dtype: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """Enqueues ``out[i]``, the logarithm of the sum of exp over ``x[0]`` to ``x[i]``.

    Args:
        x, axis, reverse, variant, order, queue, wait, done, workspace: as in inclusive_scan().
        out: as there. By default a new array of `dtype`.
        dtype: as in logsumexp().
    """
    settings = Settings(variant, order, queue, wait, done, workspace)
    with Call(x, settings, out=out) as call:
        axes, shape = places_of(call, axis)
        if out is None:
            call.make_output(shape, dtype or _mean_of(call.input.dtype))
        check_target(call, shape)
        again = Repeated(FOUND_INTO)
        how = {"scan": True, "reverse": reverse}
        call.run("bifold_cumulative_logsumexp", axes=axes, **how, repeated=again)
        return call.answer
