"""Which kind of array a user gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import dlpack, errors, foreign
from . import cuda, opencl
from .memory import Array
from .operands import HostOperand, Operand, OwnOperand


def operand_of(x: Any) -> Operand:
    """What a call knows of an array of any kind; InvalidArgument for one that is not taken."""
    if isinstance(x, Operand):
        return x
    if isinstance(x, Array):
        return OwnOperand(x)
    if isinstance(x, np.ndarray):
        return HostOperand(x)
    if foreign.is_opencl_array(x):
        return opencl.OpenCLOperand(x)
    interface = foreign.cuda_interface(x)
    device = dlpack.device_of(x)
    on_cuda = device is not None and device[0] in dlpack.ON_CUDA
    # An interface of a version that knows no streams leaves it to DLPack to order the work.
    if interface is not None and ("stream" in interface or not on_cuda):
        return cuda.InterfaceOperand(x, interface)
    if device is None or device[0] in dlpack.ON_HOST:
        return HostOperand(x)
    if on_cuda:
        return cuda.DlpackOperand(x, device[1])
    raise errors.InvalidArgument(
        f"{type(x).__name__} is on a device of DLPack's kind {device[0]}, which is not taken"
    )
