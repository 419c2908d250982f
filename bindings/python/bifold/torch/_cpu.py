"""Tensors in the host's memory: on what they are worked, and how the package sees them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from .._base import errors, types
from .._base.devices import Device
from .._base.queues import Queue

_queue: Queue | None = None

# What NumPy has no numbers for is seen as something of the same size.
_VIEWS = {
    torch.bool: (torch.uint8, None),
    torch.bfloat16: (torch.int16, types.BFLOAT16),
}


class use_cpu:
    """Has tensors of the CPU be worked on by a device, from now on or within ``with``.

    >>> with bifold.torch.use_cpu("opencl:cpu"):
    ...     bifold.torch.sum(torch.ones(3))
    tensor(3.)

    They are copied there and back, and calls block: so it has to be asked for. It is no argument of
    the functions, as compiled graphs and gradients call these, too. It holds for all threads.

    Args:
        device: a selector of open_device(), a Device, or a Queue; None: nothing.

    Raises:
        Unavailable: there is no such device.
    """

    def __init__(self, device: str | Device | Queue | None = "opencl:cpu") -> None:
        global _queue
        self._made = device if device is None or isinstance(device, Queue) else Queue(device)
        self._before, _queue = _queue, self._made

    def __enter__(self) -> None:
        global _queue
        if _queue is not self._made:  # Something else was said since.
            self._before, _queue = _queue, self._made

    def __exit__(self, *_: Any) -> None:
        global _queue
        _queue = self._before


def queue() -> Queue:
    """What tensors of the CPU are worked on by; InvalidArgument where nothing was said."""
    if _queue is None:
        raise errors.InvalidArgument(
            "a tensor of the CPU: x.cuda() brings it to a GPU, and "
            'bifold.torch.use_cpu("opencl:cpu") has such tensors be worked on by a device'
        )
    return _queue


def array_of(x: torch.Tensor) -> np.ndarray:
    """The elements of a tensor of the CPU, as an array over the same memory."""
    number, dtype = _VIEWS.get(x.dtype, (None, None))
    if number is not None:
        x = x.view(number)
    array = x.numpy()
    return array if dtype is None else array.view(dtype)
