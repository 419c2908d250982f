"""Scalars that the texts of a call name: values that change without a compilation."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays.operands import Operand
from ._base import errors, lines, structs, types
from ._base.operators import Map, MapLike, Operator, OperatorLike, ScalarTypes, declared

if TYPE_CHECKING:
    from ._calls import Call


def made_map(map: MapLike, scalars: object) -> MapLike:
    """A map without scalars as one; a text that may name some is left until dtypes are known."""
    return map if isinstance(map, Map) or scalars is not None else Map(map)


def _weak(value: Any, of: np.dtype) -> np.dtype:
    """The dtype of a number of Python's beside elements of `of`, as NumPy has it."""
    wide = types.accumulated(of)
    real = np.dtype("f4") if wide in (np.float32, np.complex64) else np.dtype("f8")
    if isinstance(value, complex):
        return np.dtype("c8") if real == np.float32 else np.dtype("c16")
    kind = "" if wide.names is not None else types.kind_of(wide)
    if isinstance(value, float):
        return real
    return wide if kind in ("i", "u", "f") else real if kind == "c" else np.dtype("i8")


def declared_by(*texts: Map | OperatorLike | None) -> dict[str, np.dtype]:
    """All scalars that maps and operators declare."""
    known: dict[str, np.dtype] = {}
    for text in texts:
        if isinstance(text, (Map, Operator)):
            known.update(text.scalars)
    return known


def named_by(text: str, scalars: ScalarTypes) -> ScalarTypes:
    """Those of some scalars that a text names."""
    words = set(re.findall(r"\w+", text))
    return {name: dtype for name, dtype in scalars.items() if name in words}


class Scalars:
    """The values of a call's scalars.

    Attributes:
        operands: those that are read when the call runs.
    """

    def __init__(self, given: dict[str, Any], operands: dict[str, Operand]) -> None:
        self._given = given
        self.operands = operands
        self._types: dict[str, np.dtype] = {}
        self._kept: list[Any] = []

    def find_types(self, of: np.dtype, known: ScalarTypes) -> None:
        """Gives each the dtype that is known, its own, or one beside elements of `of`."""
        for name, value in self._given.items():
            if name in self.operands:
                self._types[name] = self.operands[name].dtype
            elif name in known:
                self._types[name] = known[name]
            elif isinstance(value, (np.generic, np.ndarray)):
                self._types[name] = value.dtype
            else:
                self._types[name] = _weak(value, of)

    def named_by(self, text: str) -> ScalarTypes:
        """Those that a text names."""
        return named_by(text, self._types)

    @property
    def alike(self) -> bool:
        """Whether calls with others of the same kinds differ in the values alone."""
        return not self.operands and all(
            type(value) in (int, float)
            or (isinstance(value, np.generic) and value.dtype == self._types[name])
            for name, value in self._given.items()
        )

    def put(self, call: Call, options: structs.Options, texts: Sequence[str | None]) -> None:
        """Has the options of a call bring them, by the result maps of its outputs."""
        lists = [declared({} if text is None else self.named_by(text)) for text in texts]
        options.result_map_scalars, options.result_map_scalar_count = lists[0]
        for output, (every, count) in zip(range(options.more_output_count), lists[1:]):
            self._kept.append(every)
            options.more_outputs[output].scalars = every
            options.more_outputs[output].scalar_count = count
        all_of_them = (structs.Scalar * len(self._given))()
        for one, (name, value) in zip(all_of_them, self._given.items()):
            one.name = name.encode()
            one.type = types.type_of(self._types[name])
            if name not in self.operands:
                element = types.value_of(value, self._types[name], name)
                self._kept.append(element)
                one.value = element.ctypes.data
                continue
            operand = self.operands[name]
            if operand.size != 1:
                raise errors.InvalidArgument(f"{name} has shape {operand.shape}, one is wanted")
            part = lines.Part(0, 1, lines.Lines(1, 1, 1, 0, 1, 1))
            setattr(one, "from", ctypes.pointer(operand.bind(call).view(part)))
        options.scalars, options.scalar_count = all_of_them, len(self._given)
