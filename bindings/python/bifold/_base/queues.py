"""Queues and events."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterable
from typing import Any, Literal

from .. import _core
from . import errors, foreign, native, structs
from .arguments import checked
from .devices import Device, open_device
from .handles import Handle, InProcess, put
from .kinds import ONLY_DEVICE, of_opencl
from .locks import Lock


def _nanoseconds(limit: float | None) -> int:
    if limit is None or limit * 1e9 >= native.NO_LIMIT:
        return native.NO_LIMIT
    return int(limit * 1e9)


class _OwnEvent(Handle):
    _destructor = "bifold_event_destroy"


class Event(InProcess):
    """Says that the work enqueued up to it is done. An empty one stands for no work.

    Pass an empty event as `done` of a call, which makes it the call's completion.
    """

    _copied_by = "Queue.record() makes another one"
    _own: _OwnEvent | None = None

    def __init__(self) -> None:
        self._own = None

    @classmethod
    def _of(cls, handle: int) -> Event:
        event = cls()
        event._put(handle)
        return event

    def _put(self, handle: int) -> None:
        self._own = _OwnEvent._of(handle) if handle else None

    @classmethod
    @checked(event=of_opencl("Event"))
    def adopt_opencl(cls, event: Any) -> Event:
        """A pyopencl.Event, user events included. It is retained."""
        return cls._of(put("bifold_opencl_adopt_event", event.int_ptr))

    @classmethod
    @checked
    def adopt_cuda(cls, event: int) -> Event:
        """A CUevent, given as a number, for wait lists. It must outlive the calls that wait."""
        return cls._of(put("bifold_cuda_adopt_event", event))

    def _opened(self) -> _OwnEvent:
        """What has the handle. Whoever uses that keeps it: a call may make this another's event."""
        own = self._own
        if own is None:
            raise errors.InvalidArgument("the event is empty")
        if own.closed:
            raise errors.InvalidArgument("this Event is closed")
        return own

    @property
    def handle(self) -> int:
        """The C interface's pointer; InvalidArgument for an empty or a closed event."""
        return self._opened().handle

    @property
    def closed(self) -> bool:
        """Whether it stood for work and has been closed."""
        return self._own is not None and self._own.closed

    @property
    def empty(self) -> bool:
        """Whether it stands for no work."""
        return self._own is None

    @checked
    def wait(self, limit: float | None = None) -> None:
        """Blocks until the work is done; Timeout after `limit` seconds."""
        if self._own is not None:
            own = self._opened()
            native.call("bifold_event_wait", own.handle, _nanoseconds(limit))

    def complete(self) -> bool:
        """Whether the work is done."""
        if self._own is None:
            return True
        own, answer = self._opened(), ctypes.c_bool()
        native.call("bifold_event_complete", own.handle, ctypes.byref(answer))
        return answer.value

    def to_opencl(self) -> Any:
        """The pyopencl.Event behind it; InvalidArgument for one of another backend."""
        import pyopencl

        return pyopencl.Event.from_int_ptr(
            put("bifold_opencl_native_event", self.handle), retain=False
        )

    def to_cuda(self) -> int:
        """The CUevent behind it, which this object keeps; InvalidArgument for another backend's."""
        return put("bifold_cuda_native_event", self.handle)

    def close(self) -> None:
        """Gives the handle back; further calls do nothing."""
        if self._own is not None:
            self._own.close()


@checked
def elapsed(earlier: Event, later: Event) -> float:
    """Seconds of device time between two complete events of one queue made with timing."""
    seconds = ctypes.c_double()
    native.call("bifold_event_elapsed", earlier.handle, later.handle, ctypes.byref(seconds))
    return seconds.value


def event_from(event: Any) -> Event:
    """An event of a wait list: this package's, PyOpenCL's, CuPy's or PyTorch's."""
    if isinstance(event, Event):
        return event
    number = foreign.cuda_event(event)
    # Calls that are repeated find them by themselves.
    _core.put_foreign_event(type(event), foreign.event_name(event), number is not None)
    return Event.adopt_opencl(event) if number is None else Event.adopt_cuda(number)


def handles_of(events: Iterable[Event], last: int = 0) -> tuple[Any, int]:
    """The C array of a wait list, to which a handle may be added, and its length."""
    kept = [event._opened() for event in events if not event.empty]
    handles = [own.handle for own in kept] + ([last] if last else [])
    listed: Any = (ctypes.c_void_p * len(handles))(*handles)
    listed.kept = kept
    return listed, len(handles)


def is_in_graph(event: int) -> bool:
    """Whether a handle's event was recorded into a graph: nobody can ask after those."""
    answer = ctypes.c_bool()
    status = native.library().bifold_event_complete(event, ctypes.byref(answer))
    return errors.BY_STATUS.get(status) is errors.Unsupported


_OUT_OF_ORDER = 1  # CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE


class Queue(Handle):
    """In-order work on a device.

    Threads may share a queue; with one each they do not wait for one another.

    Args:
        device: a Device, or a selector of open_device().
        timing: ``"enabled"``: elapsed() works on this queue's events.

    Attributes:
        device: the Device.
        native: what was adopted: a pyopencl.CommandQueue, a stream's number, or None.
    """

    _destructor = "bifold_queue_destroy"
    _copied_by = "bifold.Queue() makes another one, in another process on a device opened there"
    _stream: Any = None  # Kept, so that it is not destroyed before the queue.
    turn: Any = None  # Where calls wait for the one before.
    left: Any = None  # Events that no call on this queue has to wait for.

    @checked
    def __init__(
        self,
        device: Device | str = "",
        *,
        timing: Literal["disabled", "enabled"] = "disabled",
    ) -> None:
        if isinstance(device, str):
            device = open_device(device)
        options = structs.QueueOptions()
        options.struct_size = ctypes.sizeof(options)
        options.timing = timing == "enabled"
        self._set(put("bifold_queue_create", device.handle, ctypes.byref(options)), device, None)

    def _set(self, handle: int, device: Device, native: Any) -> None:
        self._hold(handle)
        self.device = device
        self.native = native

    @classmethod
    def _adopted(cls, handle: int, device: Device, native: Any) -> Queue:
        queue = cls.__new__(cls)
        queue._set(handle, device, native)
        return queue

    @classmethod
    @checked(queue=of_opencl("CommandQueue"), device=ONLY_DEVICE)
    def adopt_opencl(cls, queue: Any, device: Device | None = None) -> Queue:
        """A pyopencl.CommandQueue, in order or not. It is retained, and flushed only by blocking
        calls.

        Args:
            queue: the command queue.
            device: a Device adopted from the same context and device; adopted anew by default.
        """
        if device is None:
            device = Device.adopt_opencl(queue.context, queue.device)
        made = cls._adopted(
            put("bifold_opencl_adopt_queue", queue.int_ptr, device.handle), device, queue
        )
        if not queue.properties & _OUT_OF_ORDER:
            made.left = _core.Left()
        return made

    @classmethod
    @checked(device=ONLY_DEVICE)
    def adopt_cuda(cls, stream: Any, device: Device) -> Queue:
        """A stream of the device's context.

        Args:
            stream: CuPy's or PyTorch's, which is kept, or a CUstream as a number: 0 and 1 are the
                legacy default stream, 2 this thread's. A number's stream must outlive the calls.
            device: of open_device() for the primary context.
        """
        number = stream_number(stream)
        queue = cls._adopted(
            put("bifold_cuda_adopt_queue", number, device.handle, None), device, number
        )
        queue._stream = stream
        return queue

    @checked
    def finish(self, limit: float | None = None) -> None:
        """Blocks until everything enqueued is done; Timeout after `limit` seconds."""
        native.call("bifold_queue_finish", self.handle, _nanoseconds(limit))

    def trim(self) -> None:
        """Blocks until everything enqueued is done; then frees the queue's scratch memory."""
        native.call("bifold_queue_trim", self.handle)

    def record(self) -> Event:
        """An event that completes when everything enqueued so far is done."""
        return Event._of(put("bifold_queue_record", self.handle))

    @checked
    def wait_for(self, *events: Any) -> None:
        """What is enqueued from now on starts after the events."""
        kept = [event_from(event) for event in events]
        native.call("bifold_queue_wait_for", self.handle, *handles_of(kept))

    def __repr__(self) -> str:
        return f"<bifold.Queue on {self.device.info.selector}>"


def check_not_captured(queue: Queue, what: str) -> None:
    """Unsupported for what cannot go into a graph, while the queue's work does."""
    if queue.device.info.backend != "cuda":
        return
    now = queue.record()
    if is_in_graph(now.handle):
        raise errors.Unsupported(
            f"{what} is not possible while the queue's work is captured in a graph"
        )


def stream_number(stream: Any) -> int:
    """The CUstream of CuPy's or PyTorch's stream objects, or of a number; 1 for 0."""
    number = foreign.cuda_stream(stream)
    return (stream if number is None else number) or 1


_lock = Lock()
_default_device: Device | None = None
_of_thread = threading.local()


def default_queue() -> Queue:
    """This thread's queue on the default device, which ``open_device("")`` opens once."""
    global _default_device
    queue = getattr(_of_thread, "queue", None)
    if queue is None or queue.closed:
        with _lock:
            if _default_device is None or _default_device.closed:
                _default_device = open_device()
        queue = _of_thread.queue = Queue(_default_device)
    return queue
