"""Slices of a group's calls, and chunks: what users give, and the rows that the library takes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from ._arrays.copies import in_order
from ._arrays.operands import Operand, Placed
from ._base import errors, lines, native, structs
from ._base.handles import put
from ._base.kinds import ARRAY
from ._base.operators import OperatorLike
from ._base.queues import Event, handles_of
from ._base.values import described
from ._calls import Call
from ._starts import accumulator


def listed(value: Any, name: str, count: int) -> list[Any]:
    """One array for each of so many ranks of this process."""
    if value is None:
        return [None] * count
    if count == 1:
        return [value]
    is_listed = isinstance(value, Sequence)
    if not is_listed or len(value) != count:
        found = f"one of {len(value)}" if is_listed else described(value)
        kind = errors.InvalidArgument if is_listed else errors.WrongType
        raise kind(f"{name} must be a list of {count} arrays, one for each rank, not {found}")
    for one in value:
        try:
            ARRAY.take(one)
        except (TypeError, ValueError):
            raise errors.WrongType(
                f"{name} must be a list of arrays, not of {described(one)}"
            ) from None
    return list(value)


def _is_dense(place: Placed) -> bool:
    dense = lines.c_strides(place.shape)
    return all(n <= 1 or a == b for n, a, b in zip(place.shape, place.strides, dense))


def input_of(call: Call, operand: Operand) -> structs.View:
    """The elements one behind the other, in C order."""
    place = operand.bind(call)
    if not _is_dense(place):
        dimensions = range(len(place.shape))
        place, done = in_order(call, place, dimensions, call._wait, operand.dtype)
        call.wait_for(done)
    return structs.View(place.buffer.handle, place.type, place.first, operand.size)


def output_of(call: Call, operand: Operand) -> structs.View:
    operand.check_writable()
    place = operand.bind(call)
    if not _is_dense(place):
        raise errors.InvalidArgument("out has gaps between its elements, where none are written")
    return structs.View(place.buffer.handle, place.type, place.first, operand.size)


def wait_ahead(call: Call) -> None:
    """Has what the library enqueues start after what the call waits for."""
    call.wait_ahead()
    if call.queue.turn is not None and call.queue.turn.last:
        waited = handles_of([], call.queue.turn.last)
        native.call("bifold_queue_wait_for", call.queue.handle, *waited)


def finish(call: Call) -> None:
    """What is left to do where something is enqueued, with an output of a scan."""
    if call.queue.turn is not None:
        call.queue.turn.last = put("bifold_queue_record", call.queue.handle)
    if call.output is None:
        return
    done = call.queue.record() if call.target.wants_done else Event()
    call.target.finish(call, done)


def rows_of(calls: list[Call]) -> Any:
    """The slices of a reduction."""
    rows = (structs.Slice * len(calls))()
    for row, call in zip(rows, calls):
        row.queue, row.input = call.queue.handle, input_of(call, call.input)
        if call.second is not None:
            same = call.second is call.input
            second = row.input if same else input_of(call, call.second)
            row.second = ctypes.pointer(second)
        wait_ahead(call)
    return rows


def scan_rows_of(calls: list[Call], op: OperatorLike, init: Any, dtype: Any) -> Any:
    """The slices of a scan, with outputs where none are given."""
    rows = (structs.ScanSlice * len(calls))()
    for row, call in zip(rows, calls):
        call.make_output((call.input.size,), accumulator(dtype, op, init, call.input.dtype))
        if dtype is not None and dtype != call.target.dtype:
            raise errors.InvalidArgument(f"out has elements of {call.target.dtype}, not {dtype}")
        if call.target.size != call.input.size:
            raise errors.InvalidArgument(
                f"out has {call.target.size} elements, the slice {call.input.size}"
            )
        row.queue = call.queue.handle
        row.output = output_of(call, call.target)
        same = call.target is call.input
        row.input = row.output if same else input_of(call, call.input)
        wait_ahead(call)
    return rows
