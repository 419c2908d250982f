"""Reduce and scan."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _copies, _cuda, _opencl
from ._axes import check_apart, written_by
from ._base import dlpack, errors, foreign, lines, native, opencl_queues, structs, types
from ._base.handles import put
from ._base.kinds import ORDERS
from ._base.queues import (
    Event,
    Queue,
    check_not_captured,
    default_queue,
    event_from,
    handles_of,
    is_in_graph,
    stream_number,
)
from ._beside import Beside, Count, one_each
from ._memory import Array, Buffer
from ._operands import HostOperand, Operand, OwnOperand, Placed, check_hosts_apart
from ._repeated import Repeated, learn

if TYPE_CHECKING:
    from ._plans import Plan


def _operand(x: Any) -> Operand:
    if isinstance(x, Operand):
        return x
    if isinstance(x, Array):
        return OwnOperand(x)
    if isinstance(x, np.ndarray):
        return HostOperand(x)
    if foreign.is_opencl_array(x):
        return _opencl.OpenCLOperand(x)
    interface = foreign.cuda_interface(x)
    device = dlpack.device_of(x)
    on_cuda = device is not None and device[0] in dlpack.ON_CUDA
    # An interface of a version that knows no streams leaves it to DLPack to order the work.
    if interface is not None and ("stream" in interface or not on_cuda):
        return _cuda.InterfaceOperand(x, interface)
    if device is None or device[0] in dlpack.ON_HOST:
        return HostOperand(x)
    if on_cuda:
        return _cuda.DlpackOperand(x, device[1])
    raise errors.InvalidArgument(
        f"{type(x).__name__} is on a device of DLPack's kind {device[0]}, which is not taken"
    )


def _given_queue(settings: Settings, operands: list[Operand]) -> Queue:
    queue = settings.queue
    if isinstance(queue, Queue):
        return queue
    if queue is None:
        brought = (operand.queue() for operand in operands)
        found = next((one for one in brought if one is not None), None)
        return found or settings.otherwise()
    if foreign.cuda_stream(queue) is None:
        return opencl_queues.queue_of(queue)
    index = next((o.index for o in operands if isinstance(o, _cuda.CudaOperand)), 0)
    return _cuda.queue_of(index, stream_number(queue))


class Settings(NamedTuple):
    """What all calls take beside their operands, as users give it."""

    variant: str | None
    order: str
    queue: Any
    wait: Iterable[Any]
    done: Event | None = None
    workspace: Any = None
    otherwise: Callable[[], Queue] = default_queue  # Where no array brings a queue along.


class Call:
    """One call: its queue, its arrays, what it waits for, and what is left to do behind it."""

    def __init__(
        self,
        x: Any,
        settings: Settings,
        *,
        y: Any = None,
        out: Any = None,
        init: Any = None,
        total: Any = None,
        count: Any = None,
    ) -> None:
        self.input = _operand(x)
        self.second = None if y is None else self.input if y is x else _operand(y)
        self.output = None if out is None else self.input if out is x else _operand(out)
        # Of initial values, only what is one for each line is an array of the call.
        self.init = Beside(_operand(init), "init") if one_each(init) else None
        self.total = None if total is None else Beside(_operand(total), "total")
        self.count = None if count is None else Count(_operand(count))
        self.beside = [one for one in (self.init, self.total) if one is not None]
        operands = [o for o in (self.input, self.second, self.output) if o is not None]
        operands += [one.operand for one in (*self.beside, self.count) if one is not None]
        self.queue = _given_queue(settings, operands)
        on = self.queue.device.info.backend
        for operand in operands:
            if operand.backend not in (None, on):
                raise errors.InvalidArgument(
                    f"{type(operand.array).__name__} is in memory of {operand.backend}, "
                    f"the queue is one of {on}"
                )
        self.settings = settings
        self.plan: Plan | None = None  # What runs, where it was made before.
        self._wait = [event_from(event) for event in settings.wait]
        self.may_repeat = True
        self.made: tuple[tuple[int, ...], np.dtype] | None = None  # The output, for this call.
        self._exits = ExitStack()

    def __enter__(self) -> Call:
        with self._exits:
            self._enter()
            # Nothing failed: what was begun ends with the call.
            self._exits = self._exits.pop_all()
        return self

    def _enter(self) -> None:
        if self.queue.turn is not None:
            self._exits.enter_context(self.queue.turn)
        self.input.prepare(self)
        if self.second is not None and self.second is not self.input:
            self.second.prepare(self)
        if self.second is not None and self.second.shape != self.input.shape:
            raise errors.InvalidArgument(
                f"y has shape {self.second.shape}, x has {self.input.shape}"
            )
        if self.output is not None and self.output is not self.input:
            self.output.prepare(self)
        for one in (*self.beside, self.count):
            if one is not None:
                one.operand.prepare(self)

    def __exit__(self, *failure: Any) -> None:
        self._exits.__exit__(*failure)

    def at_end(self, function: Callable[[], None]) -> None:
        """Runs a function when the call is over, however it ends."""
        self._exits.callback(function)

    def wait_for(self, event: Event, *, repeated: bool = False) -> None:
        """Has the call start after an event, which a repeated call may find by itself."""
        self._wait.append(event)
        self.may_repeat &= repeated

    def wait_ahead(self) -> None:
        """Has whatever the queue is given from now on start after what the call waits for."""
        if self._wait:
            native.call("bifold_queue_wait_for", self.queue.handle, *handles_of(self._wait))

    def temporary(self, nbytes: int) -> Buffer:
        """Memory that goes when the call is over; Unsupported where a graph would still use it."""
        if nbytes > 0:
            check_not_captured(self.queue, "a call that copies arrays")
        buffer = Buffer.of_size(self.queue, nbytes)
        self.at_end(buffer.close)
        return buffer

    @property
    def target(self) -> Operand:
        """The output of a call that has one."""
        assert self.output is not None
        return self.output

    def is_output(self, operand: Operand) -> bool:
        """Whether an array is written and not read."""
        if self.total is not None and operand is self.total.operand:
            return True
        return operand is self.output and operand is not self.input

    def make_output(self, shape: tuple[int, ...], dtype: np.dtype) -> None:
        """Where none was given: an output of the input's kind."""
        if self.output is None:
            self.put_output(_operand(self.input.empty(self, shape, dtype)))
            self.made = (shape, dtype)

    def put_output(self, output: Operand) -> None:
        """Has the call write to an array that was made for it."""
        self.output = output
        output.prepare(self)

    def run(
        self,
        function: str,
        *arguments: Any,
        axes: tuple[int, ...],
        scan: bool = False,
        reverse: bool = False,
        accumulate: np.dtype | None = None,
        result_map: str | None = None,
        repeated: Repeated | None = None,
    ) -> None:
        """Calls a function of the library with this call's queue, arrays and options.

        Lines lie along `axes`, over which a scan into an array of one dimension is flat. The output
        has the other dimensions, as they are in the input; of a scan all of them. What is
        `repeated` may be called again without this package.
        """
        sources = [self.input.bind(self)]
        if self.second is not None:
            same = self.second is self.input
            sources.append(sources[0] if same else self.second.bind(self))
        target = None
        if self.output is not None:
            self.output.check_writable()
            target = sources[0] if self.output is self.input else self.output.bind(self)
        shape = self.input.shape
        rest = [d for d in range(len(shape)) if d not in axes]
        batch, extents = [shape[d] for d in rest], [shape[a] for a in axes]
        folded = lines.fold_axes(extents, [[p.strides[a] for a in axes] for p in sources])
        written = [] if target is None else [written_by(target, rest, axes, extents, scan)]
        arrays = len(sources) + len(written)
        written += self._beside_lines(rest, accumulate)
        length_from = None if self.count is None else self.count.view(self)
        if folded is not None:
            length, steps = folded
            read = [
                lines.Along(tuple(p.strides[d] for d in rest), length, step)
                for p, step in zip(sources, steps)
            ]
            calls = lines.parts(batch, [*read, *written])
        if target is not None and (folded is None or len(calls) > 1):
            check_apart(sources, target, scan and folded is not None)
        self._check_beside(sources, target, scan, len(calls) if folded is not None else 2)
        wait = self._wait
        if folded is None:
            sources, wait = self._copied(sources, [*rest, *axes])
            length = math.prod(extents)
            strides = tuple(length * stride for stride in lines.c_strides(batch))
            read = [lines.Along(strides, length, 1) for _ in sources]
            calls = lines.parts(batch, [*read, *written])
        places = sources if target is None else [*sources, target]
        wanted = self.settings.done is not None
        total = None if self.total is None else self.total.operand
        outputs = [operand for operand in (self.output, total) if operand is not None]
        wanted = wanted or any(output.wants_done for output in outputs)
        done = Event()
        for left, parts in zip(reversed(range(len(calls))), calls):
            options = self._options(parts[:arrays], reverse, accumulate)
            if result_map is not None:
                options.result_map = result_map.encode()
            others, bring = list(parts[arrays:]), None
            alone = folded is not None and len(calls) == 1
            alone = alone and all(part.lines.side_by_side for part in others)
            views = [place.view(part) for place, part in zip(places, parts)]
            beside = []
            if length_from is not None:
                options.count_from = ctypes.pointer(length_from)
                beside.append(length_from)
            if self.init is not None:
                start, wait = self.init.start(self, others.pop(0), wait)
                options.init_from = ctypes.pointer(start)
                beside.append(start)
            if self.total is not None:
                end, bring = self.total.end(self, others.pop(0))
                options.total = ctypes.pointer(end)
                beside.append(end)
            done = self.enqueue(
                function,
                views,
                arguments,
                options,
                wait,
                wanted or left > 0 or bring is not None,
                self.plan,
            )
            if repeated is not None and alone:
                learn(self, function, [*views, *beside], options, repeated)
            done = done if bring is None else bring(done)
            wait = [done]
        if self.settings.done is not None:
            self.settings.done._own = done._own
        for output in outputs:
            output.finish(self, done)

    def _beside_lines(self, rest: list[int], accumulate: np.dtype | None) -> list[lines.Along]:
        """Binds what has a value for each line."""
        if self.total is not None:
            self.total.operand.check_writable()
            check_hosts_apart(self.total.operand, (self.input, self.second, self.output))
        for one in self.beside:
            one.bind(self, rest, accumulate or types.accumulated(self.target.dtype))
        return [one.along for one in self.beside]

    def _check_beside(
        self, sources: list[Placed], target: Placed | None, scan: bool, calls: int
    ) -> None:
        """InvalidArgument for overlaps that the library cannot see."""
        if self.init is not None and target is not None and calls > 1:
            check_apart([self.init.place], target, not scan)
        if self.total is not None and target is not None:
            check_apart([*sources, target, *(o.place for o in self.beside[:-1])], self.total.place)

    def _copied(
        self, sources: list[Placed], dimensions: list[int]
    ) -> tuple[list[Placed], list[Event]]:
        """Copies of what is read, in the order of the dimensions, and what to wait for then."""
        first, done = _copies.in_order(self, sources[0], dimensions, self._wait, self.input.dtype)
        if self.second is None:
            return [first], [*self._wait, done]
        if sources[1] is sources[0]:
            return [first, first], [*self._wait, done]
        second, later = _copies.in_order(
            self, sources[1], dimensions, [*self._wait, done], self.second.dtype
        )
        return [first, second], [*self._wait, later]

    def _options(
        self, parts: tuple[lines.Part, ...], reverse: bool, accumulate: np.dtype | None
    ) -> structs.Options:
        """All that the user and the lines ask for."""
        options = structs.Options()
        if self.settings.variant is not None:
            options.variant = self.settings.variant.encode()
        options.order = ORDERS.index(self.settings.order)
        options.reverse = reverse
        if self.settings.workspace is not None:
            options.workspace = self.settings.workspace.handle
        # One array without gaps has no lines, so that variants which take none serve it, too.
        plain = all(part.lines.plain for part in parts)
        if self.plan is not None and not self.plan.lines and not plain:
            raise errors.InvalidArgument(
                "the plan takes arrays without gaps: strided=True or axis= makes one for others"
            )
        if not plain or (self.plan is not None and self.plan.lines):
            output = None if self.output is None else parts[-1].lines
            second = None if self.second is None else parts[1].lines
            structs.put_lines(options, parts[0].lines, output, second)
        if accumulate is not None:
            options.accumulate = ctypes.pointer(ctypes.c_int32(types.type_of(accumulate)))
        return options

    def enqueue(
        self,
        function: str,
        views: list[structs.View],
        arguments: Iterable[Any],
        options: structs.Options,
        wait: list[Event],
        wanted: bool,
        plan: Plan | None = None,
    ) -> Event:
        """One call of the library. Its completion is empty unless it is wanted."""
        options.struct_size = ctypes.sizeof(options)
        completion = ctypes.c_void_p()
        # Nobody else works in a workspace, whatever stream is behind a number.
        turn = None if options.workspace else self.queue.turn
        if wanted or turn is not None:
            options.done = ctypes.pointer(completion)
        on = (self.queue.handle,) if plan is None else (plan.handle, self.queue.handle)

        def call(last: int) -> None:
            options.wait, options.wait_count = handles_of(wait, last)
            native.call(function, *on, *views, *arguments, ctypes.byref(options))

        last = 0 if turn is None else turn.last
        doubtful = not last
        try:
            call(last)
        except errors.Unsupported:
            if not last:
                raise
            doubtful = True
        if last and doubtful:
            # Into a graph, maybe, which takes no event from outside and orders its launches.
            call(0)
        if not completion.value:
            return Event()
        if turn is None or (doubtful and is_in_graph(completion.value)):
            return Event._of(completion.value)
        if not wanted:
            turn.last = completion.value
            return Event()
        done = Event._of(completion.value)
        # One of its own, as users may close theirs.
        turn.last = put("bifold_queue_record", self.queue.handle)
        return done
