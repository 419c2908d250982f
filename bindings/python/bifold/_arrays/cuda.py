"""Arrays in CUDA memory: CuPy's, whatever has __cuda_array_interface__, and DLPack's."""

from __future__ import annotations

import ctypes
import operator
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._base import dlpack, errors, foreign, lines, native
from .._base.devices import Device, open_device
from .._base.handles import put
from .._base.locks import Lock
from .._base.queues import Queue
from .memory import Buffer
from .operands import CUPY, INTERFACE, TORCH, Operand, Placed, strides_of

if TYPE_CHECKING:
    from .._calls import Call

LEGACY, PER_THREAD = 1, 2

_QUEUES = 32
_lock = Lock()
_devices: dict[int, Device] = {}
_of_thread = threading.local()


class StreamQueue(Queue):
    """A queue kept for a stream that is known by its number only.

    Nobody tells when such a stream is destroyed, nor when its number is another one's. So each call
    waits for the one before: on the same stream that costs next to nothing, and on another one it
    keeps the queue's scratch memory from being used twice at a time. A call that brings a workspace
    need not wait. The numbers of the default streams stay theirs.
    """

    def __init__(self, number: int, device: Device) -> None:
        self._set(put("bifold_cuda_adopt_queue", number, device.handle, None), device, number)
        if number not in (LEGACY, PER_THREAD):
            self.turn = _core.Turn()


_queues: OrderedDict[tuple[int, int], StreamQueue] = OrderedDict()


def _device(index: int) -> Device:
    device = _devices.get(index)
    if device is None or device.closed:
        device = _devices[index] = open_device(f"cuda:{index}")
    return device


def queue_of(index: int, stream: int) -> Queue:
    """The Queue that stands for a stream of a device's primary context."""
    with _lock:
        queues = _queues
        if stream == PER_THREAD:
            # Only the thread whose stream it is may use it.
            queues = _of_thread.__dict__.setdefault("queues", OrderedDict())
        key = (index, stream)
        queue = queues.get(key)
        if queue is None or queue.closed:
            queue = queues[key] = StreamQueue(stream, _device(index))
            while len(queues) > _QUEUES:
                queues.popitem(last=False)
        queues.move_to_end(key)
        return queue


def forget() -> None:
    """Lets go of the devices and streams that were adopted, of other threads' own excepted."""
    with _lock:
        _queues.clear()
        _of_thread.__dict__.clear()
        _devices.clear()


def _device_of(address: int) -> int:
    index = ctypes.c_uint32()
    native.call("bifold_cuda_device_index", address, ctypes.byref(index))
    return index.value


class CudaOperand(Operand):
    """CUDA memory, worked on in place."""

    backend = "cuda"
    address: int
    strides: tuple[int, ...]
    read_only: bool

    @property
    def index(self) -> int:
        """The device that the memory is on."""
        raise NotImplementedError

    def check_writable(self) -> None:
        if self.read_only:
            raise errors.InvalidArgument("the output is read-only")

    def bind(self, call: Call) -> Placed:
        itemsize = self.dtype.itemsize
        low, count = lines.reach(tuple(zip(self.shape, self.strides)))
        start = self.address + low * itemsize
        self.reached = (low * itemsize, count * itemsize)
        if count == 0:
            buffer = Buffer.of_size(call.queue, 0)
        else:
            buffer = Buffer._of(put("bifold_cuda_adopt_buffer", start, count * itemsize))
        call.at_end(buffer.close)
        return Placed(buffer, self.number, -low, self.shape, self.strides, ("cuda", start))

    def empty(self, call: Call, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        if type(self.array).__module__.partition(".")[0] != "cupy":
            raise errors.InvalidArgument(
                f"there is no way to make another {type(self.array).__name__}: give one as out"
            )
        import cupy

        with cupy.cuda.Device(call.queue.device.info.index):
            return cupy.empty(shape, dtype)

    def maker(self, dtype: np.dtype) -> Callable[[Any, tuple[int, ...]], Any] | None:
        if self.kind != CUPY:
            return None
        import cupy

        def make(array: Any, shape: tuple[int, ...]) -> Any:
            with array.device:
                return cupy.empty(shape, dtype)

        return make


class InterfaceOperand(CudaOperand):
    """An array with __cuda_array_interface__."""

    def __init__(self, array: Any, interface: dict[str, Any]) -> None:
        super().__init__(array)
        try:
            self._read(interface)
        except (KeyError, TypeError, ValueError, OverflowError) as failure:
            if isinstance(failure, errors.Error):
                raise
            raise errors.InvalidArgument(
                f"the __cuda_array_interface__ cannot be read: {type(failure).__name__}: {failure}"
            ) from failure
        if interface.get("mask") is not None:
            raise errors.InvalidArgument("arrays with a mask are not taken")
        if self.stream == 0:
            raise errors.InvalidArgument("__cuda_array_interface__ gives no meaning to stream 0")
        self._index: int | None = None
        kind = type(array)
        of_cupy = (kind.__module__, kind.__qualname__) == ("cupy", "ndarray")
        self.kind = CUPY if of_cupy and self.stream is not None else INTERFACE

    def _read(self, interface: dict[str, Any]) -> None:
        address, read_only = interface["data"]
        self.address, self.read_only = operator.index(address or 0), bool(read_only)
        self.shape = tuple(operator.index(extent) for extent in interface["shape"])
        self.dtype = np.dtype(interface["typestr"])
        if self.dtype.kind == "V" and interface.get("descr"):
            self.dtype = np.lib.format.descr_to_dtype(interface["descr"])
        strides = interface.get("strides")
        if strides is not None:
            strides = tuple(operator.index(stride) for stride in strides)
        self.strides = strides_of(self.shape, strides, self.dtype.itemsize)
        stream = interface.get("stream")
        self.stream = None if stream is None else operator.index(stream)

    @property
    def index(self) -> int:
        if self._index is None:
            if self.address != 0:
                self._index = _device_of(self.address)
            else:
                # An array of no elements has no memory to ask for.
                self._index = getattr(getattr(self.array, "device", None), "id", 0)
        return self._index

    def queue(self) -> Queue:
        return queue_of(self.index, self.stream or LEGACY)

    def prepare(self, call: Call) -> None:
        if self.stream is not None and self.stream != call.queue.native:
            # The producer's work on the array, up to here.
            with Queue.adopt_cuda(self.stream, call.queue.device) as producer:
                call.wait_for(producer.record())


def _tensors(dtype: np.dtype) -> Callable[[Any, tuple[int, ...]], Any]:
    """What makes tensors of PyTorch, each on the device of another one and in its stream's turn."""
    torch = sys.modules["torch"]
    kind = getattr(torch, dtype.name, None)
    if kind is None:
        raise errors.InvalidArgument(f"PyTorch has no elements of {dtype}: give an array as out")
    return lambda array, shape: torch.empty(shape, dtype=kind, device=array.device)


class DlpackOperand(CudaOperand):
    """CUDA memory that its producer exports by DLPack."""

    def __init__(self, array: Any, index: int) -> None:
        super().__init__(array)
        self._index = index
        # Of a tensor of PyTorch.
        self._stream = foreign.torch_stream(array, index)

    @property
    def index(self) -> int:
        return self._index

    def queue(self) -> Queue:
        return queue_of(self.index, self._stream or LEGACY)

    def empty(self, call: Call, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        if self._stream is None:
            return super().empty(call, shape, dtype)
        return _tensors(dtype)(self.array, shape)

    def maker(self, dtype: np.dtype) -> Callable[[Any, tuple[int, ...]], Any] | None:
        return _tensors(dtype) if self.kind == TORCH else None

    def exported(self) -> Any:
        """What is asked for DLPack's tensor."""
        return self.array

    def prepare(self, call: Call) -> None:
        if not isinstance(call.queue.native, int):
            raise errors.InvalidArgument(
                "DLPack wants to know the stream: give a queue made by Queue.adopt_cuda(), or none"
            )
        if self._stream is not None and (self._stream or LEGACY) == (call.queue.native or LEGACY):
            self.kind = TORCH
        tensor = dlpack.take(self.exported(), call.queue.native)
        call.at_end(tensor.release)
        self.dtype, self.shape, self.address = tensor.dtype, tensor.shape, tensor.address
        self.read_only = tensor.read_only or tensor.copied
        self.strides = strides_of(self.shape, tensor.strides, self.dtype.itemsize)
