"""Device memory of the library's own, for programs that bring no device arrays."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from . import _errors, _native, _types
from ._arguments import checked
from ._handles import Handle, InProcess, put
from ._kinds import HOST_ARRAY, OPENCL_PLACE, described
from ._queues import Queue, default_queue


class Buffer(Handle):
    """A handle on device memory, own or adopted."""

    _destructor = "bifold_buffer_destroy"

    @classmethod
    def of_size(cls, queue: Queue, nbytes: int) -> Buffer:
        return cls._of(put("bifold_buffer_create", queue.device.handle, nbytes))


def view_of(buffer: Buffer, dtype: np.dtype, count: int, offset: int = 0) -> _native.View:
    """`count` elements from element `offset` on."""
    return _native.View(buffer.handle, _types.type_of(dtype), offset, count)


def upload(queue: Queue, array: np.ndarray, view: _native.View) -> None:
    """Blocks. Copies a contiguous array to the device."""
    _native.call("bifold_upload", queue.handle, array.ctypes.data, view)


def download(queue: Queue, view: _native.View, array: np.ndarray) -> None:
    """Blocks. Copies to a contiguous array."""
    _native.call("bifold_download", queue.handle, view, array.ctypes.data)


class Array(InProcess):
    """A one-dimensional array in device memory, made by empty(), to_device() or from_opencl().

    Attributes:
        queue: where calls on it run, unless they are given another one.
        dtype: of its elements.
        shape: ``(n,)``.
    """

    queue: Queue
    dtype: np.dtype
    shape: tuple[int]
    _made_by = "bifold.empty(), bifold.to_device() and bifold.from_opencl() make arrays"
    _copied_by = "get() copies the elements into an array of NumPy"
    _buffer: Buffer
    _offset = 0
    _base: Any = None

    @classmethod
    def _of(cls, queue: Queue, buffer: Buffer, dtype: np.dtype, n: int) -> Array:
        made = cls.__new__(cls)
        made.queue, made.dtype, made.shape, made._buffer = queue, dtype, (n,), buffer
        return made

    @property
    def size(self) -> int:
        """How many elements it has."""
        return self.shape[0]

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def closed(self) -> bool:
        """Whether its memory has been given back."""
        return self._buffer.closed

    def __len__(self) -> int:
        return self.size

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        # NumPy would make an array of one object.
        raise _errors.WrongType(
            "a bifold.Array is in device memory: get() copies it into an array of NumPy"
        )

    def _view(self) -> _native.View:
        if self.closed:
            raise _errors.InvalidArgument("this Array is closed")
        return view_of(self._buffer, self.dtype, self.size, self._offset)

    def get(self) -> np.ndarray:
        """Blocks. The elements, when what is enqueued on the array's queue is done."""
        array = np.empty(self.shape, self.dtype)
        download(self.queue, self._view(), array)
        return array

    @checked
    def set(self, values: Any) -> None:
        """Blocks until the values, as many as the array has, have been read.

        Raises:
            InvalidArgument: they have another shape, or the dtype does not hold one of them;
                floating values are rounded to a floating dtype.
        """
        array = np.ascontiguousarray(_types.cast_all(host_array(values), self.dtype))
        if array.shape != self.shape:
            raise _errors.InvalidArgument(f"values of shape {array.shape} for {self.shape}")
        upload(self.queue, array, self._view())

    @checked
    def fill(self, value: Any) -> None:
        """Enqueues setting every element."""
        element = _types.value_of(value, self.dtype, "value")
        _native.call("bifold_fill", self.queue.handle, self._view(), element.ctypes.data)

    def close(self) -> None:
        """Gives the memory back; may wait for work that still uses it."""
        self._buffer.close()

    def __enter__(self) -> Array:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<bifold.Array of {self.size} {self.dtype} on {self.queue.device.info.selector}>"


def host_array(x: Any) -> np.ndarray:
    """What NumPy makes of an array of the host; InvalidArgument where that is none of elements."""
    if isinstance(x, np.ma.MaskedArray):
        raise _errors.InvalidArgument("arrays with a mask are not taken")
    try:
        array = np.asarray(x)
    except (TypeError, ValueError) as failure:
        raise _errors.InvalidArgument(
            f"{described(x)} is no array of elements: {failure}"
        ) from failure
    if array.dtype == object:
        raise _errors.InvalidArgument(f"{described(x)} is no array of elements")
    return array


def _place(queue: Any) -> Queue:
    if queue is None:
        return default_queue()
    if isinstance(queue, Queue):
        return queue
    from ._opencl import queue_of

    return queue_of(queue)


@checked(queue=OPENCL_PLACE)
def empty(n: int, dtype: Any, queue: Any = None) -> Array:
    """An uninitialised Array of `n` elements.

    Args:
        queue: where calls on the array run: a Queue or a pyopencl.CommandQueue; default_queue()
            unless one is given.

    Raises:
        OutOfMemory: the device has no room.
        InvalidArgument: `dtype` is no element type.
    """
    _types.type_of(dtype)
    nbytes = n * dtype.itemsize
    if nbytes >= 2**63:
        raise _errors.OutOfMemory(f"{n} elements of {dtype} are {nbytes} bytes")
    on = _place(queue)
    return Array._of(on, Buffer.of_size(on, nbytes), dtype, n)


@checked(x=HOST_ARRAY, queue=OPENCL_PLACE)
def to_device(x: Any, queue: Any = None) -> Array:
    """Blocks. An Array with the elements of a one-dimensional array of the host; see empty()."""
    array = host_array(x)
    if array.ndim != 1:
        raise _errors.InvalidArgument(f"an array of shape {array.shape}; ravel() makes it flat")
    made = empty(array.size, array.dtype, queue)
    made.set(array)
    return made


def _check_context(buffer: Any, queue: Queue) -> None:
    backend = queue.device.info.backend
    if backend != "opencl":
        raise _errors.InvalidArgument(f"a pyopencl.Buffer, and a queue of {backend}")
    native = queue.native or queue.record().to_opencl()
    if native.context != buffer.context:
        raise _errors.InvalidArgument(
            "the buffer is of another context than the queue: give the pyopencl.CommandQueue"
        )


@checked(queue=OPENCL_PLACE)
def from_opencl(
    buffer: Any, dtype: Any, queue: Any, *, offset: int = 0, n: int | None = None
) -> Array:
    """An Array over a pyopencl.Buffer, or a part of it. The Array keeps the buffer alive.

    Args:
        buffer: of the queue's context.
        dtype: of the elements.
        queue: where calls on the array run: a Queue or a pyopencl.CommandQueue.
        offset: the first element.
        n: how many; all that follow by default.

    Raises:
        InvalidArgument: the buffer ends before the array does, or is of another context.
    """
    _types.type_of(dtype)
    whole = buffer.size // dtype.itemsize
    count = whole - offset if n is None else n
    if count < 0 or offset + count > whole:
        raise _errors.InvalidArgument(
            f"{count} elements from {offset} on, of a buffer that holds {whole}"
        )
    on = _place(queue)
    _check_context(buffer, on)
    adopted = Buffer._of(put("bifold_opencl_adopt_buffer", buffer.int_ptr))
    array = Array._of(on, adopted, dtype, count)
    array._offset, array._base = offset, buffer
    return array
