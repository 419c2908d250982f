"""What all calls take beside their operands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ._arrays import cuda
from ._arrays.operands import Operand
from ._base import foreign, opencl_queues, structs
from ._base.kinds import ORDERS
from ._base.queues import Event, Queue, default_queue, stream_number


class Settings(NamedTuple):
    """What all calls take beside their operands, as users give it."""

    variant: str | None
    order: str
    queue: Any
    wait: Iterable[Any]
    done: Event | None = None
    workspace: Any = None
    otherwise: Callable[[], Queue] = default_queue  # Where no array brings a queue along.

    def queue_for(self, operands: list[Operand]) -> Queue:
        """The queue of a call with these arrays."""
        queue = self.queue
        if isinstance(queue, Queue):
            return queue
        if queue is None:
            brought = (operand.queue() for operand in operands)
            found = next((one for one in brought if one is not None), None)
            return found or self.otherwise()
        if foreign.cuda_stream(queue) is None:
            return opencl_queues.queue_of(queue)
        index = next((o.index for o in operands if isinstance(o, cuda.CudaOperand)), 0)
        return cuda.queue_of(index, stream_number(queue))

    def options(self) -> structs.Options:
        """Those of them that the library's options have, whatever the arrays."""
        options = structs.Options()
        if self.variant is not None:
            options.variant = self.variant.encode()
        options.order = ORDERS.index(self.order)
        if self.workspace is not None:
            options.workspace = self.workspace.handle
        return options
