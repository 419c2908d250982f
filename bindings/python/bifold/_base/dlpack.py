"""Tensors that are exchanged as DLPack capsules, the versioned ones included."""

from __future__ import annotations

import ctypes
import importlib
import weakref
from typing import Any

import numpy as np

from . import errors, foreign
from .lines import c_strides

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
ON_HOST = (CPU, CUDA_HOST)
ON_CUDA = (CUDA, CUDA_MANAGED)

_READ_ONLY, _COPIED = 1, 2
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex"}


def device_of(x: Any) -> tuple[int, int] | None:
    """Kind and number of the device that an object tells, None where it exports nothing."""
    if not foreign.has_dlpack(x):
        return None
    kind, number = x.__dlpack_device__()
    return int(kind), int(number)


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_STRUCTS: dict[bytes, Any] = {b"dltensor_versioned": _Versioned, b"dltensor": _Managed}
# A capsule keeps the pointer to its name, not the text: these live as long as the process.
_USED = {name: ctypes.create_string_buffer(b"used_" + name) for name in _STRUCTS}

_api = ctypes.pythonapi
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api)
)
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_set_name = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(
    ("PyCapsule_SetName", _api)
)


def _delete(deleter: int | None, managed: int) -> None:
    if deleter:
        _DELETER(deleter)(managed)


class Tensor:
    """A tensor taken over from its producer, who gets it back by release() or when forgotten.

    Attributes:
        address, dtype, shape, strides: of the memory; strides in bytes, None where contiguous.
        read_only, copied: whether it may be written, and whether writing would reach the producer.
    """

    def __init__(self, capsule: Any) -> None:
        name = next((name for name in _STRUCTS if _is_valid(capsule, name)), None)
        if name is None:
            raise errors.InvalidArgument("__dlpack__() gave no capsule of a tensor not yet used")
        pointer = _get_pointer(capsule, name)
        managed = _STRUCTS[name].from_address(pointer)
        # From here on the capsule leaves deleting to this object.
        _set_name(capsule, ctypes.addressof(_USED[name]))
        self._finalizer = weakref.finalize(self, _delete, managed.deleter, pointer)
        try:
            self._read(managed)
        except BaseException:
            self.release()
            raise

    def _read(self, managed: _Managed | _Versioned) -> None:
        flags = 0
        if isinstance(managed, _Versioned):
            # Another major version says nothing of what follows its deleter.
            if managed.major != 1:
                raise errors.InvalidArgument(f"DLPack {managed.major}.{managed.minor} is unknown")
            flags = managed.flags
        tensor = managed.tensor
        kind = _KINDS.get(tensor.code)
        if kind is None or tensor.lanes != 1:
            raise errors.InvalidArgument(
                f"DLPack elements of kind {tensor.code}, {tensor.bits} bits, {tensor.lanes} lanes "
                "are no element type"
            )
        try:
            if kind == "bfloat":
                importlib.import_module("ml_dtypes")  # Which tells NumPy.
            self.dtype = np.dtype(f"{kind}{tensor.bits}")
        except (ImportError, TypeError) as failure:
            raise errors.InvalidArgument(f"DLPack elements: {failure}") from failure
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        self.strides = None
        if tensor.strides:
            self.strides = tuple(
                tensor.strides[i] * self.dtype.itemsize for i in range(tensor.ndim)
            )
        self.read_only = bool(flags & _READ_ONLY)
        self.copied = bool(flags & _COPIED)

    def release(self) -> None:
        """Gives the tensor back; further calls do nothing."""
        self._finalizer()

    def as_array(self) -> np.ndarray:
        """Host memory as an array, valid until release()."""
        if 0 in self.shape:
            return np.empty(self.shape, self.dtype)
        strides = self.strides or c_strides(self.shape, self.dtype.itemsize)
        # From the lowest byte that an index reaches to behind the highest.
        reaches = [(extent - 1) * stride for extent, stride in zip(self.shape, strides)]
        low = sum(reach for reach in reaches if reach < 0)
        nbytes = sum(abs(reach) for reach in reaches) + self.dtype.itemsize
        memory = (ctypes.c_char * nbytes).from_address(self.address + low)
        array: np.ndarray = np.ndarray(self.shape, self.dtype, memory, -low, strides)
        if self.read_only:
            array.flags.writeable = False
        return array


def take(x: Any, stream: int | None) -> Tensor:
    """Takes a tensor over; what is enqueued on `stream` from then on sees its content.

    `stream` is a CUstream's number, of which 1 and 2 are the default ones, or None on the host.
    """
    if foreign.is_negated(x):
        raise errors.InvalidArgument(
            "the array is a view that negates its memory; resolve_neg() gives one that does not"
        )
    arguments = {} if stream is None else {"stream": stream}
    try:
        try:
            capsule = x.__dlpack__(max_version=(1, 0), **arguments)
        except TypeError:
            # A producer of the time before versions.
            capsule = x.__dlpack__(**arguments)
    except (BufferError, RuntimeError) as failure:  # The latter are PyTorch's.
        raise errors.InvalidArgument(f"the array is not exported: {failure}") from failure
    return Tensor(capsule)
