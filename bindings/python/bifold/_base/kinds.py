"""What the parameters of public functions take: a kind for each name.

Nothing here knows how the library is called.
"""

from __future__ import annotations

import numbers
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from . import foreign
from .values import Kind, choice, described, flag, integer, integers, only, real, text, text_of

# The classes of a kind are those of the package, which imports this module before it has them.
_package = sys.modules[__package__.rpartition(".")[0]]


def _is_own(value: Any, name: str) -> bool:
    return isinstance(value, getattr(_package, name))


def _opened(value: Any) -> Any:
    if value.closed:
        raise ValueError("it is closed")
    return value


def own(name: str, hint: str = "") -> Kind:
    """An object of a class of this package, not closed."""

    def take(value: Any) -> Any:
        if not _is_own(value, name):
            raise TypeError(hint)
        return _opened(value)

    return Kind(f"a bifold.{name}", take)


def of_opencl(name: str) -> Kind:
    """An object of a class of PyOpenCL."""
    return Kind(f"a pyopencl.{name}", only(lambda x: foreign.is_opencl(x, name)))


def _plan_place(value: Any) -> Any:
    if _is_own(value, "Queue"):
        return _opened(value)
    return value if foreign.is_opencl(value, "CommandQueue") else _device(value)


def _selector(value: Any) -> str:
    if isinstance(value, (numbers.Integral, np.integer)):
        raise TypeError('devices are numbered within a backend, as "cuda:0" and "opencl:1"')
    if _is_own(value, "DeviceInfo"):
        raise TypeError(f"its selector is {value.selector!r}")
    if _is_own(value, "Device"):
        raise TypeError("it is open already")
    return text_of(value)


def _device(value: Any) -> Any:
    return _opened(value) if _is_own(value, "Device") else _selector(value)


def _queue(value: Any) -> Any:
    if _is_own(value, "Queue"):
        return _opened(value)
    if foreign.is_opencl(value, "CommandQueue") or foreign.cuda_stream(value) is not None:
        return value
    if isinstance(value, (int, np.integer)):
        raise TypeError("Queue.adopt_cuda(stream, device) takes a stream's number")
    made_from = isinstance(value, str) or _is_own(value, "Device")
    raise TypeError("bifold.Queue() makes one of it" if made_from else "")


def _place(value: Any) -> Any:
    if foreign.cuda_stream(value) is not None:
        raise TypeError("Queue.adopt_cuda(stream, device) makes one of it")
    return _queue(value)


def _stream(value: Any) -> Any:
    """The object itself: its owner keeps the stream alive."""
    if foreign.cuda_stream(value) is None:
        value = _STREAM_NUMBER.take(value)
    return value


def _event(value: Any) -> Any:
    if _is_own(value, "Event"):
        return _opened(value)
    if foreign.is_opencl(value, "Event") or foreign.cuda_event(value) is not None:
        return value
    raise TypeError("record() makes an event of it" if _is_own(value, "Queue") else "")


def _wait(value: Any) -> list[Any]:
    if _is_own(value, "Event") or foreign.is_opencl(value, "Event"):
        raise TypeError("one alone is given as [one]")
    events = list(value) if isinstance(value, Set) else _listed(value)
    for event in events:
        try:
            _event(event)
        except (TypeError, ValueError) as reason:
            more = f": {reason}" if str(reason) else ""
            raise type(reason)(f"{described(event)} is no open event{more}") from None
    return events


def _listed(value: Any) -> list[Any]:
    # Of sets and mappings nobody knows the order.
    if isinstance(value, (str, bytes, Set, Mapping)) or not isinstance(value, Iterable):
        raise TypeError("one alone is given as [one]" if isinstance(value, str) else "")
    return list(value)


def _all_names(value: Any) -> list[str]:
    return [text_of(name) for name in _listed(value)]


def _on_device(value: Any) -> frozenset[str]:
    names = frozenset(_all_names(value))
    if not names <= ON_DEVICE.keys() or {"count_u32", "count_u64"} <= names:
        raise ValueError
    return names


def _reductions(value: Any) -> list[Any]:
    wanted = _listed(value)
    for one in wanted:
        if not isinstance(one, str) and not any(
            _is_own(one, name) for name in ("Operator", "Reduction")
        ):
            raise TypeError(f"{described(one)} is none")
    return wanted


def _text_or(name: str) -> Callable[[Any], Any]:
    return lambda value: _opened(value) if _is_own(value, name) else text_of(value)


def _dtype(value: Any) -> np.dtype:
    if isinstance(value, np.dtype):
        return value
    # NumPy also takes what merely has a dtype, and None.
    if value is None or not isinstance(value, (str, type, list, tuple, dict)):
        raise TypeError("its dtype is wanted" if hasattr(value, "dtype") else "")
    try:
        return np.dtype(value)
    except Exception as failure:  # NumPy has several for texts that it cannot read.
        raise TypeError(failure) from None


def _struct(value: Any) -> np.dtype:
    struct = _dtype(value)
    if struct.names is None:
        raise ValueError("it has no fields")
    for name in struct.names:
        try:
            text_of(name)
        except ValueError as reason:
            raise ValueError(f"of a field's name {name!r}, {reason}") from None
    return struct


def _path(value: Any) -> str:
    name = os.fsdecode(value)
    if "\0" in name:
        raise ValueError("it holds a null character")
    return name


def _seconds(value: Any) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError
    if not value >= 0:
        raise ValueError
    return float(min(value, 2.0**64))


def _deadline(value: Any) -> float:
    if _seconds(value) == 0:
        raise ValueError
    return _seconds(value)


def _element(value: Any) -> Any:
    if isinstance(value, (numbers.Number, np.generic, np.ndarray, tuple)):
        return value
    # Scalars of other libraries have an array's interface.
    if isinstance(value, type) or not hasattr(value, "__array__") or _is_own(value, "Array"):
        raise TypeError
    return value


def _start(value: Any) -> Any:
    if _is_own(value, "Array"):
        return _opened(value)
    if foreign.is_opencl_array(value) or foreign.cuda_interface(value) is not None:
        return value
    return _element(value)


# What else NumPy makes arrays of, beside sequences and buffers.
_EXPORTS = ("__array__", "__array_interface__", "__array_struct__")


def _array(value: Any) -> Any:
    if isinstance(value, np.ndarray) or foreign.is_opencl_array(value):
        return value
    if _is_own(value, "Array"):
        return _opened(value)
    if isinstance(value, (type, str, bytes)) or value is None:
        raise TypeError
    known = isinstance(value, (numbers.Number, Sequence))
    if known or foreign.cuda_interface(value) is not None or foreign.has_dlpack(value):
        return value
    if any(hasattr(value, name) for name in _EXPORTS):
        return value
    if foreign.is_opencl_buffer(value):
        raise TypeError("bifold.from_opencl() makes one of it")
    try:
        memoryview(value)
    except TypeError:
        raise TypeError from None
    return value


def _arrays(value: Any) -> Any:
    if not isinstance(value, tuple):
        return _array(value)
    return tuple(_array(one) for one in value)


def _texts(value: Any) -> Any:
    if not isinstance(value, tuple):
        return text_of(value)
    return tuple(None if one is None else text_of(one) for one in value)


def _host_array(value: Any) -> Any:
    if _is_own(value, "Array") or foreign.is_opencl_array(value):
        raise TypeError("it is on a device already; get() copies it")
    if foreign.cuda_interface(value) is not None:
        raise TypeError("it is on a device already")
    return _array(value)


def _named(take: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    """A mapping from names to what `take` takes."""

    def each(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise TypeError
        return {text_of(name): take(one) for name, one in value.items()}

    return each


ORDERS = ("v1", "any")
# What plans may be made for, as the library numbers it.
ON_DEVICE = {"count_u32": 1, "count_u64": 2, "init": 4, "total": 8}
LEVELS = ("debug", "info", "warning", "error")
COMMUTATIVITY = ("non_commutative", "commutative")

SELECTOR = Kind('a text such as "opencl:cpu"', _selector)
ARRAY = Kind("an array", _array)
ARRAYS = Kind("an array, or a tuple of some", _arrays)
HOST_ARRAY = Kind("an array of the host", _host_array)
ELEMENT = Kind("a number, or a tuple for a struct", _element)
DTYPE = Kind("a NumPy dtype, or what names one", _dtype)
RESULT_MAP = text("an expression's text")
SCALAR_TYPES = Kind("a dict from names to dtypes", _named(_dtype))
STRUCT = Kind("a structured dtype", _struct)
PATH = Kind("a path", _path)
MAP = Kind("an expression's text or a bifold.Map", _text_or("Map"))
EVENT = Kind("an event of bifold, PyOpenCL, CuPy or PyTorch", _event)
OWN_EVENT = own("Event")
_STREAM_NUMBER = integer("", 0, 2**64 - 1)
CUDA_EVENT = integer("a CUevent's number", 1, 2**64 - 1)
_AXIS = integer("an axis", -(2**31), 2**31)
AXIS = Kind("an axis, a number", _AXIS.take)
AXES = Kind("an axis or a tuple of axes", integers(_AXIS))
FLAG = Kind("True or False", flag)
SHAPE = Kind("a number of elements or a tuple of extents", integers(integer("")))
OPENCL_PLACE = Kind("a bifold.Queue or a pyopencl.CommandQueue", _place)
PLAN_PLACE = Kind(
    'a bifold.Device, a bifold.Queue, a pyopencl.CommandQueue or a selector such as "opencl:cpu"',
    _plan_place,
)
ONLY_DEVICE = own("Device", "bifold.open_device() opens one")

# An operator of associative_scan().
STEP = Kind(
    "an expression's text, or a tuple of some",
    lambda op: tuple(map(text_of, op)) if isinstance(op, tuple) else text_of(op),
)

KINDS: dict[str, Kind] = {
    "accumulate": DTYPE,
    "arrays": ARRAYS,
    "axis": AXES,
    "buffer": Kind("a pyopencl.Buffer", only(foreign.is_opencl_buffer)),
    "cache": choice("disk", "memory"),
    "cache_directory": PATH,
    "cache_limit_bytes": integer("a number of bytes"),
    "cache_programs": integer("a number of programs", 1),
    "comm": Kind("an intracommunicator of mpi4py", only(foreign.is_communicator)),
    "commutativity": choice(*COMMUTATIVITY),
    "context": integer("a CUcontext's number", 1, 2**64 - 1),
    "count_from": ARRAY,
    "ddof": Kind("a number", real),
    "deadline": Kind("a time limit of more than 0 seconds", _deadline),
    "device": Kind('a bifold.Device or a selector such as "opencl:cpu"', _device),
    # It receives the call's completion, so it may have been closed before.
    "done": Kind("a bifold.Event", only(lambda x: _is_own(x, "Event"))),
    "dtype": DTYPE,
    "earlier": OWN_EVENT,
    "event": CUDA_EVENT,
    "events": EVENT,
    "expression": text("an expression's text"),
    "gates": ARRAY,
    "h0": ELEMENT,
    "identity": ELEMENT,
    "init": Kind("a number, a tuple for a struct, or an array of one for each line", _start),
    "keepdims": FLAG,
    "later": OWN_EVENT,
    "level": choice(*LEVELS, "off"),
    "limit": Kind("a time limit of 0 or more seconds", _seconds),
    "map": MAP,
    "memory": ARRAY,
    "n": integer("a number of elements"),
    "name": text("a text"),
    "offset": integer("a number of elements"),
    "on_device": Kind(f"a list of {', '.join(ON_DEVICE)}, with one count at most", _on_device),
    "op": Kind("the name of a built-in operator or a bifold.Operator", _text_or("Operator")),
    "operators": Kind("a list of names of built-in operators", _all_names),
    "order": choice(*ORDERS),
    "out": ARRAY,
    "path": PATH,
    "predicate": MAP,
    "queue": Kind(
        "a bifold.Queue, a pyopencl.CommandQueue, or a stream of CuPy or PyTorch", _queue
    ),
    "ranks": integer("a number of ranks", 1, 2**32 - 1),
    "reductions": Kind("a list of names of built-in operators and bifold.Reductions", _reductions),
    "result_map": Kind("an expression's text, or a tuple of some", _texts),
    "reverse": FLAG,
    "scalars": Kind(
        "a dict from names to numbers, tuples for structs, or arrays of one element", _named(_start)
    ),
    "scan": FLAG,
    "selector": SELECTOR,
    "shape": Kind("extents or a tuple of extents", integers(integer("", -1))),
    "stream": Kind("a stream of CuPy or PyTorch, or a CUstream's number", _stream),
    "strided": FLAG,
    "timing": choice("disabled", "enabled"),
    "tokens": ARRAY,
    "total": ARRAY,
    "tuning_file": PATH,
    "value": ELEMENT,
    "values": HOST_ARRAY,
    "variant": text("a variant's name"),
    "wait": Kind("a list of events of bifold, PyOpenCL, CuPy or PyTorch", _wait),
    "workspace": own("Workspace", "bifold.Workspace(memory) makes one"),
    "x": ARRAY,
    "y": ARRAY,
}
