"""Reductions of an array, with a map or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._axes import axes_of, reduced_shape
from ._base import errors, types
from ._base.operators import MapLike, OperatorLike, handle_of
from ._beside import on_device
from ._calls import Call
from ._repeated import INTO, REDUCE, Repeated
from ._settings import Settings
from ._starts import PLAIN, Accumulation, accumulator, address_of, element_of


def _reduction(map: MapLike | None, y: Any, into: str = "") -> str:
    """The function of the library for a reduction with a map or none, of one or two arrays."""
    if map is None:
        return f"bifold_reduce{into}"
    return f"bifold_transform_reduce{'' if y is None else '_pairs'}{into}"


def _forms(map: MapLike | None, y: Any) -> int:
    """How many forms behind the one without a map."""
    return 0 if map is None else 1 if y is None else 2


def reduce_to_host(
    x: Any,
    y: Any,
    op: OperatorLike,
    map: MapLike | None,
    init: Any,
    dtype: Any,
    settings: Settings,
    how: Accumulation,
) -> Any:
    """A reduction of all elements, whose result is a NumPy scalar."""
    with Call(x, settings, y=y, scalars=how.scalars) as call:
        map = call.map_of(map, op)
        of = accumulator(dtype, op, init, call.input.dtype)
        carry = element_of(init, how.of_init(op, of))
        result = np.empty(1, of)
        mapped = () if map is None else (map.handle,)
        call.run(
            _reduction(map, y),
            handle_of(op),
            *mapped,
            types.type_of(of),
            address_of(carry),
            result.ctypes.data,
            axes=axes_of(None, len(call.input.shape)),
            accumulate=how.told(op, of),
            result_map=how.result_map,
            repeated=Repeated(REDUCE + _forms(map, y), op, map, carry, (result,)),
        )
        return result[0]


def check_results(call: Call, axis: Any, keepdims: bool) -> None:
    """InvalidArgument where an output has another shape than the results along axes."""
    found = call.target.shape
    if axis is None and not keepdims:
        if call.target.size != 1:
            raise errors.InvalidArgument(f"out has shape {found}, not one element")
        return
    axes = axes_of(axis, len(call.input.shape))
    shape = reduced_shape(call.input.shape, axes, keepdims)
    if found != shape:
        raise errors.InvalidArgument(f"out has shape {found}, the results have {shape}")


def reduce_to_array(
    x: Any,
    y: Any,
    out: Any,
    op: OperatorLike,
    map: MapLike | None,
    init: Any,
    settings: Settings,
    *,
    axis: Any,
    keepdims: bool,
    dtype: Any = None,
    count: Any = None,
    how: Accumulation = PLAIN,
) -> Any:
    """A reduction along axes, into a new array where none is given."""
    starts = init if axis is not None or on_device(init) else None
    more = {"count": count, "scalars": how.scalars}
    with Call(x, settings, y=y, out=out, init=starts, **more) as call:
        init = call.init or init
        axes = axes_of(axis, len(call.input.shape))
        if out is None:
            shape = reduced_shape(call.input.shape, axes, keepdims)
            call.make_output(shape, accumulator(dtype, op, init, call.input.dtype))
        else:
            check_results(call, axis, keepdims)
        reduce_call(call, y, op, map, init, axes, how)
        return call.answer


def reduce_call(
    call: Call,
    y: Any,
    op: OperatorLike,
    map: MapLike | None,
    init: Any,
    axes: tuple[int, ...],
    how: Accumulation = PLAIN,
    *,
    finish: Callable[..., Any] | None = None,
    alone: bool = True,
) -> None:
    """Runs a reduction along axes, of a call that has an output.

    Where it is `alone`, what `finish` makes of the output is the public function's answer.
    """
    carry = element_of(init, how.of_init(op, call.target.dtype))
    map = call.map_of(map, op)
    mapped = () if map is None else (map.handle,)
    function = _reduction(map, y, "_into")
    call.run(
        function,
        handle_of(op),
        *mapped,
        address_of(carry),
        axes=axes,
        accumulate=how.told(op, call.target.dtype),
        result_map=how.result_map,
        repeated=Repeated(INTO + _forms(map, y), op, map, carry, finish=finish) if alone else None,
    )
