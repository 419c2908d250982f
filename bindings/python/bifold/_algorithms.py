"""The calls, as users see them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _cuda, _opencl
from ._calls import _reduce, _reduce_into, _scan
from ._operators import Map, OperatorLike
from ._queues import Event


def _map(map: str | Map) -> Map:
    return map if isinstance(map, Map) else Map(map)


def reduce(
    x: Any,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    dtype: Any = None,
    variant: str | None = None,
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Any:
    """Blocks. The reduction of all elements, as a NumPy scalar.

    Args:
        x: an array of any shape, contiguous if it lies on a device; the README lists the kinds.
        op: the name of a built-in operator, or an Operator. Elements keep their order, C order,
            where it does not commute.
        init: folded in exactly once, in front; the operator's identity by default.
        dtype: of accumulation and result. By default that of an Operator, else that of an `init`
            with a dtype, else that of `x`: int8 is not widened, unlike in numpy.sum().
        variant: a row of the gallery in place of ``"production"``.
        queue: a Queue, a pyopencl.CommandQueue, or a stream of CuPy or PyTorch. By default the
            array's own; for arrays of the host default_queue().
        wait: events, of this package, PyOpenCL or CuPy, after which the call starts.

    Raises:
        InvalidArgument: dtype, memory layout, operator, `init` and queue do not go together.
        Unsupported: the device or the variant cannot do it.
        BuildFailure: an operator's text does not compile.
        Error: the base class of these and of the driver's failures.
    """
    return _reduce(x, op, None, init, dtype, variant, queue, wait)


def transform_reduce(
    x: Any,
    map: str | Map,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    dtype: Any = None,
    variant: str | None = None,
    queue: Any = None,
    wait: Iterable[Any] = (),
) -> Any:
    """Blocks. The reduction of a function of each element: reduce() without a pass of its own.

    Args:
        x, op, init, variant, queue, wait: as in reduce().
        map: an expression over ``x``, such as ``"x * x"``, or a Map.
        dtype: of the map's results, of accumulation and of the result; by default as in reduce().

    Raises:
        BuildFailure: the map does not compile; otherwise as reduce().
    """
    return _reduce(x, op, _map(map), init, dtype, variant, queue, wait)


def reduce_into(
    x: Any,
    out: Any,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    variant: str | None = None,
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
) -> Any:
    """Enqueues the reduction into an array of one element. Blocks where an array is the host's.

    Args:
        x, op, init, variant, queue, wait: as in reduce().
        out: of any kind and of size 1; its dtype is the one of accumulation.
        done: an Event that becomes the call's completion.

    Returns:
        `out`.

    Raises:
        InvalidArgument: `out` is read-only, or not one element; otherwise as reduce().
    """
    return _reduce_into(x, out, op, None, init, variant, queue, wait, done)


def transform_reduce_into(
    x: Any,
    out: Any,
    map: str | Map,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    variant: str | None = None,
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
) -> Any:
    """Enqueues what transform_reduce() computes, as reduce_into() does."""
    return _reduce_into(x, out, op, _map(map), init, variant, queue, wait, done)


def inclusive_scan(
    x: Any,
    out: Any = None,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    dtype: Any = None,
    accumulate: Any = None,
    variant: str | None = None,
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
        init: of the output's dtype; by default none.
        dtype: of a new output; by default as in reduce().
        accumulate: the dtype of accumulation; by default the output's.
        variant: a row of the gallery in place of ``"production"``.
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
    return _scan("inclusive", x, out, op, init, dtype, accumulate, variant, queue, wait, done)


def exclusive_scan(
    x: Any,
    out: Any = None,
    op: OperatorLike = "plus",
    init: Any = None,
    *,
    dtype: Any = None,
    accumulate: Any = None,
    variant: str | None = None,
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
) -> Any:
    """Enqueues ``out[i] = op over init, x[0], ..., x[i - 1]``; `init` or the identity comes first.

    Arguments, result and errors are those of inclusive_scan().
    """
    return _scan("exclusive", x, out, op, init, dtype, accumulate, variant, queue, wait, done)


def release_adopted() -> None:
    """Lets go of the contexts, queues and streams that calls on arrays have adopted.

    The last of them are kept, with their compiled kernels and their scratch memory, because
    adopting anew costs more than a call. Calls in other threads end undisturbed.
    """
    _opencl.forget()
    _cuda.forget()
