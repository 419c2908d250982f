"""What arrays are reduced and scanned with, and the maps in front of that."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

import numpy as np

from . import errors, native, structs, types
from .arguments import checked
from .handles import Handle, put
from .kinds import COMMUTATIVITY, SCALAR_TYPES

BUILTIN = (
    "plus",
    "multiplies",
    "minimum",
    "maximum",
    "bit_and",
    "bit_or",
    "bit_xor",
    "logical_and",
    "logical_or",
)


ScalarTypes = Mapping[str, np.dtype]


def declared(scalars: ScalarTypes) -> tuple[Any, int]:
    """Scalars that a text names, as the library takes them."""
    every = [structs.ScalarType(n.encode(), types.type_of(d)) for n, d in scalars.items()]
    return (structs.ScalarType * len(every))(*every), len(every)


class Operator(Handle):
    """An associative operator, written once for every backend.

    ``minimum`` and ``maximum`` of the built-in ones follow IEEE 754-2019: NaN propagates, -0 < +0.
    Integers wrap.

    Args:
        name: what error messages call it.
        expression: its text, over ``a``, the earlier operand, and ``b``, the later one.
        identity: the neutral element. None: it has none, and what is absent is skipped; a
            reduction of nothing and an exclusive scan want an initial value then.
        dtype: the type of its operands; of a NumPy scalar its own by default.
        commutativity: operands keep their order unless it is declared ``"commutative"``.
        scalars: the dtypes of what the text names besides, by name. Each call brings the values.

    Raises:
        InvalidArgument: the text is unbalanced or holds what no expression has. A mistake that only
            a compiler sees is a BuildFailure at the first use.
    """

    _destructor = "bifold_operator_destroy"
    _made_of: tuple[Any, ...]  # A function, its arguments, and those by name.
    scalars: ScalarTypes = {}

    @checked(scalars=SCALAR_TYPES)
    def __init__(
        self,
        name: str,
        expression: str,
        identity: Any = None,
        dtype: Any = None,
        *,
        commutativity: Literal["non_commutative", "commutative"] = "non_commutative",
        scalars: Mapping[str, Any] | None = None,
    ) -> None:
        if dtype is None and not isinstance(identity, np.generic):
            raise errors.InvalidArgument("the operator's dtype is not given")
        self.name = name
        self.dtype = identity.dtype if dtype is None else dtype
        neutral = None
        if identity is not None:
            neutral = types.value_of(identity, self.dtype, "identity").copy()
        self.scalars: ScalarTypes = scalars or {}
        more = {"commutativity": commutativity, "scalars": scalars}
        self._made_of = (Operator, (name, expression, neutral, self.dtype), more)
        self._hold(
            put(
                "bifold_operator_create_with_scalars",
                name.encode(),
                expression.encode(),
                types.type_of(self.dtype),
                None if neutral is None else neutral.ctypes.data,
                COMMUTATIVITY.index(commutativity),
                *declared(self.scalars),
            )
        )

    @classmethod
    @checked
    def fieldwise(cls, dtype: Any, operators: Sequence[str]) -> Operator:
        """Combines each field of a struct by the built-in operator of the same place.

        Args:
            dtype: one that struct_type() has named.
            operators: as many names as the struct has fields.
        """
        self = cls.__new__(cls)
        self.dtype = dtype
        self.name = f"fieldwise({', '.join(operators)})"
        self._made_of = (Operator.fieldwise, (dtype, operators))
        handles = (ctypes.c_void_p * len(operators))(*(_builtin(name) for name in operators))
        number = types.type_of(self.dtype)
        self._hold(put("bifold_operator_create_fieldwise", number, handles, len(operators)))
        return self

    def __reduce_ex__(self, _: object) -> tuple[Any, ...]:
        _ = self.handle  # InvalidArgument where it is closed.
        # By the class, so that pickles name no module but the package.
        return Operator._again, (types.name_of(self.dtype), self.dtype, *self._made_of)

    @classmethod
    def _again(
        cls,
        struct: str | None,
        dtype: np.dtype,
        make: Any,
        arguments: tuple[Any, ...],
        more: dict[str, Any] | None = None,
    ) -> Operator:
        """An operator like one of another process, where its struct was named."""
        if struct is not None:
            types.struct_type(struct, dtype)
        made: Operator = make(*arguments, **(more or {}))
        return made

    def __repr__(self) -> str:
        return f"<bifold.Operator {self.name} of {self.dtype}>"


OperatorLike = Union[str, Operator]


def _builtin(name: str) -> int:
    if name not in BUILTIN:
        raise errors.InvalidArgument(f"no operator {name!r}; there are {', '.join(BUILTIN)}")
    return native.library().bifold_builtin_operator(BUILTIN.index(name))


def handle_of(op: OperatorLike) -> int:
    """The library's handle of an operator or of the name of a built-in one."""
    return op.handle if isinstance(op, Operator) else _builtin(op)


@checked
def identity(op: OperatorLike, dtype: Any) -> np.generic:
    """The neutral element of an operator, as a scalar of `dtype`: -0.0 of a floating sum.

    Raises:
        InvalidArgument: the operator has none of that type.
    """
    of = types.type_of(dtype)
    value = np.zeros(1, dtype)
    native.call("bifold_operator_identity", handle_of(op), of, value.ctypes.data)
    return value[0]


class Map(Handle):
    """A function of one element: an expression over ``x``, and over its index ``i``.

    Where two arrays are reduced, ``y`` is the element of the second one. `scalars` are the dtypes
    of what it names besides, by name: ``Map("x > limit", {"limit": "float32"})``. Each call brings
    the values.
    """

    _destructor = "bifold_map_destroy"

    @checked(scalars=SCALAR_TYPES)
    def __init__(self, expression: str, scalars: Mapping[str, Any] | None = None) -> None:
        self.expression = expression
        self.scalars: ScalarTypes = scalars or {}
        text = expression.encode()
        self._hold(put("bifold_map_create_with_scalars", text, *declared(self.scalars)))

    def __reduce_ex__(self, _: object) -> tuple[Any, ...]:
        _ = self.handle  # InvalidArgument where it is closed.
        return Map, (self.expression, dict(self.scalars))

    def __repr__(self) -> str:
        return f"<bifold.Map {self.expression}>"


MapLike = Union[str, Map]


def map_of(map: MapLike) -> Map:
    """A Map as it is, an expression as one."""
    return map if isinstance(map, Map) else Map(map)
