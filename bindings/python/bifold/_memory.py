"""Device memory of the library's own, for programs that bring no device arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _errors, _native, _types
from ._handles import Handle, put
from ._queues import Queue, default_queue


class Buffer(Handle):
    """A handle on device memory, own or adopted."""

    _destructor = "bifold_buffer_destroy"

    @classmethod
    def of_size(cls, queue: Queue, nbytes: int) -> Buffer:
        return cls(put("bifold_buffer_create", queue.device.handle, nbytes))


def view_of(buffer: Buffer, dtype: np.dtype, count: int, offset: int = 0) -> _native.View:
    """`count` elements from element `offset` on."""
    return _native.View(buffer.handle, _types.type_of(dtype), offset, count)


def upload(queue: Queue, array: np.ndarray, view: _native.View) -> None:
    """Blocks. Copies a contiguous array to the device."""
    _errors.call("bifold_upload", queue.handle, array.ctypes.data, view)


def download(queue: Queue, view: _native.View, array: np.ndarray) -> None:
    """Blocks. Copies to a contiguous array."""
    _errors.call("bifold_download", queue.handle, view, array.ctypes.data)


class Array:
    """A one-dimensional array in device memory, made by empty(), to_device() or from_opencl().

    Attributes:
        queue: where calls on it run, unless they are given another one.
        dtype: of its elements.
        shape: ``(n,)``.
    """

    def __init__(
        self,
        queue: Queue,
        buffer: Buffer,
        dtype: np.dtype,
        n: int,
        offset: int = 0,
        base: Any = None,
    ) -> None:
        self.queue = queue
        self.dtype = dtype
        self.shape = (n,)
        self._buffer = buffer
        self._offset = offset
        self._base = base

    @property
    def size(self) -> int:
        """How many elements it has."""
        return self.shape[0]

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.size

    def _view(self) -> _native.View:
        return view_of(self._buffer, self.dtype, self.size, self._offset)

    def get(self) -> np.ndarray:
        """Blocks. The elements, when what is enqueued on the array's queue is done."""
        array = np.empty(self.shape, self.dtype)
        download(self.queue, self._view(), array)
        return array

    def set(self, values: Any) -> None:
        """Blocks until the values, as many as the array has, have been read.

        Raises:
            InvalidArgument: they have another shape.
        """
        array = np.ascontiguousarray(values, self.dtype)
        if array.shape != self.shape:
            raise _errors.InvalidArgument(f"values of shape {array.shape} for {self.shape}")
        upload(self.queue, array, self._view())

    def fill(self, value: Any) -> None:
        """Enqueues setting every element."""
        element = _types.value_of(value, self.dtype, "value")
        _errors.call("bifold_fill", self.queue.handle, self._view(), element.ctypes.data)

    def close(self) -> None:
        """Gives the memory back; may wait for work that still uses it."""
        self._buffer.close()

    def __enter__(self) -> Array:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<bifold.Array of {self.size} {self.dtype} on {self.queue.device.info.selector}>"


def empty(n: int, dtype: Any, queue: Queue | None = None) -> Array:
    """An uninitialised Array of `n` elements, on the default queue unless another is given.

    Raises:
        OutOfMemory: the device has no room.
        InvalidArgument: `dtype` is no element type.
    """
    of = np.dtype(dtype)
    _types.type_of(of)
    if n < 0:
        raise _errors.InvalidArgument(f"an array of {n} elements")
    on = default_queue() if queue is None else queue
    return Array(on, Buffer.of_size(on, n * of.itemsize), of, n)


def to_device(x: Any, queue: Queue | None = None) -> Array:
    """Blocks. An Array with the elements of a one-dimensional array of the host."""
    array = np.ascontiguousarray(x)
    if array.ndim != 1:
        raise _errors.InvalidArgument(f"an array of shape {array.shape}; ravel() makes it flat")
    made = empty(array.size, array.dtype, queue)
    made.set(array)
    return made


def from_opencl(
    buffer: Any, dtype: Any, queue: Queue, *, offset: int = 0, n: int | None = None
) -> Array:
    """An Array over a pyopencl.Buffer, or a part of it. The Array keeps the buffer alive.

    Args:
        buffer: of the queue's context.
        dtype: of the elements.
        queue: where calls on the array run.
        offset: the first element.
        n: how many; all that follow by default.

    Raises:
        InvalidArgument: the buffer ends before the array does.
    """
    of = np.dtype(dtype)
    whole = buffer.size // of.itemsize
    count = whole - offset if n is None else n
    if offset < 0 or count < 0 or offset + count > whole:
        raise _errors.InvalidArgument(
            f"{count} elements from {offset} on, of a buffer that holds {whole}"
        )
    adopted = Buffer(put("bifold_opencl_adopt_buffer", buffer.int_ptr))
    return Array(queue, adopted, of, count, offset, buffer)
