"""PyOpenCL's arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import errors, lines, types
from .._base.handles import put
from .._base.opencl_queues import queue_of
from .._base.queues import Event, Queue
from .memory import Buffer
from .operands import OPENCL, Operand, Placed, strides_of

if TYPE_CHECKING:
    from .._calls import Call

_COMPLETE = 0  # CL_COMPLETE; what failed is negative.


class OpenCLOperand(Operand):
    """A pyopencl.array.Array, worked on in place."""

    backend = "opencl"

    def queue(self) -> Queue | None:
        return None if self.array.queue is None else queue_of(self.array.queue)

    def prepare(self, call: Call) -> None:
        array = self.array
        self.dtype, self.shape = np.dtype(array.dtype), tuple(array.shape)
        self.strides = strides_of(self.shape, tuple(array.strides), self.dtype.itemsize)
        # What is complete need not be waited for, now and by repeated calls.
        array.events[:] = [e for e in array.events if e.command_execution_status != _COMPLETE]
        self._waited = len(array.events)
        for event in array.events:
            call.wait_for(Event.adopt_opencl(event), repeated=True)

    def bind(self, call: Call) -> Placed:
        number = types.type_of(self.dtype)
        if self.size == 0:
            buffer = Buffer.of_size(call.queue, 0)
            call.at_end(buffer.close)
            return Placed(buffer, number, 0, self.shape, self.strides)
        base, offset = self.array.base_data, self.array.offset
        itemsize = self.dtype.itemsize
        if hasattr(base, "svm_ptr"):
            nbytes = offset + sum(lines.reach(tuple(zip(self.shape, self.strides)))) * itemsize
            memory: tuple[Any, int] = ("svm", base.svm_ptr)
            handle = put("bifold_opencl_adopt_svm", call.queue.device.handle, base.svm_ptr, nbytes)
        else:
            memory = (base.int_ptr, 0)
            self.kind = OPENCL
            handle = put("bifold_opencl_adopt_buffer", base.int_ptr)
        buffer = Buffer._of(handle)
        call.at_end(buffer.close)
        if offset % itemsize != 0:
            raise errors.InvalidArgument(
                f"the array starts at byte {offset}, which is no multiple of its {itemsize} bytes "
                "per element"
            )
        return Placed(buffer, number, offset // itemsize, self.shape, self.strides, memory)

    @property
    def wants_done(self) -> bool:
        return True

    def finish(self, call: Call, done: Event | None) -> None:
        # A call on no element enqueues nothing, and may leave the event empty.
        if done is None or done.empty:
            return
        event, events = done.to_opencl(), self.array.events
        if len(events) == self._waited:
            events[:] = [event]  # It stands for those that the call waited for.
        else:
            self.array.add_event(event)

    def empty(self, call: Call, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        native = call.queue.native
        if native is None:
            raise errors.InvalidArgument(
                "a queue of bifold's own does not reach PyOpenCL arrays: Queue.adopt_opencl()"
            )
        if math.prod(shape) == 0:
            from pyopencl.array import Array

            return Array(native, shape, dtype)
        return type(self.array)(native, shape, dtype, allocator=self.array.allocator)

    def maker(self, dtype: np.dtype) -> Callable[[Any, tuple[int, ...]], Any]:
        def make(array: Any, shape: tuple[int, ...]) -> Any:
            return type(array)(array.queue, shape, dtype, allocator=array.allocator)

        return make
