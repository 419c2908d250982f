"""Device memory of the library's own, for programs that bring no device arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .. import _core
from .._base import errors, lines, native, structs, types
from .._base.arguments import checked
from .._base.handles import Handle, InProcess, put
from .._base.kinds import HOST_ARRAY, OPENCL_PLACE, SHAPE
from .._base.opencl_queues import queue_of
from .._base.queues import Queue, default_queue
from .._base.values import described


class Buffer(Handle):
    """A handle on device memory, own or adopted."""

    _destructor = "bifold_buffer_destroy"

    @classmethod
    def of_size(cls, queue: Queue, nbytes: int) -> Buffer:
        return cls._of(put("bifold_buffer_create", queue.device.handle, nbytes))


def upload(queue: Queue, array: np.ndarray, view: structs.View) -> None:
    """Blocks. Copies a contiguous array to the device."""
    native.call("bifold_upload", queue.handle, array.ctypes.data, view)


def download(queue: Queue, view: structs.View, array: np.ndarray) -> None:
    """Blocks. Copies to a contiguous array."""
    native.call("bifold_download", queue.handle, view, array.ctypes.data)


class Array(InProcess):
    """An array in device memory, made by empty(), to_device() or from_opencl().

    Slices and transposes are views: Arrays over the same memory, which is given back once for all.

    Attributes:
        queue: where calls on it run, unless they are given another one.
        dtype: of its elements.
        shape: its extents.
    """

    queue: Queue
    dtype: np.dtype
    shape: tuple[int, ...]
    _made_by = "bifold.empty(), bifold.to_device() and bifold.from_opencl() make arrays"
    _copied_by = "get() copies the elements into an array of NumPy"
    _buffer: Buffer
    _strides: tuple[int, ...]
    _offset = 0
    _base: Any = None
    _layout: _core.Layout | None = None  # What calls have seen of the other attributes.

    @classmethod
    def _of(cls, queue: Queue, buffer: Buffer, dtype: np.dtype, shape: tuple[int, ...]) -> Array:
        made = cls.__new__(cls)
        made.__dict__.update(
            queue=queue, dtype=dtype, shape=shape, _buffer=buffer, _strides=lines.c_strides(shape)
        )
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__.pop("_layout", None)
        super().__setattr__(name, value)

    @classmethod
    def _empty(cls, queue: Queue, dtype: np.dtype, shape: tuple[int, ...]) -> Array:
        nbytes = math.prod(shape) * dtype.itemsize
        return cls._of(queue, Buffer.of_size(queue, nbytes), dtype, shape)

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def closed(self) -> bool:
        """Whether its memory has been given back."""
        return self._buffer.closed

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from an element to the next one along each dimension."""
        return tuple(stride * self.dtype.itemsize for stride in self._strides)

    @property
    def T(self) -> Array:
        """A view with the dimensions in reverse."""
        return self._viewed(np.transpose)

    @checked
    def reshape(self, *shape: Any) -> Array:
        """A view of other extents, in C order. One of them may be -1, which then follows.

        Raises:
            InvalidArgument: there are as many elements in no such shape, or this array has gaps.
        """
        self._check_dense("reshape()")
        extents = shape[0] if len(shape) == 1 else tuple(n for part in shape for n in part)
        try:
            return self._viewed(lambda layout: layout.reshape(extents))
        except ValueError as failure:
            raise errors.InvalidArgument(f"reshape(): shape {extents}: {failure}") from None

    def __len__(self) -> int:
        if not self.shape:
            raise errors.WrongType("an array of no dimension has no len()")
        return self.shape[0]

    def __getitem__(self, key: Any) -> Array:
        keys = key if isinstance(key, tuple) else (key,)
        for one in keys:
            if isinstance(one, (bool, np.bool_)) or not (
                one is None or one is Ellipsis or isinstance(one, (slice, int, np.integer))
            ):
                raise errors.WrongType(
                    f"an Array takes integers, slices, None and ... as an index, not {one!r}"
                )
        # The ellipsis makes a view of a lone element, too.
        return self._viewed(lambda layout: layout[(*keys, ...) if Ellipsis not in keys else keys])

    def _viewed(self, change: Callable[[np.ndarray], np.ndarray]) -> Array:
        """The view that lies in this array as NumPy's view lies in one of this layout."""
        # It has no such memory: it is indexed and never read.
        whole = np.lib.stride_tricks.as_strided(np.empty(1, self.dtype), self.shape, self.strides)
        view = change(whole)
        made = Array._of(self.queue, self._buffer, self.dtype, view.shape)
        made._base = self._base
        if made.size > 0:
            itemsize = self.dtype.itemsize
            made._offset = self._offset + (view.ctypes.data - whole.ctypes.data) // itemsize
            made._strides = tuple(stride // itemsize for stride in view.strides)
        return made

    @property
    def _dense(self) -> bool:
        return lines.are_dense(self.shape, self._strides)

    def _check_dense(self, what: str) -> None:
        if not self._dense:
            raise errors.InvalidArgument(
                f"{what} of a view with gaps: shape {self.shape}, strides {self.strides} bytes"
            )

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        # NumPy would make an array of one object.
        raise errors.WrongType(
            "a bifold.Array is in device memory: get() copies it into an array of NumPy"
        )

    def check_open(self) -> None:
        """InvalidArgument where the memory has been given back."""
        if self.closed:
            raise errors.InvalidArgument("this Array is closed")

    def _span(self) -> tuple[int, structs.View]:
        """Where the first element is in the memory from the lowest one to the highest, and that."""
        self.check_open()
        low, count = lines.reach(tuple(zip(self.shape, self._strides)))
        start = self._offset + low if count > 0 else 0
        number = types.type_of(self.dtype)
        return -low, structs.View(self._buffer.handle, number, start, count)

    def get(self) -> np.ndarray:
        """Blocks. The elements, when what is enqueued on the array's queue is done.

        Of a view it copies the memory between its elements, too.
        """
        first, span = self._span()
        memory = np.empty(span.count, self.dtype)
        download(self.queue, span, memory)
        if self._dense:
            return memory.reshape(self.shape)
        offset = first * self.dtype.itemsize
        view: np.ndarray = np.ndarray(self.shape, self.dtype, memory, offset, self.strides)
        return view.copy()

    @checked
    def set(self, values: Any) -> None:
        """Blocks until the values, as many as the array has, have been read.

        Raises:
            InvalidArgument: they have another shape, the array has gaps, or the dtype does not hold
                one of them; floating values are rounded to a floating dtype.
        """
        self._check_dense("set()")
        array = np.asarray(types.cast_all(host_array(values), self.dtype), order="C")
        if array.shape != self.shape:
            raise errors.InvalidArgument(f"values of shape {array.shape} for {self.shape}")
        upload(self.queue, array, self._span()[1])

    @checked
    def fill(self, value: Any) -> None:
        """Enqueues setting every element; InvalidArgument where the array has gaps."""
        self._check_dense("fill()")
        element = types.value_of(value, self.dtype, "value")
        native.call("bifold_fill", self.queue.handle, self._span()[1], element.ctypes.data)

    def close(self) -> None:
        """Gives the memory back; may wait for work that still uses it."""
        self._buffer.close()

    def __enter__(self) -> Array:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        shape = self.size if self.ndim == 1 else self.shape
        return f"<bifold.Array of {shape} {self.dtype} on {self.queue.device.info.selector}>"


def host_array(x: Any) -> np.ndarray:
    """What NumPy makes of an array of the host; InvalidArgument where that is none of elements."""
    if isinstance(x, np.ma.MaskedArray):
        raise errors.InvalidArgument("arrays with a mask are not taken")
    try:
        array = np.asarray(x)
    except (TypeError, ValueError) as failure:
        raise errors.InvalidArgument(
            f"{described(x)} is no array of elements: {failure}"
        ) from failure
    if array.dtype == object:
        raise errors.InvalidArgument(f"{described(x)} is no array of elements")
    return array


def _place(queue: Any) -> Queue:
    if queue is None:
        return default_queue()
    if isinstance(queue, Queue):
        return queue
    return queue_of(queue)


@checked(n=SHAPE, queue=OPENCL_PLACE)
def empty(n: Any, dtype: Any, queue: Any = None) -> Array:
    """An uninitialised Array.

    Args:
        n: how many elements, or a shape.
        queue: where calls on the array run: a Queue or a pyopencl.CommandQueue; default_queue()
            unless one is given.

    Raises:
        OutOfMemory: the device has no room.
        InvalidArgument: `dtype` is no element type.
    """
    types.type_of(dtype)
    nbytes = math.prod(n) * dtype.itemsize
    if nbytes >= 2**63:
        raise errors.OutOfMemory(f"{math.prod(n)} elements of {dtype} are {nbytes} bytes")
    return Array._empty(_place(queue), dtype, n)


@checked(x=HOST_ARRAY, queue=OPENCL_PLACE)
def to_device(x: Any, queue: Any = None) -> Array:
    """Blocks. An Array with the elements and the shape of an array of the host; see empty()."""
    array = host_array(x)
    made = empty(array.shape, array.dtype, queue)
    made.set(array)
    return made


def _check_context(buffer: Any, queue: Queue) -> None:
    backend = queue.device.info.backend
    if backend != "opencl":
        raise errors.InvalidArgument(f"a pyopencl.Buffer, and a queue of {backend}")
    native = queue.native or queue.record().to_opencl()
    if native.context != buffer.context:
        raise errors.InvalidArgument(
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
    types.type_of(dtype)
    whole = buffer.size // dtype.itemsize
    count = whole - offset if n is None else n
    if count < 0 or offset + count > whole:
        raise errors.InvalidArgument(
            f"{count} elements from {offset} on, of a buffer that holds {whole}"
        )
    on = _place(queue)
    _check_context(buffer, on)
    adopted = Buffer._of(put("bifold_opencl_adopt_buffer", buffer.int_ptr))
    array = Array._of(on, adopted, dtype, (count,))
    array._offset, array._base = offset, buffer
    return array
