"""The arrays of a call: what kind each is, where it can be worked on, and how it gets there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _dlpack, _errors, _native
from ._memory import Array, Buffer, download, host_array, upload, view_of
from ._queues import Event, Queue

if TYPE_CHECKING:
    from ._calls import Call
from ._kinds import described


class Operand:
    """One array of a call.

    prepare() tells dtype and shape; bind() then gives the library's view of the elements.

    Attributes:
        backend: the backend whose queues reach the memory; None where all of them do.
    """

    backend: str | None = None
    dtype: np.dtype
    shape: tuple[int, ...]

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def queue(self) -> Queue | None:
        """The queue that the array brings along."""
        return None

    def prepare(self, call: Call) -> None:
        """Finds out dtype and shape, and has the call wait for what fills the array."""

    def check_writable(self) -> None:
        """InvalidArgument where the array cannot receive a result."""

    def bind(self, call: Call) -> _native.View:
        raise NotImplementedError

    def finish(self, call: Call, done: Event | None) -> None:
        """Of an output: what is left to do when the call is enqueued."""

    def empty(self, call: Call, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        """A new array of the same kind."""
        raise NotImplementedError

    @property
    def wants_done(self) -> bool:
        """Whether finish() of an output needs the call's completion."""
        return False


def check_contiguous(
    shape: tuple[int, ...], strides: tuple[int, ...] | None, itemsize: int
) -> None:
    """InvalidArgument for an array of a device that has gaps or is not in C order."""
    if not _dlpack.is_contiguous(shape, strides, itemsize):
        raise _errors.InvalidArgument(
            f"the array is not contiguous: shape {shape}, strides {strides} bytes; "
            "copy it into one that is"
        )


class HostOperand(Operand):
    """Memory of the host, which is copied to the device and back."""

    def prepare(self, call: Call) -> None:
        self.host = self._import(call)
        self.dtype, self.shape = self.host.dtype, self.host.shape

    def _import(self, call: Call) -> np.ndarray:
        own = isinstance(self.array, np.ndarray)
        if not own and hasattr(self.array, "__dlpack__"):
            tensor = _dlpack.take(self.array, None)
            call.at_end(tensor.release)
            self.copied = tensor.copied
            return tensor.as_array()
        self.copied = not own
        return host_array(self.array)

    def check_writable(self) -> None:
        if self.copied:
            raise _errors.InvalidArgument(
                f"{described(self.array)} cannot receive a result: only its copy is at hand"
            )
        if not self.host.flags.writeable:
            raise _errors.InvalidArgument("the output is read-only")
        step = self.host.itemsize
        if any(n > 1 and abs(s) < step for n, s in zip(self.host.shape, self.host.strides)):
            raise _errors.InvalidArgument("elements of the output share their memory")

    def bind(self, call: Call) -> _native.View:
        buffer = Buffer.of_size(call.queue, self.size * self.dtype.itemsize)
        call.at_end(buffer.close)
        self.view = view_of(buffer, self.dtype, self.size)
        if not call.is_output(self):
            upload(call.queue, np.ascontiguousarray(self.host), self.view)
        return self.view

    def finish(self, call: Call, done: Event | None) -> None:
        if self.host.flags.c_contiguous:
            download(call.queue, self.view, self.host)
        else:
            result = np.empty(self.shape, self.dtype)
            download(call.queue, self.view, result)
            self.host[...] = result

    def empty(self, call: Call, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        return np.empty(shape, dtype)


class OwnOperand(Operand):
    """An Array of this package."""

    array: Array

    def __init__(self, array: Array) -> None:
        super().__init__(array)
        self.backend = array.queue.device.info.backend

    def queue(self) -> Queue:
        return self.array.queue

    def prepare(self, call: Call) -> None:
        self.dtype, self.shape = self.array.dtype, self.array.shape

    def bind(self, call: Call) -> _native.View:
        if self.array.queue is not call.queue:
            call.wait_for(self.array.queue.record())
        return self.array._view()

    @property
    def wants_done(self) -> bool:
        return True

    def finish(self, call: Call, done: Event | None) -> None:
        # What is enqueued on the array's own queue from now on sees the result.
        if self.array.queue is not call.queue and done is not None and not done.empty:
            self.array.queue.wait_for(done)

    def empty(self, call: Call, shape: tuple[int, ...], dtype: np.dtype) -> Array:
        from ._memory import empty

        return empty(math.prod(shape), dtype, call.queue)
