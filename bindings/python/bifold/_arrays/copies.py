"""Copies on the device, of arrays that no single stride leads through."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .._base import lines, structs, types
from .._base.operators import Operator, handle_of
from .._base.queues import Event
from .operands import Placed

if TYPE_CHECKING:
    from .._calls import Call


def _copier(call: Call, dtype: np.dtype) -> tuple[int, int]:
    """An operator that gives back the bits of a lone element, and the type that it sees them as."""
    if dtype.names is None:
        return handle_of("bit_or"), types.type_of(np.dtype(f"u{dtype.itemsize}"))
    last = Operator("last", "b", dtype=dtype)
    call.at_end(last.close)
    return last.handle, types.type_of(dtype)


def in_order(
    call: Call, place: Placed, dimensions: Sequence[int], wait: list[Event], dtype: np.dtype
) -> tuple[Placed, Event]:
    """Enqueues a copy whose elements lie one behind the other, the last of `dimensions` fastest.

    A reduction of each element alone copies it.
    """
    shape = [place.shape[d] for d in dimensions]
    strides = tuple(place.strides[d] for d in dimensions)
    buffer = call.temporary(math.prod(shape) * dtype.itemsize)
    dense = lines.c_strides(shape)
    copy = Placed(buffer, place.type, 0, tuple(shape), dense)
    done = Event()
    arrays = [lines.Along(strides, 1, 1), lines.Along(dense, 1, 1)]
    for read, written in lines.parts(shape, arrays):
        done = move(call, (place, read), (copy, written), wait, dtype)
        wait = [done]
    return copy, done


def move(
    call: Call,
    source: tuple[Placed, lines.Part],
    target: tuple[Placed, lines.Part],
    wait: list[Event],
    dtype: np.dtype,
) -> Event:
    """Enqueues a copy of elements, each a line, to as many others."""
    op, number = _copier(call, dtype)
    options = structs.Options()
    structs.put_lines(options, source[1].lines, target[1].lines)
    views = [place._replace(type=number).view(part) for place, part in (source, target)]
    return call.enqueue("bifold_reduce_into", views, (op, None), options, wait, True)
