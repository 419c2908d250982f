"""Reductions of the segments of an array, whose bounds lie on the device."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .._arrays.operands import HostOperand, Operand
from .._axes import dense, flat_places, flat_view
from .._base import errors, structs
from .._base.arguments import checked
from .._base.kinds import ARRAY
from .._base.operators import MapLike, OperatorLike
from .._base.queues import Event
from .._calls import Call
from .._settings import Settings
from .._starts import PLAIN, accumulator, element_of
from .._workspaces import Workspace
from .alike import enqueue_reduction, options_of


def _check_bounds(offsets: Operand, ends: Operand | None) -> int:
    """The number of segments."""
    for name, one in (("offsets", offsets), ("ends", ends)):
        if one is None:
            continue
        if len(one.shape) != 1 or one.dtype not in (np.uint32, np.uint64):
            raise errors.InvalidArgument(
                f"{name} have shape {one.shape} and elements of {one.dtype}: one dimension of "
                "uint32 or uint64 is wanted"
            )
    if ends is None and offsets.size == 0:
        raise errors.InvalidArgument("offsets are empty: of s segments there are s + 1")
    if ends is not None and (ends.size != offsets.size or ends.dtype != offsets.dtype):
        raise errors.InvalidArgument(
            f"{offsets.size} offsets of {offsets.dtype}, and {ends.size} ends of {ends.dtype}"
        )
    return offsets.size - (ends is None)


def _put_segments(call: Call, options: structs.Options, count: int) -> None:
    places = [one.bind(call) for one in call.bounds]
    if not all(map(dense, places)):
        raise errors.InvalidArgument("offsets have gaps")
    if len(places) == 2:
        begins, ends = (flat_view(place, count) for place in places)
    else:
        begins, ends = flat_view(places[0], count), flat_view(places[0], count)
        ends.offset += 1
    segments = structs.Segments(begins, ends)
    if call.total is not None:
        faults = call.total.operand
        if faults.size != 1 or faults.dtype != np.uint64:
            raise errors.InvalidArgument("faults is an array of one element of uint64")
        faults.check_writable()
        segments.faults = ctypes.pointer(flat_view(faults.bind(call), 1))
    options.segments = ctypes.pointer(segments)


@checked(offsets=ARRAY, ends=ARRAY, faults=ARRAY)
def segmented_reduce(
    x: Any,
    offsets: Any,
    op: OperatorLike = "plus",
    init: Any = None,
    out: Any = None,
    *,
    ends: Any = None,
    faults: Any = None,
    map: MapLike | None = None,
    dtype: Any = None,
    scalars: Mapping[str, Any] | None = None,
    variant: str | None = None,
    order: str = "v1",
    queue: Any = None,
    wait: Iterable[Any] = (),
    done: Event | None = None,
    workspace: Workspace | None = None,
) -> Any:
    """The reduction of each segment of an array, with the bits of reduce() of the segment alone.

    Segment s has the elements from ``offsets[s]`` up to, without, ``offsets[s + 1]``. What lies
    outside of `x` is not read. An empty segment gives `init`, or what reduce() of nothing gives.

    Args:
        x: an array of any shape, layout and kind, whose elements are taken in C order.
        offsets: one dimension of uint32 or uint64, read when the call runs.
        op, init, dtype, scalars, variant, order, queue, wait: as in reduce().
        out: one element for each segment; by default a new array.
        ends: where segments end; `offsets` are then as many, and where they begin.
        faults: an array of one element of uint64, which receives how many segments end before they
            begin or behind `x`.
        map: an expression over ``x`` and the index ``i`` of an element in its segment.
        done, workspace: as in reduce_into().

    Returns:
        `out`, or a new array of the kind of `x`.

    Raises:
        InvalidArgument: offsets of another dtype or shape, or an operator without identity and no
            `init`; otherwise as reduce_into().
    """
    settings = Settings(variant, order, queue, wait, done, workspace)
    bounds = (offsets,) if ends is None else (offsets, ends)
    more = {"total": faults, "scalars": scalars, "bounds": bounds}
    with Call(x, settings, out=out, **more) as call:
        count = _check_bounds(call.bounds[0], call.bounds[1] if len(bounds) == 2 else None)
        call.make_output((count,), accumulator(dtype, op, init, call.input.dtype))
        if isinstance(call.target, HostOperand) and not isinstance(call.input, HostOperand):
            raise errors.InvalidArgument("out is memory of the host, x is not")
        if call.target.size != count:
            raise errors.InvalidArgument(f"out has {call.target.size} elements, not {count}")
        carry = element_of(init, PLAIN.of_init(op, call.target.dtype))
        mapped = call.map_of(map, op)
        sources, targets, wait_for = flat_places(call)
        options = options_of(call)
        _put_segments(call, options, count)
        views = [flat_view(sources[0], call.input.size), flat_view(targets[0], count)]
        enqueue_reduction(call, op, mapped, carry, views, options, wait_for)
        return call.answer
