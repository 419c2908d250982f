"""Reduce and scan."""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays.copies import in_order
from ._arrays.kinds import operand_of
from ._arrays.memory import Buffer
from ._arrays.operands import Operand, Placed, check_hosts_apart
from ._axes import check_apart, written_by
from ._base import errors, lines, native, structs, types
from ._base.handles import put
from ._base.operators import Map, MapLike, OperatorLike
from ._base.queues import (
    Event,
    check_not_captured,
    event_from,
    handles_of,
    is_in_graph,
)
from ._beside import Beside, Count, on_device, one_each
from ._repeated import Repeated, learn
from ._scalars import Scalars, declared_by
from ._settings import Settings

if TYPE_CHECKING:
    from ._plans import Plan


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
        scalars: dict[str, Any] | None = None,
        bounds: tuple[Any, ...] = (),
        names: tuple[str, str] = ("x", "y"),
    ) -> None:
        self._names = names  # Of the input and what is beside it, for the user.
        self.input = operand_of(x)
        ys = y if isinstance(y, tuple) else () if y is None else (y,)
        beside = [self.input if one is x else operand_of(one) for one in ys]
        self.second = beside[0] if beside else None
        self.more_inputs = beside[1:]  # They lie as the second one does.
        outs = out if isinstance(out, tuple) else () if out is None else (out,)
        outputs = [self.input if one is x else operand_of(one) for one in outs]
        self.output = outputs[0] if outputs else None
        self.more_outputs = outputs[1:]  # They lie as the output does.
        # Of initial values, only what is one for each line is an array of the call.
        self.init = Beside(operand_of(init), "init") if one_each(init) else None
        self.total = None if total is None else Beside(operand_of(total), "total")
        self.count = None if count is None else Count(operand_of(count))
        self.beside = [one for one in (self.init, self.total) if one is not None]
        self.bounds = [operand_of(one) for one in bounds]  # Of segments.
        operands = [self.input, *beside, *self.bounds, *outputs]
        operands += [one.operand for one in (*self.beside, self.count) if one is not None]
        self.scalars: Scalars | None = None
        if scalars:
            held = {name: operand_of(one) for name, one in scalars.items() if on_device(one)}
            self.scalars = Scalars(scalars, held)
            operands += held.values()
        self.queue = settings.queue_for(operands)
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
        for other in self.inputs[1:]:
            if other is not self.input:
                other.prepare(self)
            if other.shape != self.input.shape:
                first, beside = self._names
                raise errors.InvalidArgument(
                    f"{beside} has shape {other.shape}, {first} has {self.input.shape}"
                )
        for output in self.outputs:
            if output is not self.input:
                output.prepare(self)
        for output in self.more_outputs:
            if output.shape != self.target.shape:
                raise errors.InvalidArgument(
                    f"outputs have shapes {self.target.shape} and {output.shape}"
                )
        for one in (*self.beside, self.count):
            if one is not None:
                one.operand.prepare(self)
        for operand in self.bounds:
            operand.prepare(self)
        for operand in self.scalars.operands.values() if self.scalars else ():
            operand.prepare(self)

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

    def find_scalars(self, *texts: MapLike | OperatorLike | None) -> None:
        """Gives scalars the types that maps and operators declare; others have those of values."""
        if self.scalars is not None:
            known = declared_by(*(text for text in texts if not isinstance(text, str)))
            self.scalars.find_types(self.input.dtype, known)

    def map_of(self, map: MapLike | None, op: OperatorLike = "plus") -> Map | None:
        """The map of a text, which may name scalars of the call."""
        self.find_scalars(op, map)
        return self.made_map(map)

    def made_map(self, map: MapLike | None) -> Map | None:
        """The same where the types of scalars are known."""
        if not isinstance(map, str):
            return map
        return Map(map, {} if self.scalars is None else self.scalars.named_by(map))

    @property
    def inputs(self) -> list[Operand]:
        """The arrays that a map takes together."""
        return [self.input] if self.second is None else [self.input, self.second, *self.more_inputs]

    @property
    def outputs(self) -> list[Operand]:
        """The output, if there is one, and those beside it."""
        return [] if self.output is None else [self.output, *self.more_outputs]

    @property
    def answer(self) -> Any:
        """The outputs as the user knows them."""
        if not self.more_outputs:
            return self.target.array
        return tuple(output.array for output in self.outputs)

    @property
    def target(self) -> Operand:
        """The output of a call that has one."""
        assert self.output is not None
        return self.output

    def is_output(self, operand: Operand) -> bool:
        """Whether an array is written and not read."""
        if self.total is not None and operand is self.total.operand:
            return True
        return operand is not self.input and any(operand is one for one in self.outputs)

    def make_output(self, shape: tuple[int, ...], dtype: np.dtype) -> None:
        """Where none was given: an output of the input's kind."""
        if self.output is None:
            self.put_output(operand_of(self.input.empty(self, shape, dtype)))
            self.made = (shape, dtype)

    def put_output(self, output: Operand, *more: Operand) -> None:
        """Has the call write to arrays that were made for it."""
        self.output, self.more_outputs = output, list(more)
        for one in self.outputs:
            one.prepare(self)

    def run(
        self,
        function: str,
        *arguments: Any,
        axes: tuple[int, ...],
        scan: bool = False,
        reverse: bool = False,
        accumulate: np.dtype | None = None,
        result_map: str | tuple[str | None, ...] | None = None,
        repeated: Repeated | None = None,
        taken: int | None = None,
        written: int = 1,
    ) -> None:
        """Calls a function of the library with this call's queue, arrays and options.

        Lines lie along `axes`, over which a scan into an array of one dimension is flat. The output
        has the other dimensions, as they are in the input; of a scan all of them. What is
        `repeated` may be called again without this package. The function takes so many inputs, by
        default a scan one and a reduction two, and has so many outputs `written`; the options have
        the others.
        """
        sources = [self.input.bind(self)]
        for other in self.inputs[1:]:
            sources.append(sources[0] if other is self.input else other.bind(self))
        targets = []
        for output in self.outputs:
            output.check_writable()
            targets.append(sources[0] if output is self.input else output.bind(self))
        texts = result_map if isinstance(result_map, tuple) else (result_map,) * written
        if len(texts) != max(len(targets), 1):
            raise errors.InvalidArgument(
                f"{len(texts)} result maps for {len(targets)} outputs: there has to be one for each"
            )
        shape = self.input.shape
        rest = [d for d in range(len(shape)) if d not in axes]
        batch, extents = [shape[d] for d in rest], [shape[a] for a in axes]
        folded = lines.fold_axes(extents, [[p.strides[a] for a in axes] for p in sources])
        stored = [written_by(target, rest, axes, extents, scan) for target in targets]
        arrays = len(sources) + len(stored)
        stored += self._beside_lines(rest, accumulate)
        length_from = None if self.count is None else self.count.view(self)
        if folded is not None:
            length, steps = folded
            read = [
                lines.Along(tuple(p.strides[d] for d in rest), length, step)
                for p, step in zip(sources, steps)
            ]
            calls = lines.parts(batch, [*read, *stored])
        if folded is None or len(calls) > 1:
            for target in targets:
                check_apart(sources, target, scan and folded is not None)
            for one, other in itertools.combinations(targets, 2):
                check_apart([one], other)
        self._check_beside(sources, targets, scan, len(calls) if folded is not None else 2)
        wait = self._wait
        if folded is None:
            sources, wait = self._copied(sources, [*rest, *axes])
            length = math.prod(extents)
            strides = tuple(length * stride for stride in lines.c_strides(batch))
            read = [lines.Along(strides, length, 1) for _ in sources]
            calls = lines.parts(batch, [*read, *stored])
        places = [*sources, *targets]
        wanted = self.wants_done
        done = Event()
        for left, parts in zip(reversed(range(len(calls))), calls):
            options = self._options(parts[:arrays], reverse, accumulate)
            if texts[0] is not None:
                options.result_map = texts[0].encode()
            others, bring = list(parts[arrays:]), None
            alone = folded is not None and len(calls) == 1
            alone = alone and all(part.lines.side_by_side for part in others)
            views = [place.view(part) for place, part in zip(places, parts)]
            given = len(views) - len(self.outputs[written:])
            views, beside = views[:given], views[given:]
            structs.put_outputs(options, beside, texts[written:])
            taken = min(taken or (1 if scan else 2), len(sources))
            structs.put_inputs(options, views[taken : len(sources)])
            alone = alone and taken == len(sources)
            del views[taken : len(sources)]
            if self.scalars is not None:
                self.scalars.put(self, options, texts)
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
            if self.scalars is not None:
                alone = alone and self.scalars.alike and not self.more_outputs
            if repeated is not None and alone:
                learn(self, function, [*views, *beside], options, repeated)
            done = done if bring is None else bring(done)
            wait = [done]
        self.finish(done)

    @property
    def results(self) -> list[Operand]:
        """All arrays that are written."""
        return self.outputs if self.total is None else [*self.outputs, self.total.operand]

    @property
    def wants_done(self) -> bool:
        """Whether anything is to be told when the call is done."""
        given = self.settings.done is not None
        return given or any(result.wants_done for result in self.results)

    def finish(self, done: Event) -> None:
        """Tells all that the call is done then."""
        if self.settings.done is not None:
            self.settings.done._own = done._own
        for result in self.results:
            result.finish(self, done)

    def _beside_lines(self, rest: list[int], accumulate: np.dtype | None) -> list[lines.Along]:
        """Binds what has a value for each line."""
        if self.total is not None:
            self.total.operand.check_writable()
            check_hosts_apart(self.total.operand, (*self.inputs, *self.outputs))
        for one in self.beside:
            one.bind(self, rest, accumulate or types.accumulated(self.target.dtype))
        return [one.along for one in self.beside]

    def _check_beside(
        self, sources: list[Placed], targets: list[Placed], scan: bool, calls: int
    ) -> None:
        """InvalidArgument for overlaps that the library cannot see."""
        if self.init is not None and calls > 1:
            for target in targets:
                check_apart([self.init.place], target, not scan)
        if self.total is not None and targets:
            others = [*sources, *targets, *(o.place for o in self.beside[:-1])]
            check_apart(others, self.total.place)

    def _copied(
        self, sources: list[Placed], dimensions: list[int]
    ) -> tuple[list[Placed], list[Event]]:
        """Copies of what is read, in the order of the dimensions, and what to wait for then."""
        wait, copies = self._wait, []
        for source, operand in zip(sources, self.inputs):
            if copies and source is sources[0]:
                copies.append(copies[0])
                continue
            copy, done = in_order(self, source, dimensions, wait, operand.dtype)
            copies.append(copy)
            wait = [*self._wait, done]
        return copies, wait

    def _options(
        self, parts: tuple[lines.Part, ...], reverse: bool, accumulate: np.dtype | None
    ) -> structs.Options:
        """All that the user and the lines ask for."""
        options = self.settings.options()
        options.reverse = reverse
        # One array without gaps has no lines, so that variants which take none serve it, too.
        plain = all(part.lines.plain for part in parts)
        if self.plan is not None and not self.plan.lines and not plain:
            raise errors.InvalidArgument(
                "the plan takes arrays without gaps: strided=True or axis= makes one for others"
            )
        if not plain or (self.plan is not None and self.plan.lines):
            sources = len(self.inputs)
            written = [part.lines for part in parts[sources:]]
            if any(one != written[0] for one in written):
                raise errors.InvalidArgument("outputs of one call have to lie alike")
            if any(part.lines != parts[1].lines for part in parts[2:sources]):
                raise errors.InvalidArgument("arrays y of one call have to lie alike")
            output = written[0] if written else None
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
