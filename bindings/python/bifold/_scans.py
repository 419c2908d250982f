"""Scans."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._axes import axes_of
from ._base import errors
from ._base.operators import MapLike, OperatorLike, handle_of
from ._beside import on_device
from ._calls import Call
from ._repeated import INTO, MAP_INTO, Repeated
from ._settings import Settings
from ._starts import Accumulation, accumulator, address_of, element_of


class Scan(NamedTuple):
    """Which scan it is."""

    kind: str
    axis: int | None
    reverse: bool
    accumulation: Accumulation
    total: Any
    count: Any


def places_of(call: Call, axis: int | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of a scan, and the shape of its outputs."""
    given = call.input.shape
    axes = axes_of(None if axis is None else (axis,), len(given))
    return axes, given if axis is not None else (call.input.size,)


def check_target(call: Call, shape: tuple[int, ...]) -> None:
    """InvalidArgument where the output is of another shape than the scan's."""
    if call.target.shape != shape:
        raise errors.InvalidArgument(f"out has shape {call.target.shape}, the scan {shape}")


def scan(
    how: Scan,
    x: Any,
    out: Any,
    op: OperatorLike,
    map: MapLike | None,
    init: Any,
    dtype: Any,
    settings: Settings,
    y: Any = None,
) -> Any:
    """A scan, into a new array where none is given."""
    starts = init if how.axis is not None or on_device(init) else None
    more = {"total": how.total, "count": how.count, "scalars": how.accumulation.scalars}
    with Call(x, settings, y=y, out=out, init=starts, **more) as call:
        map = call.map_of(map, op)
        init = call.init or init
        axes, shape = places_of(call, how.axis)
        if out is None:
            call.make_output(shape, accumulator(dtype, op, init, call.input.dtype))
        elif dtype is not None and dtype != call.target.dtype:
            raise errors.InvalidArgument(f"out has elements of {call.target.dtype}, not {dtype}")
        check_target(call, shape)
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
        return call.answer
