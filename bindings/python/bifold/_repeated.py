"""Functions whose calls are made without the package once an equal one was made by it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from . import _core
from ._memory import Array
from ._operands import OWN
from ._operators import Map, Operator
from ._queues import Event, Queue

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
