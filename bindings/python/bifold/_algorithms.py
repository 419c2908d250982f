"""The calls, as users see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ._arrays import cuda
from ._base import opencl_queues
from ._base.arguments import checked
from ._base.kinds import ARRAYS, AXIS
from ._base.operators import MapLike, OperatorLike
from ._base.queues import Event
from ._reduce import reduce_to_array, reduce_to_host
from ._repeated import repeated
from ._scalars import made_map
from ._scans import Scan, scan
from ._settings import Settings
from ._starts import Accumulation
from ._workspaces import Workspace


@repeated
@checked
def reduce(
    x: Any,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    accumulate: Any = None,
    result_map: str | tuple[str | None, ...] | None = None,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Any:
    """Blocks. The reduction of all elements, as a NumPy scalar.

    With an axis it is the reduction along it, an array of the kind of `x`: on a device it is
    enqueued, as scans are. Each result has the bits that its elements give alone.

    Args:
        x: an array of any shape and layout; the README lists the kinds.
        op: the name of a built-in operator, or an Operator. Elements keep their order, C order,
            where it does not commute.
        init: folded into each result exactly once, in front. Without one, nothing gives the
            operator's identity, but +0.0 for sums of floating values, fields of structs included.
            With an axis also an array of the results' shape, with one for each.
        axis: a dimension, or a tuple of some; None: all. Negative ones count from the last.
        keepdims: the dimensions of `axis` stay, with an extent of 1.
        dtype: of the result. By default that of an Operator, else that of an `init` with a dtype,
            else that of `x`: int8 is not widened, unlike in numpy.sum().
        accumulate: the dtype of accumulation; by default the result's, and with a `result_map` that
            of an Operator.
        result_map: an expression over the accumulator ``s``, such as ``"s.sum / s.count"``: the
            result is its value, converted to `dtype` once. `init` is an accumulator then.
        scalars: values of what the call's texts name besides, by name: numbers, which compile
            nothing when they change, or arrays of one element on a device, read when the call runs.
            NumPy's have their dtype, Python's that of `x`, if it is of their kind; a Map's and an
            Operator's are converted to what it declares.
        variant: a row of the gallery in place of ``"production"``.
        order: ``"v1"``: floating results have the same bits on every device. ``"any"``: they come
            as fast as can be, also from devices that flush denormals or round otherwise.
        queue: a Queue, a pyopencl.CommandQueue, or a stream of CuPy or PyTorch. By default the
            array's own; for arrays of the host default_queue().
        wait: events, of this package, PyOpenCL or CuPy, after which the call starts.

    Raises:
        InvalidArgument: dtype, operator, `init`, `axis` and queue do not go together, or
            nothing is reduced by an operator without identity and no `init` is there. A dtype has
            to hold `init`; Python's floats are rounded to it.
        Unsupported: the device or the variant cannot do it.
        BuildFailure: an operator's text does not compile.
        Error: the base class of these and of the driver's failures.
    """
    settings = Settings(variant, order, queue, wait)
    how = Accumulation(accumulate, result_map, scalars)
    return _reduced(x, None, op, None, init, dtype, axis, keepdims, settings, how)


def _reduced(
    x: Any,
    y: Any,
    op: OperatorLike,
    map: MapLike | None,
    init: Any,
    dtype: Any,
    axis: Any,
    keepdims: bool,
    settings: Settings,
    how: Accumulation,
) -> Any:
    if axis is None and not keepdims:
        return reduce_to_host(x, y, op, map, init, dtype, settings, how)
    results = reduce_to_array(
        x, y, None, op, map, init, settings, axis=axis, keepdims=keepdims, dtype=dtype, how=how
    )
    # One result of the host is a scalar, as NumPy has it.
    return results[()] if isinstance(results, np.ndarray) and results.ndim == 0 else results


@repeated
@checked(y=ARRAYS)
def transform_reduce(
    x: Any,
    map: MapLike,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    y: Any = None,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    accumulate: Any = None,
    result_map: str | tuple[str | None, ...] | None = None,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Any:
    """Blocks. The reduction of a function of each element: reduce() without a pass of its own.

    Args:
        x, op, init, axis, keepdims, accumulate, result_map, scalars, variant, order, queue, wait:
            as in reduce().
        map: an expression over ``x`` and its index ``i``, such as ``"x * x"``, or a Map. Along
            an axis, ``i`` is the index in the line.
        y: a second array, of the shape of `x` and of any dtype, whose elements the map knows as
            ``y``: ``transform_reduce(a, "x * y", y=b)``; or a tuple of up to three that lie alike,
            ``y``, ``z`` and ``w``.
        dtype: of the result, by default as in reduce(). The map's value is converted to the dtype
            of accumulation.

    Raises:
        BuildFailure: the map does not compile; otherwise as reduce().
    """
    settings = Settings(variant, order, queue, wait)
    how = Accumulation(accumulate, result_map, scalars)
    return _reduced(x, y, op, made_map(map, scalars), init, dtype, axis, keepdims, settings, how)


@repeated
@checked(out=ARRAYS)
def reduce_into(
    x: Any,
    out: Any,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    axis: Any = None,
    keepdims: bool = False,
    accumulate: Any = None,
    result_map: str | tuple[str | None, ...] | None = None,
    scalars: Mapping[str, Any] | None = None,
    count_from: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """Enqueues the reduction into an array. Blocks where an array is the host's.

    Args:
        x, op, init, axis, keepdims, accumulate, result_map, scalars, variant, order, queue, wait:
            as in reduce().
        out: of any kind and layout, and of the results' shape; without an axis of size 1.
        count_from: an array of one uint32 or uint64, read when the call runs: of all elements, or
            of each line, only so many count.
        done: an Event that becomes the call's completion.
        workspace: scratch memory to use instead of the queue's own, as a CUDA graph wants it.

    Returns:
        `out`.

    Raises:
        InvalidArgument: `out` is read-only, has another shape, overlaps itself or an input;
            otherwise as reduce().
    """
    settings = Settings(variant, order, queue, wait, done, workspace)
    return reduce_to_array(
        x,
        None,
        out,
        op,
        None,
        init,
        settings,
        axis=axis,
        keepdims=keepdims,
        count=count_from,
        how=Accumulation(accumulate, result_map, scalars),
    )


@repeated
@checked(out=ARRAYS, y=ARRAYS)
def transform_reduce_into(
    x: Any,
    out: Any,
    map: MapLike,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    y: Any = None,
    axis: Any = None,
    keepdims: bool = False,
    accumulate: Any = None,
    result_map: str | tuple[str | None, ...] | None = None,
    scalars: Mapping[str, Any] | None = None,
    count_from: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """Enqueues what transform_reduce() computes, as reduce_into() does."""
    settings = Settings(variant, order, queue, wait, done, workspace)
    return reduce_to_array(
        x,
        y,
        out,
        op,
        made_map(map, scalars),
        init,
        settings,
        axis=axis,
        keepdims=keepdims,
        count=count_from,
        how=Accumulation(accumulate, result_map, scalars),
    )


@repeated
@checked(axis=AXIS, out=ARRAYS)
def inclusive_scan(
    x: Any,
    out: Any = None,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    axis: int | None = None,
    reverse: bool = False,
    dtype: Any = None,
    accumulate: Any = None,
    result_map: str | tuple[str | None, ...] | None = None,
    scalars: Mapping[str, Any] | None = None,
    total: Any = None,
    count_from: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """Enqueues ``out[i] = op over init, x[0], ..., x[i]``. Blocks where an array is the host's.

    Args:
        x: an array of any shape and layout.
        out: an array of the output's shape, of any kind and layout; `x` itself scans in place. By
            default a new one of the kind of `x`. A tuple of up to four that lie alike receives what
            as many texts of `result_map` make.
        op: the name of a built-in operator, or an Operator.
        init: a number that the output's dtype holds, or an array of one on a device; by default
            none. With an axis also an array of the lines' shape, that of `x` without the axis.
        axis: the dimension to scan along: each line as if it were alone, to the bit. None: `x` is
            scanned as one array of shape ``(n,)``, in C order, and so is the output.
        reverse: scans from the last element to the first: ``out[i] = op over x[i], ..., x[n - 1],
            init``, of an exclusive scan without ``x[i]``. Operands keep their order.
        dtype: of a new output; by default as in reduce().
        accumulate: the dtype of accumulation; by default as in reduce().
        result_map: as in reduce(), for each output. `total` stays an accumulator.
        scalars: as in reduce().
        total: an array that receives what all of a line gives, with `init`: of the lines' shape and
            the dtype of accumulation, float32 for float16.
        count_from: as in reduce_into(); behind so many elements nothing is written.
        variant: a row of the gallery in place of ``"production"``.
        order: as in reduce().
        queue: as in reduce().
        wait: events after which the call starts.
        done: an Event that becomes the call's completion.
        workspace: as in reduce_into().

    Returns:
        The output.

    Raises:
        InvalidArgument: shapes, dtypes and queue do not go together, `x` and `out` overlap without
            being the same, or elements of `out` overlap.
        Error: otherwise as reduce().
    """
    settings = Settings(variant, order, queue, wait, done, workspace)
    how = Scan(
        "inclusive", axis, reverse, Accumulation(accumulate, result_map, scalars), total, count_from
    )
    return scan(how, x, out, op, None, init, dtype, settings)


@repeated
@checked(axis=AXIS, out=ARRAYS)
def exclusive_scan(
    x: Any,
    out: Any = None,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    axis: int | None = None,
    reverse: bool = False,
    dtype: Any = None,
    accumulate: Any = None,
    result_map: str | tuple[str | None, ...] | None = None,
    scalars: Mapping[str, Any] | None = None,
    total: Any = None,
    count_from: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """Enqueues ``out[i] = op over init, x[0], ..., x[i - 1]``; `init` comes first.

    Without `init` the first value is what reduce() gives of nothing: the operator's identity, but
    +0.0 for sums of floating values. An operator that has no identity is InvalidArgument then.
    Arguments, result and errors are those of inclusive_scan().
    """
    settings = Settings(variant, order, queue, wait, done, workspace)
    how = Scan(
        "exclusive", axis, reverse, Accumulation(accumulate, result_map, scalars), total, count_from
    )
    return scan(how, x, out, op, None, init, dtype, settings)


@repeated
@checked(axis=AXIS, out=ARRAYS, y=ARRAYS)
def transform_inclusive_scan(
    x: Any,
    map: MapLike,
    out: Any = None,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    y: Any = None,
    axis: int | None = None,
    reverse: bool = False,
    dtype: Any = None,
    accumulate: Any = None,
    result_map: str | tuple[str | None, ...] | None = None,
    scalars: Mapping[str, Any] | None = None,
    total: Any = None,
    count_from: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """Enqueues inclusive_scan() of a function of each element, without a pass of its own.

    Args:
        map: an expression over ``x`` and its index ``i``, or a Map; its value is of the dtype of
            accumulation. Of other arrays it names the elements of the same index ``y``, ``z`` and
            ``w``.
        y: another array of the shape of `x`, or a tuple of up to three that lie alike.

    The other arguments, result and errors are those of inclusive_scan().
    """
    settings = Settings(variant, order, queue, wait, done, workspace)
    how = Scan(
        "inclusive", axis, reverse, Accumulation(accumulate, result_map, scalars), total, count_from
    )
    return scan(how, x, out, op, made_map(map, scalars), init, dtype, settings, y)


@repeated
@checked(axis=AXIS, out=ARRAYS, y=ARRAYS)
def transform_exclusive_scan(
    x: Any,
    map: MapLike,
    out: Any = None,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    y: Any = None,
    axis: int | None = None,
    reverse: bool = False,
    dtype: Any = None,
    accumulate: Any = None,
    result_map: str | tuple[str | None, ...] | None = None,
    scalars: Mapping[str, Any] | None = None,
    total: Any = None,
    count_from: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """Enqueues exclusive_scan() of a function of each element: see transform_inclusive_scan()."""
    settings = Settings(variant, order, queue, wait, done, workspace)
    how = Scan(
        "exclusive", axis, reverse, Accumulation(accumulate, result_map, scalars), total, count_from
    )
    return scan(how, x, out, op, made_map(map, scalars), init, dtype, settings, y)


def release_adopted() -> None:
    """Lets go of the contexts, queues and streams that calls on arrays have adopted.

    The last of them are kept, with their compiled kernels and their scratch memory, because
    adopting anew costs more than a call. Calls in other threads end undisturbed.
    """
    opencl_queues.forget()
    cuda.forget()
