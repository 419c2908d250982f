"""Functions whose calls are made without the package once an equal one was made by it."""

from __future__ import annotations

import ctypes
import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from . import _core, _foreign, _native, _types
from ._memory import Array
from ._operands import HOST, OWN
from ._operators import Map, Operator, OperatorLike, handle_of
from ._queues import Event, Queue

if TYPE_CHECKING:
    from ._calls import Call

_core.put_handles(Operator, Map, Queue)
_core.put_event(Event)
_core.put_dtypes(np.dtype, np.generic)
_core.put_kind(Array, OWN)

Function = TypeVar("Function", bound=Callable[..., Any])


def repeated(function: Function) -> Function:
    """Has a public function look up what it is called with, and be called where that is new.

    What was looked up is a call of the library that only wants to know where the arrays are. It is
    known by all arguments, the arrays' dtypes, layouts and streams.
    """
    parameters = inspect.signature(function).parameters.values()
    made: Any = _core.Function(
        function,
        tuple(p.name for p in parameters),
        sum(p.kind is not p.KEYWORD_ONLY for p in parameters),
        {p.name: p.default for p in parameters if p.default is not p.empty},
    )
    functools.update_wrapper(made, function)
    return made


# How functions of the library are called, as _core numbers it.
INTO, MAP_INTO, PAIRS_INTO, REDUCE, MAP_REDUCE, PAIRS_REDUCE, SUM, PRODUCT, COUNT, TWO = range(10)


class Repeated(NamedTuple):
    """What a call is repeated with that its arrays do not tell.

    Attributes:
        form: of the library's function.
        op, map, init: as it is called with them.
        results: arrays of one element where it puts results for the host.
        finish: makes the answer of the scalars that these hold; None: it is the one alone.
    """

    form: int
    op: OperatorLike | None = None
    map: Map | None = None
    init: np.ndarray | None = None
    results: tuple[np.ndarray, ...] = ()
    finish: Callable[..., Any] | None = None


def learn(
    call: Call,
    function: str,
    views: list[_native.View],
    options: _native.Options,
    repeated: Repeated,
) -> None:
    """Has calls that are alike be made without this package, if the arrays' kinds allow it."""
    operands = [o for o in (call.input, call.second, call.output) if o is not None]
    alike = call.may_repeat and not call.beside and call.count is None and _core.wanted()
    # The names of a dtype's fields may change.
    if not alike or any(o.kind is None or o.size == 0 or o.dtype.names for o in operands):
        return
    place = call.settings.queue
    if place is not None and not isinstance(place, Queue):
        _core.put_place(type(place), _foreign.number_name(place))
    make, shape = None, None
    if call.made is not None:
        shape, dtype = call.made
        make = call.input.maker(dtype)
        if make is None or place is not None or (shape == () and call.input.kind == HOST):
            return  # Of no dimension, the host has scalars.
    results, op = repeated.results, repeated.op
    if any(result.dtype.names for result in results):
        return  # A scalar of a struct is a view.
    _core.learn(
        function,
        _native.address_of(function),
        ctypes.addressof(options),
        [
            (o.array, o.kind, v.type, v.offset, v.count, o.dtype.itemsize, *o.reached)
            for o, v in zip(operands, views)
        ],
        call.queue,
        call.queue.turn,
        repeated.form,
        handle_of(op) if isinstance(op, str) else op,
        repeated.map,
        None if repeated.init is None else repeated.init.tobytes(),
        _types.type_of(results[0].dtype) if results else 0,
        [(result, result.ctypes.data, result.itemsize) for result in results],
        repeated.finish,
        make,
        shape,
    )
