"""Public functions look at their arguments before anything else is done: checked().

Nothing here knows how the library is called. A function under checked() gets its values as their
kinds give them. What does not fit is a WrongType, or an InvalidArgument where only the value is
wrong; the message names the function, the parameter and what it takes. None is taken where it is
the default.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, overload

from .errors import InvalidArgument, WrongType
from .kinds import KINDS
from .values import Kind, described


class _Parameter(NamedTuple):
    name: str
    kind: Kind
    optional: bool

    def take(self, value: Any, label: str) -> Any:
        if value is None and self.optional:
            return None
        try:
            return self.kind.take(value)
        except (TypeError, ValueError) as reason:
            kind = WrongType if isinstance(reason, TypeError) else InvalidArgument
            more = f": {reason}" if str(reason) else ""
            raise kind(
                f"{label}(): {self.name} must be {self.kind.wanted}, not {described(value)}{more}"
            ) from None


Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def checked(function: Function, /) -> Function: ...


@overload
def checked(**kinds: Kind) -> Callable[[Function], Function]: ...


def checked(function: Any = None, /, **kinds: Kind) -> Any:
    """Has a function, a method or a constructor look at its arguments.

    The kind of a parameter is the one given here, else that of KINDS. A parameter without any is a
    KeyError when the package is imported.
    """
    if function is None:
        return functools.partial(checked, **kinds)
    named: dict[str, _Parameter] = {}
    positional: list[_Parameter] = []
    rest: _Parameter | None = None
    own = 0
    for name, parameter in inspect.signature(function).parameters.items():
        if name in ("self", "cls", "_cls"):
            own = 1
            continue
        made = _Parameter(name, kinds.get(name) or KINDS[name], parameter.default is None)
        if parameter.kind is parameter.VAR_POSITIONAL:
            rest = made
            continue
        named[name] = made
        if parameter.kind is not parameter.KEYWORD_ONLY:
            positional.append(made)
    label = function.__qualname__
    for name in ("__init__", "__new__", "__call__"):
        label = label.replace(f".{name}", "")
    count = own + len(positional)

    @functools.wraps(function)
    def call(*arguments: Any, **others: Any) -> Any:
        taken = list(arguments[:own])
        for parameter, value in zip(positional, arguments[own:]):
            taken.append(parameter.take(value, label))
        for value in arguments[count:]:  # Too many, where there is no rest: Python says so.
            taken.append(value if rest is None else rest.take(value, label))
        for name, value in others.items():
            if name in named:
                others[name] = named[name].take(value, label)
        return function(*taken, **others)

    return call
