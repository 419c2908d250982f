"""The calls, as users see them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _cuda, _opencl
from ._arguments import checked
from ._calls import Settings, reduce_to_array, reduce_to_host, scan
from ._operators import MapLike, OperatorLike, map_of
from ._queues import Event


@checked
def reduce(
    x: Any,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    dtype: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Any:
    """Blocks. The reduction of all elements, as a NumPy scalar.

    Args:
        x: an array of any shape, contiguous if it lies on a device; the README lists the kinds.
        op: the name of a built-in operator, or an Operator. Elements keep their order, C order,
            where it does not commute.
        init: folded in exactly once, in front. Without one, nothing gives the operator's identity,
            but +0.0 for sums of floating values, fields of structs included.
        dtype: of accumulation and result. By default that of an Operator, else that of an `init`
            with a dtype, else that of `x`: int8 is not widened, unlike in numpy.sum().
        variant: a row of the gallery in place of ``"production"``.
        order: ``"v1"``: floating results have the same bits on every device. ``"any"``: they come
            as fast as can be, also from devices that flush denormals or round otherwise.
        queue: a Queue, a pyopencl.CommandQueue, or a stream of CuPy or PyTorch. By default the
            array's own; for arrays of the host default_queue().
        wait: events, of this package, PyOpenCL or CuPy, after which the call starts.

    Raises:
        InvalidArgument: dtype, memory layout, operator, `init` and queue do not go together, or
            nothing is reduced by an operator without identity and no `init` is there. A dtype has
            to hold `init`; Python's floats are rounded to it.
        Unsupported: the device or the variant cannot do it.
        BuildFailure: an operator's text does not compile.
        Error: the base class of these and of the driver's failures.
    """
    return reduce_to_host(x, None, op, None, init, dtype, Settings(variant, order, queue, wait))


@checked
def transform_reduce(
    x: Any,
    map: MapLike,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    y: Any = None,
    dtype: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Any:
    """Blocks. The reduction of a function of each element: reduce() without a pass of its own.

    Args:
        x, op, init, variant, order, queue, wait: as in reduce().
        map: an expression over ``x`` and its index ``i``, such as ``"x * x"``, or a Map.
        y: a second array, of the shape of `x` and of any dtype, whose elements the map knows as
            ``y``: ``transform_reduce(a, "x * y", y=b)``.
        dtype: of the map's results, of accumulation and of the result; by default as in reduce().

    Raises:
        BuildFailure: the map does not compile; otherwise as reduce().
    """
    settings = Settings(variant, order, queue, wait)
    return reduce_to_host(x, y, op, map_of(map), init, dtype, settings)


@checked
def reduce_into(
    x: Any,
    out: Any,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
) -> Any:
    """Enqueues the reduction into an array of one element. Blocks where an array is the host's.

    Args:
        x, op, init, variant, order, queue, wait: as in reduce().
        out: of any kind and of size 1; its dtype is the one of accumulation.
        done: an Event that becomes the call's completion.

    Returns:
        `out`.

    Raises:
        InvalidArgument: `out` is read-only, or not one element; otherwise as reduce().
    """
    settings = Settings(variant, order, queue, wait, done)
    return reduce_to_array(x, None, out, op, None, init, settings)


@checked
def transform_reduce_into(
    x: Any,
    out: Any,
    map: MapLike,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    y: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
) -> Any:
    """Enqueues what transform_reduce() computes, as reduce_into() does."""
    settings = Settings(variant, order, queue, wait, done)
    return reduce_to_array(x, y, out, op, map_of(map), init, settings)


@checked
def inclusive_scan(
    x: Any,
    out: Any = None,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    dtype: Any = None,
    accumulate: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
) -> Any:
    """Enqueues ``out[i] = op over init, x[0], ..., x[i]``. Blocks where an array is the host's.

    Args:
        x: an array of shape ``(n,)``, contiguous if it lies on a device.
        out: an array of the same shape, of any kind; `x` itself scans in place. By default a new
            one of the kind of `x`.
        op: the name of a built-in operator, or an Operator.
        init: a number that the output's dtype holds; by default none.
        dtype: of a new output; by default as in reduce().
        accumulate: the dtype of accumulation; by default the output's.
        variant: a row of the gallery in place of ``"production"``.
        order: as in reduce().
        queue: as in reduce().
        wait: events after which the call starts.
        done: an Event that becomes the call's completion.

    Returns:
        The output.

    Raises:
        InvalidArgument: shapes, dtypes, memory layout and queue do not go together, or `x` and
            `out` overlap without being the same.
        Error: otherwise as reduce().
    """
    settings = Settings(variant, order, queue, wait, done)
    return scan("inclusive", x, out, op, None, init, dtype, accumulate, settings)


@checked
def exclusive_scan(
    x: Any,
    out: Any = None,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    dtype: Any = None,
    accumulate: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
) -> Any:
    """Enqueues ``out[i] = op over init, x[0], ..., x[i - 1]``; `init` comes first.

    Without `init` the first value is what reduce() gives of nothing: the operator's identity, but
    +0.0 for sums of floating values. An operator that has no identity is InvalidArgument then.
    Arguments, result and errors are those of inclusive_scan().
    """
    settings = Settings(variant, order, queue, wait, done)
    return scan("exclusive", x, out, op, None, init, dtype, accumulate, settings)


@checked
def transform_inclusive_scan(
    x: Any,
    map: MapLike,
    out: Any = None,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    dtype: Any = None,
    accumulate: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
) -> Any:
    """Enqueues inclusive_scan() of a function of each element, without a pass of its own.

    Args:
        map: an expression over ``x`` and its index ``i``, or a Map; its value is of the dtype of
            accumulation.

    The other arguments, result and errors are those of inclusive_scan().
    """
    settings = Settings(variant, order, queue, wait, done)
    return scan("inclusive", x, out, op, map_of(map), init, dtype, accumulate, settings)


@checked
def transform_exclusive_scan(
    x: Any,
    map: MapLike,
    out: Any = None,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    dtype: Any = None,
    accumulate: Any = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
) -> Any:
    """Enqueues exclusive_scan() of a function of each element: see transform_inclusive_scan()."""
    settings = Settings(variant, order, queue, wait, done)
    return scan("exclusive", x, out, op, map_of(map), init, dtype, accumulate, settings)


def release_adopted() -> None:
    """Lets go of the contexts, queues and streams that calls on arrays have adopted.

    The last of them are kept, with their compiled kernels and their scratch memory, because
    adopting anew costs more than a call. Calls in other threads end undisturbed.
    """
    _opencl.forget()
    _cuda.forget()
