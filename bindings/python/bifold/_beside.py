"""Values beside the arrays of a call: of its lines the first, the totals, and their length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays.copies import move
from ._arrays.memory import Array
from ._arrays.operands import HostOperand, Operand, Placed
from ._base import errors, foreign, lines, structs
from ._base.queues import Event

if TYPE_CHECKING:
    from ._calls import Call


def one_each(init: Any) -> bool:
    """Whether an initial value is an array with one for each line."""
    return init.size != 1 if isinstance(init, np.ndarray) else on_device(init)


def on_device(init: Any) -> bool:
    """Whether an initial value is read when the call runs."""
    if isinstance(init, Array) or foreign.is_opencl_array(init):
        return True
    of_host = isinstance(init, (np.generic, np.ndarray))
    return not of_host and foreign.cuda_interface(init) is not None


class Beside:
    """An array with a value for each line of a call.

    Kernels take and leave these side by side, in the order of the lines. Where they lie otherwise
    they are copied on the device.
    """

    def __init__(self, operand: Operand, name: str) -> None:
        self.operand = operand
        self._name = name

    def bind(self, call: Call, rest: list[int], dtype: np.dtype) -> None:
        """Checks shape and dtype, for lines along all but the dimensions of `rest`."""
        shape, operand = call.input.shape, self.operand
        kept = tuple(extent if d in rest else 1 for d, extent in enumerate(shape))
        dense = tuple(shape[d] for d in rest)
        one = not rest and operand.size == 1
        if operand.shape not in (dense, kept) and not one:
            raise errors.InvalidArgument(
                f"{self._name} has shape {operand.shape}, one for each line has {dense}"
            )
        if isinstance(operand, HostOperand) and not call.is_output(operand):
            operand.convert(dtype, self._name)
        if operand.dtype != dtype:
            raise errors.InvalidArgument(
                f"{self._name} has elements of {operand.dtype}, {dtype} is accumulated in"
            )
        self._dtype = dtype
        self.place = operand.bind(call)
        if one:
            self.along = lines.Along((), 1, 1)
            return
        dimensions = range(len(rest)) if operand.shape == dense else rest
        strides = self.place.strides
        self.along = lines.Along(tuple(strides[d] for d in dimensions), 1, 1)

    def _copied(self, call: Call, part: lines.Part) -> tuple[Placed, lines.Part]:
        count = part.lines.outer * part.lines.inner
        buffer = call.temporary(count * self._dtype.itemsize)
        place = Placed(buffer, self.place.type, 0, (count,), (1,))
        return place, lines.Part(0, count, lines.Lines(1, 1, count, 0, 1, 1))

    def start(
        self, call: Call, part: lines.Part, wait: list[Event]
    ) -> tuple[structs.View, list[Event]]:
        """Where kernels read them, and what to wait for then."""
        if part.lines.side_by_side:
            return self.place.view(part), wait
        place, copy = self._copied(call, part)
        done = move(call, (self.place, part), (place, copy), wait, self._dtype)
        return place.view(copy), [*wait, done]

    def end(self, call: Call, part: lines.Part) -> tuple[structs.View, Any]:
        """Where kernels write them, and what brings them to their places behind an event."""
        if part.lines.side_by_side:
            return self.place.view(part), None
        place, copy = self._copied(call, part)

        def bring(done: Event) -> Event:
            return move(call, (place, copy), (self.place, part), [done], self._dtype)

        return place.view(copy), bring


class Count:
    """An array of one element, which tells when the call runs how long its lines are."""

    def __init__(self, operand: Operand) -> None:
        self.operand = operand

    def view(self, call: Call) -> structs.View:
        """Checks shape and dtype; where kernels read it."""
        operand = self.operand
        if operand.size != 1:
            raise errors.InvalidArgument(f"count_from has shape {operand.shape}, one is wanted")
        if operand.dtype not in (np.uint32, np.uint64):
            raise errors.InvalidArgument(
                f"count_from has elements of {operand.dtype}, uint32 or uint64 is wanted"
            )
        return operand.bind(call).view(lines.Part(0, 1, lines.Lines(1, 1, 1, 0, 1, 1)))
