"""Element types: NumPy's dtypes and the library's numbers for them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import errors, native, structs
from .arguments import checked
from .kinds import STRUCT
from .locks import Lock
from .values import described

_BUILTIN: dict[np.dtype, int] = {
    np.dtype(name): number
    for number, name in enumerate(
        "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 float16".split()
    )
}
_BFLOAT16 = len(_BUILTIN)
_BUILTIN |= {np.dtype(np.complex64): _BFLOAT16 + 1, np.dtype(np.complex128): _BFLOAT16 + 2}
# Stands for the dtype of ml_dtypes where nobody computes with the elements.
BFLOAT16 = np.dtype("V2", metadata={"bifold": "bfloat16"})
OCTET = np.dtype(np.uint8)
_named: dict[np.dtype, tuple[int, str, Any]] = {}
_lock = Lock()


def _known(struct: np.dtype) -> tuple[int, str] | None:
    """The library's number and the name of a structured dtype."""
    found = _named.get(struct)
    # A dict may find the very object by its identity, whatever its fields are called by now.
    return None if found is None or found[2] != struct.names else found[:2]


@checked(dtype=STRUCT)
def struct_type(name: str, dtype: Any) -> np.dtype:
    """Makes a structured dtype an element type, for the life of the process.

    Texts of operators and maps know the struct and its fields by their names, and make one by
    ``make_NAME(first, second, ...)``.

    Args:
        name: an identifier.
        dtype: 1 to 8 fields of integers, float32 or float64, 64 bytes at most, with the layout that
            C gives them: ``align=True``, where their sizes differ.

    Returns:
        The dtype, for arrays.

    Raises:
        InvalidArgument: the layout is not C's, a name is no identifier, or the dtype has another
            name already.
    """
    struct = dtype
    fields = (structs.Field * len(struct.names or ()))()
    for field, label in zip(fields, struct.names or ()):
        of, offset = struct.fields[label][:2]
        if of not in _BUILTIN:
            raise errors.InvalidArgument(f"field {label} of {name} is of {of}: {_why_not(of)}")
        field.name, field.type, field.offset = label.encode(), _BUILTIN[of], offset
    number = ctypes.c_int32()
    with _lock:
        known = _known(struct)
        if known is not None and known[1] != name:
            raise errors.InvalidArgument(f"{struct} is the element type {known[1]} already")
        native.call(
            "bifold_struct_type",
            name.encode(),
            struct.itemsize,
            fields,
            len(fields),
            ctypes.byref(number),
        )
        _named[struct] = (number.value, name, struct.names)
    return struct


def name_of(dtype: np.dtype) -> str | None:
    """What a structured dtype was named by struct_type(), None of another dtype."""
    struct = _known(dtype) if dtype.names else None
    return None if struct is None else struct[1]


def is_bfloat16(dtype: np.dtype) -> bool:
    """Whether it is the dtype that ml_dtypes adds to NumPy's, or the one that stands for it."""
    return dtype.kind == "V" and (dtype.name == "bfloat16" or dtype.metadata == BFLOAT16.metadata)


def kind_of(dtype: np.dtype) -> str:
    """The letter of NumPy for that kind of number."""
    return "f" if is_bfloat16(dtype) else dtype.kind


def accumulated(dtype: np.dtype) -> np.dtype:
    """What elements of that dtype are accumulated in."""
    return np.dtype(np.float32) if dtype == np.float16 or is_bfloat16(dtype) else dtype


def _why_not(dtype: np.dtype) -> str:
    if not dtype.isnative:
        return "its byte order is not this machine's; astype(dtype.newbyteorder('=')) changes it"
    if dtype == np.bool_:
        return "booleans are no element type; view(numpy.uint8) makes them numbers"
    if dtype.fields is not None:
        return "name it first: bifold.struct_type(name, dtype)"
    return (
        "element types are integers of 8 to 64 bits, float16, bfloat16, float32, float64, "
        "complex64, complex128, and structs of integers, float32 and float64"
    )


def type_of(dtype: np.dtype) -> int:
    """The library's number of an element type; InvalidArgument where it has none."""
    number = _BUILTIN.get(dtype)
    if number is not None:
        return number
    if is_bfloat16(dtype):
        return _BFLOAT16
    struct = _known(dtype)
    if struct is None:
        raise errors.InvalidArgument(f"elements of {dtype}: {_why_not(dtype)}")
    return struct[0]


def size_of(number: int) -> int:
    """Bytes of an element, by the library's number of its type."""
    return native.library().bifold_type_size(number)


def pair_type(name: str, of: np.dtype, fields: dict[str, np.dtype]) -> tuple[int, np.dtype]:
    """A struct that the library writes results as: its number, and how NumPy reads it.

    Users may have named the same dtype otherwise.
    """
    return _result_type(f"{name}_{_name(of)}", fields)


def result_type(name: str, kinds: Sequence[np.dtype]) -> tuple[int, np.dtype]:
    """The same of fields ``r0``, ``r1`` and so on, as the library calls those of reduce_many()."""
    fields = {f"r{i}": of for i, of in enumerate(kinds)}
    return _result_type("_".join([name, *map(_name, kinds)]), fields)


def _name(of: np.dtype) -> str:
    return f"{of.kind}{of.itemsize * 8}"


def _result_type(name: str, fields: dict[str, np.dtype]) -> tuple[int, np.dtype]:
    struct = np.dtype(list(fields.items()), align=True)
    table = (structs.Field * len(fields))()
    for field, label in zip(table, fields):
        field.name, field.type = label.encode(), _BUILTIN[fields[label]]
        field.offset = struct.fields[label][1]
    number = ctypes.c_int32()
    native.call(
        "bifold_struct_type",
        name.encode(),
        struct.itemsize,
        table,
        len(table),
        ctypes.byref(number),
    )
    return number.value, struct


def _cast(given: np.ndarray, dtype: np.dtype, *, rounded: bool) -> np.ndarray:
    """Numbers in another dtype; ValueError where one would come out as another number.

    `rounded`: floating numbers are rounded to a floating dtype that is narrower, but not to
    infinity.
    """
    from_kind, kind = kind_of(given.dtype), kind_of(dtype)
    if kind == "c" and from_kind in "biufc":
        whole = np.empty(given.shape, dtype)
        whole.real = _cast(given.real, whole.real.dtype, rounded=rounded)
        whole.imag = _cast(given.imag, whole.real.dtype, rounded=rounded)
        return whole
    if from_kind not in "biuf" or kind not in "iuf":
        raise ValueError("it is no number that fits")
    with np.errstate(all="ignore"):
        array = given.astype(dtype)
        if rounded and from_kind == kind == "f":
            kept = np.isfinite(array) == np.isfinite(given)
        else:
            # What was cut off is another number on the way back, what wrapped has another sign.
            kept = (array.astype(given.dtype) == given) & ((array < 0) == (given < 0))
            if from_kind == kind == "f":
                kept |= np.isnan(given)
            elif from_kind == "f":
                kept &= _within(given, dtype)
            elif kind == "f":
                kept &= _within(array, given.dtype)
    if not kept.all():
        raise ValueError(f"{dtype} does not hold it")
    return array


def _within(floats: np.ndarray, integer: np.dtype) -> np.ndarray:
    """Which floating numbers an integer may have: machines differ in what others become."""
    if integer.kind == "b":
        return np.ones_like(floats, bool)
    limits, floats = np.iinfo(integer), floats.astype(np.float64)
    # One more than the greatest is a power of two, which a floating number is exactly.
    return (floats >= float(limits.min)) & (floats < float(limits.max + 1))


def cast_all(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Elements in another dtype: integers exactly, floating ones rounded where it is floating.

    InvalidArgument where one would come out as another number.
    """
    if values.dtype == dtype:
        return values
    try:
        return _cast(values, dtype, rounded=True)
    except ValueError as failure:
        raise errors.InvalidArgument(f"values of {values.dtype} for {dtype}: {failure}") from None


def _number(value: Any, dtype: np.dtype) -> np.ndarray:
    if isinstance(value, np.ma.MaskedArray):
        raise ValueError("it is masked")
    if isinstance(value, tuple):
        raise ValueError("a number is wanted")
    if type(value) is int and kind_of(dtype) in "fc" and int(float(value)) == value:
        value = np.float64(value)  # NumPy has no integer of more than 64 bits.
    given = np.asarray(value)
    if given.dtype == dtype:
        return given
    # Python has one floating type: its numbers say nothing about the precision that is wanted.
    return _cast(given, dtype, rounded=type(value) in (float, complex))


def _struct(value: Any, struct: np.dtype) -> np.ndarray:
    if isinstance(value, (np.void, np.ndarray)) and value.dtype == struct:
        return np.asarray(value)
    names = struct.names or ()
    if not isinstance(value, tuple) or len(value) != len(names):
        raise ValueError(f"a tuple of {len(names)} numbers is wanted")
    array = np.zeros(1, struct)
    for name, number in zip(names, value):
        array[name] = _one(_number(number, struct[name]))
    return array


def _one(array: np.ndarray) -> np.ndarray:
    if array.size != 1:
        raise ValueError(f"it has {array.size} elements, not one")
    return array.reshape(1)


def value_of(value: Any, dtype: np.dtype, what: str) -> np.ndarray:
    """One element of that dtype, in memory.

    InvalidArgument where the value is not one element, or where the dtype does not hold it. Floats
    of Python are rounded to a floating dtype.
    """
    try:
        made = _struct(value, dtype) if dtype.names else _number(value, dtype)
        return np.ascontiguousarray(_one(made))
    except (TypeError, ValueError, OverflowError) as failure:
        raise errors.InvalidArgument(
            f"{what} {described(value)} is no element of {dtype}: {failure}"
        ) from failure


def values_of(values: np.ndarray, dtype: np.dtype, what: str) -> np.ndarray:
    """Elements of another dtype; InvalidArgument where it does not hold one."""
    if values.dtype == dtype:
        return values
    try:
        return _cast(values, dtype, rounded=False)
    except ValueError as failure:
        raise errors.InvalidArgument(f"{what} of {values.dtype} for {dtype}: {failure}") from None
