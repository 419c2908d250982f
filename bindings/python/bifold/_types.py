"""Element types: NumPy's dtypes and the library's numbers for them."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np

from . import _errors, _native

_BUILTIN: dict[np.dtype, int] = {
    np.dtype(name): number
    for number, name in enumerate(
        "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 float16".split()
    )
}
_structs: dict[np.dtype, tuple[int, str]] = {}
_lock = threading.Lock()


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
    struct = np.dtype(dtype)
    if struct.fields is None:
        raise _errors.InvalidArgument(f"{struct} is no structured dtype")
    fields = (_native.Field * len(struct.names or ()))()
    for field, label in zip(fields, struct.names or ()):
        of, offset = struct.fields[label][:2]
        if of not in _BUILTIN:
            raise _errors.InvalidArgument(f"field {label} of {name} is of {of}: {_why_not(of)}")
        field.name, field.type, field.offset = label.encode(), _BUILTIN[of], offset
    number = ctypes.c_int32()
    with _lock:
        known = _structs.get(struct)
        if known is not None and known[1] != name:
            raise _errors.InvalidArgument(f"{struct} is the element type {known[1]} already")
        _errors.call(
            "bifold_struct_type",
            name.encode(),
            struct.itemsize,
            fields,
            len(fields),
            ctypes.byref(number),
        )
        _structs[struct] = (number.value, name)
    return struct


def _why_not(dtype: np.dtype) -> str:
    if not dtype.isnative:
        return "its byte order is not this machine's; astype(dtype.newbyteorder('=')) changes it"
    if dtype == np.bool_:
        return "booleans are no element type; view(numpy.uint8) makes them numbers"
    if dtype.fields is not None:
        return "name it first: bifold.struct_type(name, dtype)"
    return (
        "element types are integers of 8 to 64 bits, float16, float32, float64, and structs of "
        "them"
    )


def type_of(dtype: np.dtype) -> int:
    """The library's number of an element type; InvalidArgument where it has none."""
    number = _BUILTIN.get(dtype)
    if number is not None:
        return number
    struct = _structs.get(dtype)
    if struct is None:
        raise _errors.InvalidArgument(f"elements of {dtype}: {_why_not(dtype)}")
    return struct[0]


def _converted(value: Any, dtype: np.dtype) -> np.ndarray:
    """The number in the dtype; ValueError where it would come out as another one."""
    given = np.asarray(value)
    if given.dtype == dtype:
        return given
    if given.dtype.kind not in "biuf":
        raise ValueError("it is no number that fits")
    with np.errstate(invalid="ignore"):
        array = given.astype(dtype)
    if dtype.kind in "iu" and given.size == 1 and int(array.reshape(())) != given.reshape(()):
        raise ValueError("it is out of range, or no integer")
    return array


def value_of(value: Any, dtype: np.dtype, what: str) -> np.ndarray:
    """One element of that dtype, in memory.

    InvalidArgument where the value is not one element, or cannot be told in the dtype.
    """
    try:
        array = np.array(value, dtype=dtype) if dtype.fields else _converted(value, dtype)
    except (TypeError, ValueError, OverflowError) as failure:
        raise _errors.InvalidArgument(f"{what} {value!r} is no {dtype}: {failure}") from failure
    if array.size != 1:
        raise _errors.InvalidArgument(f"{what} has {array.size} elements, not one")
    return np.ascontiguousarray(array.reshape(1))
