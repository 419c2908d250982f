"""Reduce and scan."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np

from . import _cuda, _dlpack, _errors, _foreign, _native, _opencl, _types
from ._kinds import ORDERS
from ._memory import Array
from ._operands import HostOperand, Operand, OwnOperand
from ._operators import Map, Operator, OperatorLike, handle_of
from ._queues import Event, Queue, default_queue, event_from, handles_of, stream_number


def _operand(x: Any) -> Operand:
    if isinstance(x, Array):
        return OwnOperand(x)
    if isinstance(x, np.ndarray):
        return HostOperand(x)
    if _foreign.is_opencl_array(x):
        return _opencl.OpenCLOperand(x)
    interface = _foreign.cuda_interface(x)
    device = _dlpack.device_of(x)
    on_cuda = device is not None and device[0] in _dlpack.ON_CUDA
    # An interface of a version that knows no streams leaves it to DLPack to order the work.
    if interface is not None and ("stream" in interface or not on_cuda):
        return _cuda.InterfaceOperand(x, interface)
    if device is None or device[0] in _dlpack.ON_HOST:
        return HostOperand(x)
    if on_cuda:
        return _cuda.DlpackOperand(x, device[1])
    raise _errors.InvalidArgument(
        f"{type(x).__name__} is on a device of DLPack's kind {device[0]}, which is not taken"
    )


def _given_queue(queue: Any, operands: list[Operand]) -> Queue:
    if isinstance(queue, Queue):
        return queue
    if queue is None:
        brought = (operand.queue() for operand in operands)
        return next((found for found in brought if found is not None), None) or default_queue()
    if _foreign.cuda_stream(queue) is None:
        return _opencl.queue_of(queue)
    index = next((o.index for o in operands if isinstance(o, _cuda.CudaOperand)), 0)
    return _cuda.queue_of(index, stream_number(queue))


class Settings(NamedTuple):
    """What all calls take beside their operands, as users give it."""

    variant: str | None
    order: str
    queue: Any
    wait: Iterable[Any]
    done: Event | None = None


class Call:
    """One call: its queue, its arrays, what it waits for, and what is left to do behind it."""

    def __init__(self, x: Any, settings: Settings, *, y: Any = None, out: Any = None) -> None:
        self.input = _operand(x)
        self.second = None if y is None else self.input if y is x else _operand(y)
        self.output = None if out is None else self.input if out is x else _operand(out)
        operands = [o for o in (self.input, self.second, self.output) if o is not None]
        self.queue = _given_queue(settings.queue, operands)
        on = self.queue.device.info.backend
        for operand in operands:
            if operand.backend not in (None, on):
                raise _errors.InvalidArgument(
                    f"{type(operand.array).__name__} is in memory of {operand.backend}, "
                    f"the queue is one of {on}"
                )
        self._settings = settings
        self._wait = [event_from(event) for event in settings.wait]
        self._exits = ExitStack()

    def __enter__(self) -> Call:
        with self._exits:
            self._enter()
            # Nothing failed: what was begun ends with the call.
            self._exits = self._exits.pop_all()
        return self

    def _enter(self) -> None:
        if isinstance(self.queue, _cuda.StreamQueue):
            self._exits.enter_context(self.queue.turn)
            self._wait.append(self.queue.last)
        self.input.prepare(self)
        if self.second is not None and self.second is not self.input:
            self.second.prepare(self)
        if self.second is not None and self.second.shape != self.input.shape:
            raise _errors.InvalidArgument(
                f"y has shape {self.second.shape}, x has {self.input.shape}"
            )
        if self.output is not None and self.output is not self.input:
            self.output.prepare(self)

    def __exit__(self, *failure: Any) -> None:
        self._exits.__exit__(*failure)

    def at_end(self, function: Callable[[], None]) -> None:
        """Runs a function when the call is over, however it ends."""
        self._exits.callback(function)

    def wait_for(self, event: Event) -> None:
        """Has the call start after an event."""
        self._wait.append(event)

    @property
    def target(self) -> Operand:
        """The output of a call that has one."""
        assert self.output is not None
        return self.output

    def is_output(self, operand: Operand) -> bool:
        """Whether an array is written and not read."""
        return operand is self.output and operand is not self.input

    def make_output(self, dtype: np.dtype) -> None:
        """Where none was given: an output of the input's kind and shape."""
        if self.output is None:
            self.output = _operand(self.input.empty(self, self.input.shape, dtype))
            self.output.prepare(self)

    def run(self, function: str, *arguments: Any, accumulate: int | None = None) -> None:
        """Calls a function of the library with this call's queue, arrays and options."""
        source = self.input.bind(self)
        views = [source]
        if self.second is not None:
            views.append(source if self.second is self.input else self.second.bind(self))
        if self.output is not None:
            self.output.check_writable()
            views.append(source if self.output is self.input else self.output.bind(self))
        options = _native.Options()
        options.struct_size = ctypes.sizeof(options)
        options.wait, options.wait_count = handles_of(self._wait)
        if self._settings.variant is not None:
            options.variant = self._settings.variant.encode()
        options.order = ORDERS.index(self._settings.order)
        if accumulate is not None:
            options.accumulate = ctypes.pointer(ctypes.c_int32(accumulate))
        put = ctypes.c_void_p()
        guarded = self.queue if isinstance(self.queue, _cuda.StreamQueue) else None
        wanted = self.output is not None and self.output.wants_done
        if self._settings.done is not None or guarded is not None or wanted:
            options.done = ctypes.pointer(put)
        _native.call(function, self.queue.handle, *views, *arguments, ctypes.byref(options))
        done = Event._of(put.value) if put.value else Event()
        if self._settings.done is not None:
            self._settings.done._own = done._own
        if guarded is not None:
            guarded.last = done
        if self.output is not None:
            self.output.finish(self, done)


def accumulator(dtype: Any, op: OperatorLike, init: Any, input_type: np.dtype) -> np.dtype:
    """The dtype of accumulation, where it is not an output's."""
    if dtype is not None:
        return dtype
    if isinstance(op, Operator):
        return op.dtype
    if isinstance(init, (np.generic, np.ndarray)):
        return init.dtype
    return input_type


def element_of(init: Any, dtype: np.dtype) -> np.ndarray | None:
    """An initial value in memory; None where there is none."""
    return None if init is None else _types.value_of(init, dtype, "init")


def address_of(element: np.ndarray | None) -> int | None:
    """Where an initial value is, for the library."""
    return None if element is None else element.ctypes.data


def _reduction(map: Map | None, y: Any, into: str = "") -> str:
    """The function of the library for a reduction with a map or none, of one or two arrays."""
    if map is None:
        return f"bifold_reduce{into}"
    return f"bifold_transform_reduce{'' if y is None else '_pairs'}{into}"


def reduce_to_host(
    x: Any,
    y: Any,
    op: OperatorLike,
    map: Map | None,
    init: Any,
    dtype: Any,
    settings: Settings,
) -> Any:
    """A reduction whose result is a NumPy scalar."""
    with Call(x, settings, y=y) as call:
        of = accumulator(dtype, op, init, call.input.dtype)
        carry = element_of(init, of)
        result = np.empty(1, of)
        mapped = () if map is None else (map.handle,)
        call.run(
            _reduction(map, y),
            handle_of(op),
            *mapped,
            _types.type_of(of),
            address_of(carry),
            result.ctypes.data,
        )
        return result[0]


def reduce_to_array(
    x: Any,
    y: Any,
    out: Any,
    op: OperatorLike,
    map: Map | None,
    init: Any,
    settings: Settings,
) -> Any:
    """A reduction into an array of one element."""
    with Call(x, settings, y=y, out=out) as call:
        if call.target.size != 1:
            raise _errors.InvalidArgument(f"out has shape {call.target.shape}, not one element")
        carry = element_of(init, call.target.dtype)
        mapped = () if map is None else (map.handle,)
        call.run(_reduction(map, y, "_into"), handle_of(op), *mapped, address_of(carry))
    return out


def scan(
    kind: str,
    x: Any,
    out: Any,
    op: OperatorLike,
    map: Map | None,
    init: Any,
    dtype: Any,
    accumulate: Any,
    settings: Settings,
) -> Any:
    """A scan, into a new array where none is given."""
    with Call(x, settings, out=out) as call:
        shape = call.input.shape
        if len(shape) != 1:
            raise _errors.InvalidArgument(f"a scan of shape {shape}; ravel() makes it flat")
        if out is None:
            call.make_output(accumulator(dtype, op, init, call.input.dtype))
        elif dtype is not None and dtype != call.target.dtype:
            raise _errors.InvalidArgument(f"out has elements of {call.target.dtype}, not {dtype}")
        if call.target.shape != shape:
            raise _errors.InvalidArgument(f"out has shape {call.target.shape}, the input {shape}")
        carry = element_of(init, call.target.dtype)
        mapped = () if map is None else (map.handle,)
        call.run(
            f"bifold_{kind}_scan" if map is None else f"bifold_transform_{kind}_scan",
            handle_of(op),
            *mapped,
            address_of(carry),
            accumulate=None if accumulate is None else _types.type_of(accumulate),
        )
        return call.target.array
