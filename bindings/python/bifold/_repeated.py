"""Functions whose calls are made without the package once an equal one was made by it."""

from __future__ import annotations

import ctypes
import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from . import _core
from ._arrays.memory import Array
from ._arrays.operands import OWN, HostOperand
from ._base import foreign, native, structs, types
from ._base.operators import Map, Operator, OperatorLike, handle_of
from ._base.queues import Event, Queue

if TYPE_CHECKING:
    from ._arrays.operands import Operand
    from ._calls import Call
    from ._plans import Plan

_core.put_handles(Operator, Map, Queue)
_core.put_event(Event)
_core.put_dtypes(np.dtype, np.generic, np.void)
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
INTO, MAP_INTO, PAIRS_INTO, REDUCE, MAP_REDUCE, PAIRS_REDUCE = range(6)
SUM, PRODUCT, COUNT, TWO, MANY, PLAN, PLAN_PAIRS, FOUND_INTO, COUNT_INTO, SUM_INTO = range(6, 16)
# What a call does with an array, as _core numbers it.
READ, WRITTEN, INIT_FROM, TOTAL, COUNT_FROM, WRITTEN_BESIDE = range(6)


class Repeated(NamedTuple):
    """What a call is repeated with that its arrays do not tell.

    Attributes:
        form: of the library's function.
        op, map, init: as it is called with them. `op` may be a plan.
        results: arrays of one element where it puts results for the host.
        finish: makes the answer of the scalars that these hold, or of an output that was made for
            the call; None: it is the one alone.
        reductions: of each result operator, map, whether nobody else keeps the map, and init.
    """

    form: int
    op: OperatorLike | Plan | None = None
    map: Map | None = None
    init: np.ndarray | None = None
    results: tuple[np.ndarray, ...] = ()
    finish: Callable[..., Any] | None = None
    reductions: tuple[tuple[OperatorLike, Map | None, bool, np.ndarray | None], ...] = ()


def _bytes(init: np.ndarray | None) -> bytes | None:
    return None if init is None else init.tobytes()


def _arrays(call: Call) -> list[tuple[Operand, int]]:
    """The arrays of a call and what it does with them, in the order of its views."""
    arrays = [(call.input, READ), (call.second, READ), (call.output, WRITTEN)]
    arrays += [(output, WRITTEN_BESIDE) for output in call.more_outputs]
    beside = [(call.count, COUNT_FROM), (call.init, INIT_FROM), (call.total, TOTAL)]
    arrays += [(None if one is None else one.operand, use) for one, use in beside]
    return [(operand, use) for operand, use in arrays if operand is not None]


def _may_repeat(call: Call) -> bool:
    for operand, use in _arrays(call):
        if operand.kind is None or operand.size == 0:
            return False
        # The names of a dtype's fields may change.
        if operand.dtype.names and not operand.fixed:
            return False
        # Values of the host are read now.
        if isinstance(operand, HostOperand) and use == INIT_FROM:
            return False
    return call.may_repeat


def learn(
    call: Call,
    function: str,
    views: list[structs.View],
    options: structs.Options,
    repeated: Repeated,
) -> None:
    """Has calls that are alike be made without this package, if the arrays' kinds allow it."""
    if not _core.wanted() or not _may_repeat(call):
        return
    place = call.settings.queue
    if place is not None and not isinstance(place, Queue):
        _core.put_place(type(place), foreign.number_name(place))
    make, shape = None, None
    if call.made is not None:
        shape, dtype = call.made
        make = call.input.maker(dtype)
        if make is None or place is not None:
            return
        if shape == () and isinstance(call.input, HostOperand):
            return  # Of no dimension, the host has scalars.
    elif call.output is not None and call.output.made is not None:
        if place is None or isinstance(call.output, HostOperand):
            make, shape = call.output.made, call.output.shape
    results, op = repeated.results, repeated.op
    if any(result.dtype.names for result in results):
        return  # A scalar of a struct is a view.
    _core.learn(
        function,
        native.address_of(function),
        ctypes.addressof(options),
        [
            (o.array, o.kind, use, v.type, v.offset, v.count, o.dtype.itemsize, *o.reached)
            for (o, use), v in zip(_arrays(call), views)
        ],
        call.queue,
        call.queue.turn,
        repeated.form,
        handle_of(op) if isinstance(op, str) else op,
        repeated.map,
        _bytes(repeated.init),
        [(r, r.ctypes.data, r.itemsize, types.type_of(r.dtype)) for r in results],
        [
            (handle_of(op), map, alone, _bytes(init), types.type_of(result.dtype))
            for (op, map, alone, init), result in zip(repeated.reductions, results)
        ],
        repeated.finish,
        make,
        shape,
    )
