"""Objects of other libraries, recognised without importing these."""

from __future__ import annotations

import sys
from typing import Any


def is_opencl(x: Any, name: str, module: str = "pyopencl") -> bool:
    """Whether it is an instance of a class of PyOpenCL: of none while that is not imported."""
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(x, kind)


def is_communicator(x: Any) -> bool:
    """Whether it is an intracommunicator of mpi4py."""
    return is_opencl(x, "Intracomm", "mpi4py.MPI")


def is_opencl_array(x: Any) -> bool:
    """Whether it is a pyopencl.array.Array."""
    return is_opencl(x, "Array", "pyopencl.array")


def is_opencl_buffer(x: Any) -> bool:
    """Whether it is a pyopencl.Buffer, or one of a pool."""
    return is_opencl(x, "MemoryObjectHolder") and not is_opencl(x, "Image")


_STREAM = ("ptr", "cuda_stream")


def _number(x: Any, attributes: tuple[str, ...]) -> tuple[str, int] | tuple[None, None]:
    for attribute in attributes:
        number = getattr(x, attribute, None)
        if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
            return attribute, number
    return None, None


def cuda_stream(x: Any) -> int | None:
    """The CUstream of CuPy's and PyTorch's stream objects, None of anything else."""
    # Events of CuPy have a ptr, too.
    if type(x).__name__.endswith("Event"):
        return None
    return _number(x, _STREAM)[1]


def is_tensor(x: Any) -> bool:
    """Whether it is a tensor of PyTorch, of no subclass."""
    kind = type(x)
    return (kind.__module__, kind.__qualname__) == ("torch", "Tensor")


def torch_stream(x: Any, index: int) -> int | None:
    """The CUstream that is current for a tensor of PyTorch, 0 the default one; else None."""
    if not is_tensor(x):
        return None
    current = getattr(sys.modules["torch"]._C, "_cuda_getCurrentRawStream", None)
    return None if current is None else current(index)


def number_name(x: Any) -> str:
    """What a command queue or a stream calls the number that it is told by."""
    return _number(x, _STREAM)[0] or "int_ptr"


_EVENT = ("ptr", "cuda_event")


def cuda_event(x: Any) -> int | None:
    """The CUevent of CuPy's and PyTorch's event objects, None of anything else."""
    if type(x).__name__.endswith("Stream"):
        return None
    return _number(x, _EVENT)[1]


def event_name(x: Any) -> str:
    """What an event of CUDA or OpenCL calls its number."""
    return _number(x, _EVENT)[0] or "int_ptr"


def cuda_interface(x: Any) -> dict[str, Any] | None:
    """The __cuda_array_interface__, None where there is none."""
    interface = getattr(x, "__cuda_array_interface__", None)
    return interface if isinstance(interface, dict) else None


def has_dlpack(x: Any) -> bool:
    """Whether it exports its memory by DLPack."""
    return hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")


def is_negated(x: Any) -> bool:
    """Whether it is a tensor of PyTorch whose elements are those of its memory with another sign.

    PyTorch exports such a tensor without saying so.
    """
    is_neg = getattr(x, "is_neg", None)
    return callable(is_neg) and is_neg() is True
