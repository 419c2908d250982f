"""The queues that stand for PyOpenCL's command queues."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from .devices import Device
from .locks import Lock
from .queues import Queue

# Adopted devices own compiled kernels, adopted queues scratch memory: the last ones are kept. Both
# retain what they were made of, so no other object can come by the same pointer meanwhile.
_DEVICES, _QUEUES = 8, 32
_lock = Lock()
_devices: OrderedDict[tuple[int, int], Device] = OrderedDict()
_queues: OrderedDict[int, Queue] = OrderedDict()


def _keep(table: OrderedDict, key: Any, value: Any, limit: int) -> None:
    table[key] = value
    while len(table) > limit:
        table.popitem(last=False)


def queue_of(command_queue: Any) -> Queue:
    """The Queue that stands for a pyopencl.CommandQueue."""
    with _lock:
        queue = _queues.get(command_queue.int_ptr)
        if queue is None or queue.closed:
            context, device = command_queue.context, command_queue.device
            key = (context.int_ptr, device.int_ptr)
            adopted = _devices.get(key)
            if adopted is None or adopted.closed:
                adopted = Device.adopt_opencl(context, device)
                _keep(_devices, key, adopted, _DEVICES)
            _devices.move_to_end(key)
            queue = Queue.adopt_opencl(command_queue, adopted)
            _keep(_queues, command_queue.int_ptr, queue, _QUEUES)
        _queues.move_to_end(command_queue.int_ptr)
        return queue


def forget() -> None:
    """Lets go of every adopted context and queue."""
    with _lock:
        _queues.clear()
        _devices.clear()
