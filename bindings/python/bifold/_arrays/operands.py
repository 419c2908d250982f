"""The arrays of a call: what kind each is, where it can be worked on, and how it gets there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import dlpack, errors, foreign, lines, structs, types
from .._base.queues import Event, Queue
from .._base.values import described
from .memory import Array, Buffer, download, empty, host_array, upload

if TYPE_CHECKING:
    from .._calls import Call

# Kinds of array that calls may be repeated on without the package, as _core numbers them.
OWN, OPENCL, INTERFACE, CUPY, TORCH, HOST, EXPORTED = range(7)


class Placed(NamedTuple):
    """Where an array's elements lie.

    Attributes:
        buffer, type: as the library knows them.
        first: the element of index 0, in elements from the buffer's start.
        shape, strides: in elements.
        memory: what the buffer is a part of, and where in there it begins, in bytes. None: nothing
            else reaches it.
    """

    buffer: Buffer
    type: int
    first: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    memory: tuple[Any, int] | None = None

    def view(self, part: lines.Part) -> structs.View:
        """The elements that some lines reach."""
        start = self.first + part.offset if part.count > 0 else 0
        return structs.View(self.buffer.handle, self.type, start, part.count)

    def span(self) -> tuple[int, int]:
        """The bytes from the lowest element to behind the highest, where they are in `memory`."""
        size = types.size_of(self.type)
        low, count = lines.reach(tuple(zip(self.shape, self.strides)))
        start = (self.memory[1] if self.memory else 0) + (self.first + low) * size
        return start, start + count * size

    def overlaps(self, other: Placed) -> bool:
        """Whether memory that the elements of both lie between is the same."""
        if self.memory is None or other.memory is None or self.memory[0] != other.memory[0]:
            return False
        (start, end), (begin, stop) = self.span(), other.span()
        return start < stop and begin < end


class Operand:
    """One array of a call.

    prepare() tells dtype and shape; bind() then tells where the elements lie.

    Attributes:
        backend: the backend whose queues reach the memory; None where all of them do.
        kind: of array, where calls may be repeated on it; else None.
        reached: bytes from a CUDA array's first element to its lowest one, and how many follow.
        fixed: whether structs are of the package, which does not rename their fields.
        made: makes others like an output that was made for the call, given the input and a shape.
    """

    backend: str | None = None
    kind: int | None = None
    reached = (0, 0)
    fixed = False
    made: Callable[[Any, tuple[int, ...]], Any] | None = None
    dtype: np.dtype
    shape: tuple[int, ...]

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def number(self) -> int:
        """The library's number of the dtype."""
        return types.type_of(self.dtype)

    def queue(self) -> Queue | None:
        """The queue that the array brings along."""
        return None

    def prepare(self, call: Call) -> None:
        """Finds out dtype and shape, and has the call wait for what fills the array."""

    def check_writable(self) -> None:
        """InvalidArgument where the array cannot receive a result."""

    def bind(self, call: Call) -> Placed:
        """Brings the elements to where the library reaches them."""
        raise NotImplementedError

    def finish(self, call: Call, done: Event | None) -> None:
        """Of an output: what is left to do when the call is enqueued."""

    def empty(self, call: Call, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        """A new array of the same kind."""
        raise NotImplementedError

    def maker(self, dtype: np.dtype) -> Callable[[Any, tuple[int, ...]], Any] | None:
        """What makes arrays as empty() does, given one like this and a shape; None: nothing."""
        return None

    @property
    def wants_done(self) -> bool:
        """Whether finish() of an output needs the call's completion."""
        return False


def strides_of(
    shape: tuple[int, ...], nbytes: tuple[int, ...] | None, itemsize: int
) -> tuple[int, ...]:
    """Strides in elements of strides in bytes; InvalidArgument where one is no whole number.

    None: elements lie one behind the other. Strides along extents of one do not matter.
    """
    if nbytes is None:
        return lines.c_strides(shape)
    if len(nbytes) != len(shape):
        raise errors.InvalidArgument(f"the array has shape {shape}, and strides {nbytes}")
    strides = [0 if extent <= 1 else stride for extent, stride in zip(shape, nbytes)]
    for stride in strides:
        if stride % itemsize != 0:
            raise errors.InvalidArgument(
                f"a stride of {stride} bytes is no multiple of the {itemsize} bytes per element"
            )
    return tuple(stride // itemsize for stride in strides)


def check_hosts_apart(result: Operand, others: Iterable[Operand | None]) -> None:
    """InvalidArgument where what receives results is memory of another array of the host, too."""
    if not isinstance(result, HostOperand):
        return
    for other in others:
        if isinstance(other, HostOperand) and np.may_share_memory(result.host, other.host):
            raise errors.InvalidArgument("the input and the output overlap")


class HostOperand(Operand):
    """Memory of the host, which is copied to the device and back."""

    def prepare(self, call: Call) -> None:
        self.host = self._import(call)
        self.dtype, self.shape = self.host.dtype, self.host.shape

    def _import(self, call: Call) -> np.ndarray:
        own = isinstance(self.array, np.ndarray)
        if type(self.array) is np.ndarray:
            self.kind = HOST
        if not own and hasattr(self.array, "__dlpack__"):
            self.kind = TORCH if foreign.is_tensor(self.array) else EXPORTED
            tensor = dlpack.take(self.array, None)
            call.at_end(tensor.release)
            self.copied = tensor.copied
            return tensor.as_array()
        self.copied = not own
        return host_array(self.array)

    def check_writable(self) -> None:
        if self.copied:
            raise errors.InvalidArgument(
                f"{described(self.array)} cannot receive a result: only its copy is at hand"
            )
        if not self.host.flags.writeable:
            raise errors.InvalidArgument("the output is read-only")
        step, steps = self.host.itemsize, zip(self.host.shape, self.host.strides)
        if self.host.size > 0 and any(n > 1 and abs(s) < step for n, s in steps):
            raise errors.InvalidArgument("elements of the output share their memory")

    def convert(self, dtype: np.dtype, name: str) -> None:
        """Makes elements of another dtype, which has to hold all of them."""
        self.host = types.values_of(self.host, dtype, name)
        self.dtype = dtype

    def bind(self, call: Call) -> Placed:
        number = self.number
        buffer = call.temporary(self.size * self.dtype.itemsize)
        self.view = structs.View(buffer.handle, number, 0, self.size)
        if not call.is_output(self):
            upload(call.queue, np.ascontiguousarray(self.host), self.view)
        return Placed(buffer, number, 0, self.shape, lines.c_strides(self.shape))

    def finish(self, call: Call, done: Event | None) -> None:
        if self.host.flags.c_contiguous:
            download(call.queue, self.view, self.host)
        else:
            result = np.empty(self.shape, self.dtype)
            download(call.queue, self.view, result)
            self.host[...] = result

    def empty(self, call: Call, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        return np.empty(shape, dtype)

    def maker(self, dtype: np.dtype) -> Callable[[Any, tuple[int, ...]], Any]:
        return lambda array, shape: np.empty(shape, dtype)


class ResultOperand(HostOperand):
    """A new array of the host for results, of structs of the library's own where `number` says."""

    def __init__(self, array: np.ndarray, number: int | None = None) -> None:
        super().__init__(array)
        self._number = number
        self.fixed = number is not None
        dtype = array.dtype
        self.made = lambda _, shape: np.empty(shape, dtype)

    @property
    def number(self) -> int:
        return super().number if self._number is None else self._number


class OwnOperand(Operand):
    """An Array of this package."""

    array: Array
    kind = OWN

    def __init__(self, array: Array) -> None:
        super().__init__(array)
        self.backend = array.queue.device.info.backend

    def queue(self) -> Queue:
        return self.array.queue

    def prepare(self, call: Call) -> None:
        self.dtype, self.shape = self.array.dtype, self.array.shape
        if self.array.queue is not call.queue:
            call.wait_for(self.array.queue.record())

    def bind(self, call: Call) -> Placed:
        array = self.array
        array.check_open()
        memory = (array._buffer, 0) if array._base is None else (array._base.int_ptr, 0)
        number = types.type_of(array.dtype)
        return Placed(array._buffer, number, array._offset, array.shape, array._strides, memory)

    @property
    def wants_done(self) -> bool:
        return True

    def finish(self, call: Call, done: Event | None) -> None:
        # What is enqueued on the array's own queue from now on sees the result.
        if self.array.queue is not call.queue and done is not None and not done.empty:
            self.array.queue.wait_for(done)

    def empty(self, call: Call, shape: tuple[int, ...], dtype: np.dtype) -> Array:
        return empty(shape, dtype, call.queue)

    def maker(self, dtype: np.dtype) -> Callable[[Any, tuple[int, ...]], Any]:
        return lambda array, shape: Array._empty(array.queue, dtype, shape)
