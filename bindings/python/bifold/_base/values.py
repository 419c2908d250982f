"""What the kinds of parameters are made of: texts, words, numbers."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

_ORDINARY = (bool, int, float, complex, str, bytes, np.generic)


class Kind(NamedTuple):
    """What a parameter takes.

    Attributes:
        wanted: how a message calls it.
        take: gives the value as functions want it. TypeError: it is of another type; ValueError:
            of a right one, but out of place. Their texts, which may be empty, tell more.
    """

    wanted: str
    take: Callable[[Any], Any]


def described(value: Any) -> str:
    """A value as a message calls it."""
    if value is None:
        return "None"
    if isinstance(value, _ORDINARY):
        text = repr(value)
        short = text if len(text) <= 60 else f"{text[:57]}..."
        return f"{short} ({type(value).__name__})"
    if isinstance(value, type):
        return f"the class {value.__qualname__}"
    kind = type(value)
    package = kind.__module__.partition(".")[0]
    name = kind.__qualname__ if package == "builtins" else f"{package}.{kind.__qualname__}"
    return f"an object of type {name}"


def only(fits: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """Takes what fits."""

    def take(value: Any) -> Any:
        if not fits(value):
            raise TypeError
        return value

    return take


def text_of(value: Any) -> str:
    """A text that C can read."""
    if not isinstance(value, str):
        raise TypeError("decode() makes it one" if isinstance(value, bytes) else "")
    if "\0" in value:
        raise ValueError("it holds a null character")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("it is no Unicode") from None
    return value


def text(wanted: str) -> Kind:
    """A str."""
    return Kind(wanted, text_of)


def choice(*names: str) -> Kind:
    """One of some words."""

    def take(value: Any) -> str:
        if text_of(value) not in names:
            raise ValueError
        return value

    listed = [f'"{name}"' for name in names]
    return Kind(f"{', '.join(listed[:-1])} or {listed[-1]}", take)


def integer(wanted: str, low: int = 0, high: int = 2**63 - 1) -> Kind:
    """An int, or what NumPy has for it."""

    def take(value: Any) -> int:
        if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
            raise TypeError
        number = operator.index(value)
        if not low <= number <= high:
            raise ValueError(f"it is not in [{low}, {high}]")
        return number

    return Kind(wanted, take)


def real(value: Any) -> float:
    """A real number, or what NumPy has for it."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError
    return float(value)


def flag(value: Any) -> bool:
    """True or False, of NumPy's, too."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError
    return bool(value)


def integers(one: Kind) -> Callable[[Any], Any]:
    """A tuple of what `one` takes; of a lone one a tuple, too."""

    def take(value: Any) -> tuple[int, ...]:
        if isinstance(value, list):
            raise TypeError("tuple() makes it one")
        return tuple(map(one.take, value if isinstance(value, tuple) else (value,)))

    return take
