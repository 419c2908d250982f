"""Calls by key: what neighbours of equal keys, a run, are reduced to, and the first of each."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .._arrays.kinds import operand_of
from .._axes import flat_places, flat_view
from .._base import structs
from .._base.arguments import checked
from .._base.kinds import ARRAY, MAP
from .._base.operators import MapLike, OperatorLike
from .._base.queues import Event
from .._calls import Call
from .._settings import Settings
from .._starts import PLAIN, accumulator, element_of
from .._workspaces import Workspace
from .alike import check_on_device, enqueue_reduction, kept_of, number_at, options_of, outputs_of
from .selections import enqueue


def _place_outputs(call: Call, outputs: tuple[Any, ...] | None, *dtypes: Any) -> None:
    """Checks unique keys and what goes with them, or makes as many places as there can be runs."""
    if outputs is not None:
        check_on_device(call, "unique", "out")
        return
    shape = (call.input.size,)
    made = (call.input.empty(call, shape, np.dtype(dtype)) for dtype in dtypes)
    call.put_output(*map(operand_of, made))


def _answer(call: Call, runs: Any, place: structs.View) -> Any:
    """The outputs: those that were given, or what was stored in new ones."""
    if runs is not None:
        return call.answer
    count = number_at(call, place)
    return tuple(output.array[:count] for output in call.outputs)


def _reduce_runs(
    call: Call, op: OperatorLike, init: Any, map: MapLike | None, equality: MapLike
) -> structs.View:
    """The reduction of the input by its last array, the keys, into unique keys and results."""
    runs = kept_of(call, "runs")
    carry = element_of(init, PLAIN.of_init(op, call.outputs[1].dtype))
    call.find_scalars(op, map, equality)
    mapped, same = call.made_map(map), call.made_map(equality)
    assert same is not None and not isinstance(same, str)
    sources, (unique, result), wait = flat_places(call)
    count, places = call.input.size, call.target.size
    options = options_of(call)
    keys = structs.Keys(flat_view(sources[-1], count), flat_view(unique, places), runs, same.handle)
    options.keys = ctypes.pointer(keys)
    views = [flat_view(sources[0], count), flat_view(result, places)]
    enqueue_reduction(call, op, mapped, carry, views, options, wait)
    return runs


@checked(keys=ARRAY, equality=MAP, unique=ARRAY, runs=ARRAY)
def reduce_by_key(
    keys: Any,
    x: Any,
    op: OperatorLike = "plus",
    init: Any = None,
    unique: Any = None,
    out: Any = None,
    runs: Any = None,
    *,
    equality: MapLike = "x == y",
    map: MapLike | None = None,
    dtype: Any = None,
    count_from: Any = None,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """Reduces each run of equal keys, with the bits that reduce() gives the run alone.

    Neighbours with equal keys are a run: of sorted keys there is one for each key. With `unique`,
    `out` and `runs` of the device it only enqueues; without them it blocks until the number of runs
    is known.

    Args:
        keys: an array of the shape and kind of `x`.
        x: an array of any shape, layout and kind, whose elements are taken in C order.
        op, scalars, variant, order, queue, wait: as in reduce(). Numbers of Python in `scalars`
            have the dtype of `x`, in `equality`, too; others have their own.
        init: one number for all runs.
        dtype: of results that are made; `out` has its own.
        unique: a device array of one dimension without gaps, which receives the first key of each
            run. Runs without a place are not stored.
        out: the same for the reductions, of as many elements.
        runs: an array of one element of uint32 or uint64, which receives how many runs there are.
        equality: as in unique().
        map: an expression over ``x`` and the index ``i`` of an element in its run.
        count_from: as in select().
        done, workspace: as in reduce_into().

    Returns:
        The tuple (`unique`, `out`); without them new arrays of the kind of `x` with an element for
        each run, views of the beginnings of arrays of as many as `x` has.

    Raises:
        InvalidArgument: some of `unique`, `out` and `runs` without the others, or of another shape
            or dtype; otherwise as reduce_into().
    """
    settings = Settings(variant, order, queue, wait, done, workspace)
    outputs = outputs_of(unique=unique, out=out, runs=runs)
    more = {"total": runs, "count": count_from, "scalars": scalars}
    with Call(x, settings, y=keys, out=outputs, names=("x", "keys"), **more) as call:
        of_runs = accumulator(dtype, op, init, call.input.dtype)
        _place_outputs(call, outputs, call.inputs[1].dtype, of_runs)
        return _answer(call, runs, _reduce_runs(call, op, init, map, equality))


@checked(equality=MAP, unique=ARRAY, runs=ARRAY)
def run_length_encode(
    x: Any,
    unique: Any = None,
    out: Any = None,
    runs: Any = None,
    *,
    equality: MapLike = "x == y",
    count_from: Any = None,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """The first element of each run of equal ones, and the length of the run: a count by key.

    It blocks as reduce_by_key() does, and all else is as there.

    Args:
        x: the keys, an array of any shape, layout and kind, whose elements are taken in C order.
        out: receives the lengths, integers, of as many places as `unique`.

    Returns:
        The tuple (`unique`, `out`); without them new arrays of the kind of `x`, the lengths as
        uint64.
    """
    settings = Settings(variant, "v1", queue, wait, done, workspace)
    outputs = outputs_of(unique=unique, out=out, runs=runs)
    more = {"total": runs, "count": count_from, "scalars": scalars}
    with Call(x, settings, out=outputs, **more) as call:
        _place_outputs(call, outputs, call.input.dtype, np.uint64)
        return _answer(call, runs, _reduce_runs(call, "plus", None, "1", equality))


@checked(keys=ARRAY, equality=MAP, unique=ARRAY, kept=ARRAY)
def unique_by_key(
    keys: Any,
    x: Any,
    unique: Any = None,
    out: Any = None,
    kept: Any = None,
    *,
    equality: MapLike = "x == y",
    count_from: Any = None,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """The first key of each run of equal ones, and the element of `x` at the same index.

    With `unique`, `out` and `kept` of the device it only enqueues; without them it blocks until the
    number of runs is known.

    Args:
        keys: an array of any shape, layout and kind, whose elements are taken in C order.
        x: an array of the shape of `keys`.
        equality: as in unique().
        unique, out: device arrays of one dimension without gaps and of one length, which receive
            keys and elements of `x`. What has no place is not stored.
        kept: an array of one element of uint32 or uint64, which receives how many runs there are,
            places or not.
        count_from, scalars, variant, queue, wait, done, workspace: as in select().

    Returns:
        The tuple (`unique`, `out`); without them new arrays of the kind of `keys`.

    Raises:
        InvalidArgument: some of `unique`, `out` and `kept` without the others, or of another shape
            or dtype.
    """
    settings = Settings(variant, "v1", queue, wait, done, workspace)
    outputs = outputs_of(unique=unique, out=out, kept=kept)
    more = {"total": kept, "count": count_from, "scalars": scalars}
    with Call(keys, settings, y=x, out=outputs, names=("keys", "x"), **more) as call:
        _place_outputs(call, outputs, call.input.dtype, call.inputs[1].dtype)
        return _answer(call, kept, enqueue(call, "bifold_unique_by_key", equality))
