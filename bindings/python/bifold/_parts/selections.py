"""Selections: the elements that a predicate or flags keep, or their indices, and how many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .._axes import flat_places, flat_view
from .._base import structs
from .._base.arguments import checked
from .._base.kinds import ARRAY, MAP
from .._base.operators import MapLike
from .._base.queues import Event
from .._calls import Call
from .._settings import Settings
from .._workspaces import Workspace
from .alike import check_on_device, kept_of, number_at, options_of, outputs_of


def enqueue(call: Call, function: str, predicate: MapLike | None) -> structs.View:
    """One call of the library; where the number is that it leaves."""
    kept = kept_of(call)
    sources, targets, wait = flat_places(call)
    handles: tuple[int, ...] = ()
    if predicate is not None:
        holds = call.map_of(predicate)
        assert holds is not None and not isinstance(holds, str)
        handles = (holds.handle,)
    options = options_of(call)
    views = [flat_view(source, call.input.size) for source in sources]
    views += [flat_view(target, call.target.size) for target in targets]
    views.append(kept)
    call.finish(call.enqueue(function, views, handles, options, wait, call.wants_done))
    return kept


def _select(
    function: str,
    x: Any,
    flags: Any,
    predicate: MapLike | None,
    out: Any,
    kept: Any,
    dtype: np.dtype | None,
    settings: Settings,
    scalars: Mapping[str, Any] | None = None,
    count_from: Any = None,
    parted: bool = False,
) -> Any:
    outputs = outputs_of(out=out, kept=kept)
    others = {"total": kept, "count": count_from, "scalars": scalars}
    with Call(x, settings, y=flags, out=outputs, **others) as call:
        if outputs is None:
            call.make_output((call.input.size,), dtype or call.input.dtype)
        else:
            check_on_device(call, "out")
        place = enqueue(call, function, predicate)
        if outputs is not None:
            return call.answer
        count = number_at(call, place)
        return (call.target.array, count) if parted else call.target.array[:count]


@checked(kept=ARRAY)
def select(
    x: Any,
    predicate: MapLike = "x != 0",
    out: Any = None,
    kept: Any = None,
    *,
    count_from: Any = None,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """The elements for which an expression is not 0, one behind the other in their order.

    With `out` and `kept` it only enqueues, if both are the device's; without them it blocks until
    the number of elements is known.

    Args:
        x: an array of any shape, layout and kind, whose elements are taken in C order.
        predicate: an expression over ``x`` and the element's index ``i``, or a Map of one.
        out: a device array of one dimension without gaps, of any length: what has no place is not
            stored, and what is behind the last one stays. `x` itself is compacted in place.
        kept: an array of one element of uint32 or uint64, which receives how many there are,
            places or not. A later call takes it as `count_from`.
        count_from: an array of one element, which tells when the call runs how many elements of `x`
            count.
        scalars, variant, queue, wait, done, workspace: as in inclusive_scan().

    Returns:
        `out`; without it a new array of the kind of `x`, of those elements alone: a view of the
        beginning of one of as many as `x` has.

    Raises:
        InvalidArgument: `out` or `kept` without the other, or of another shape or dtype.
        Unsupported: in place, on a device whose groups may not wait for each other.
    """
    settings = Settings(variant, "v1", queue, wait, done, workspace)
    more = (settings, scalars, count_from)
    return _select("bifold_select", x, None, predicate, out, kept, None, *more)


@checked(flags=ARRAY, kept=ARRAY)
def select_flagged(
    x: Any,
    flags: Any,
    out: Any = None,
    kept: Any = None,
    *,
    count_from: Any = None,
    variant: str | None = None,
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """The elements whose flag is not 0: another array of numbers, of the shape of `x`.

    All else is as in select().
    """
    settings = Settings(variant, "v1", queue, wait, done, workspace)
    more = (settings, None, count_from)
    return _select("bifold_select_flagged", x, flags, None, out, kept, None, *more)


@checked(kept=ARRAY)
def select_index(
    x: Any,
    predicate: MapLike = "x != 0",
    out: Any = None,
    kept: Any = None,
    *,
    count_from: Any = None,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """The indices of the elements that select() gives, in C order, as uint64.

    An `out` may be of uint32. All else is as in select().
    """
    settings = Settings(variant, "v1", queue, wait, done, workspace)
    more = (settings, scalars, count_from)
    dtype = np.dtype(np.uint64)
    return _select("bifold_select_index", x, None, predicate, out, kept, dtype, *more)


@checked(kept=ARRAY)
def partition(
    x: Any,
    predicate: MapLike = "x != 0",
    out: Any = None,
    kept: Any = None,
    *,
    reverse: bool = False,
    count_from: Any = None,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """The elements that select() gives, and behind them all others, in their order, too.

    Args:
        out: as many places as `x` has elements, and no memory of `x`.
        reverse: the others lie in reverse order, which reads `x` once instead of twice.

    Returns:
        `out`; without it a new array of one dimension, and how many elements are in front. All else
        is as in select().
    """
    settings = Settings(variant, "v1", queue, wait, done, workspace)
    function = "bifold_partition_reversed" if reverse else "bifold_partition"
    more = (settings, scalars, count_from, True)
    return _select(function, x, None, predicate, out, kept, None, *more)


@checked(equality=MAP, kept=ARRAY)
def unique(
    x: Any,
    equality: MapLike = "x == y",
    out: Any = None,
    kept: Any = None,
    *,
    count_from: Any = None,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """The first element of each run of equal ones.

    Args:
        equality: an expression over an element ``x``, the one before it ``y`` and the index ``i``
            of ``x``: where it is not 0, ``x`` goes on with the run. By default each NaN is a run.

    All else is as in select().
    """
    settings = Settings(variant, "v1", queue, wait, done, workspace)
    more = (settings, scalars, count_from)
    return _select("bifold_unique", x, None, equality, out, kept, None, *more)
