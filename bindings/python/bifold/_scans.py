"""Scans."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._axes import axes_of
from ._base import errors
from ._base.operators import Map, OperatorLike, handle_of
from ._beside import on_device
from ._calls import Call, Settings
from ._repeated import INTO, MAP_INTO, Repeated
from ._starts import Accumulation, accumulator, address_of, element_of


class Scan(NamedTuple):
    """Which scan it is."""

    kind: str
    axis: int | None
    reverse: bool
    accumulation: Accumulation
    total: Any
    count: Any


def scan(
    how: Scan,
    x: Any,
    out: Any,
    op: OperatorLike,
    map: Map | None,
    init: Any,
    dtype: Any,
    settings: Settings,
) -> Any:
    """A scan, into a new array where none is given."""
    starts = init if how.axis is not None or on_device(init) else None
    with Call(x, settings, out=out, init=starts, total=how.total, count=how.count) as call:
        init = call.init or init
        axes = axes_of(None if how.axis is None else (how.axis,), len(call.input.shape))
        shape = call.input.shape if how.axis is not None else (call.input.size,)
        if out is None:
            call.make_output(shape, accumulator(dtype, op, init, call.input.dtype))
        elif dtype is not None and dtype != call.target.dtype:
            raise errors.InvalidArgument(f"out has elements of {call.target.dtype}, not {dtype}")
        if call.target.shape != shape:
            raise errors.InvalidArgument(f"out has shape {call.target.shape}, the scan {shape}")
        out_type = call.target.dtype
        carry = element_of(init, how.accumulation.of_init(op, out_type))
        mapped = () if map is None else (map.handle,)
        call.run(
            f"bifold_{how.kind}_scan" if map is None else f"bifold_transform_{how.kind}_scan",
            handle_of(op),
            *mapped,
            address_of(carry),
            axes=axes,
            scan=True,
            reverse=how.reverse,
            accumulate=how.accumulation.told(op, out_type),
            result_map=how.accumulation.result_map,
            repeated=Repeated(INTO if map is None else MAP_INTO, op, map, carry),
        )
        return call.target.array
