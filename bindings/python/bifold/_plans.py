"""Plans: reductions and scans made ready for a device."""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ._axes import axes_of, reduced_shape
from ._base import errors, native, opencl_queues, structs, types
from ._base.arguments import checked
from ._base.devices import Device, open_device
from ._base.handles import Handle, put
from ._base.kinds import AXIS, DTYPE, ON_DEVICE, ORDERS, PLAN_PLACE, RESULT_MAP, SCALAR_TYPES, SHAPE
from ._base.operators import Map, MapLike, OperatorLike, declared, handle_of
from ._base.queues import Event, Queue
from ._beside import on_device as is_on_device
from ._calls import Call
from ._repeated import PLAN, PLAN_PAIRS, Repeated, repeated
from ._scalars import declared_by, named_by
from ._settings import Settings
from ._starts import Accumulation, accumulator, address_of, element_of

KINDS = ("inclusive_scan", "exclusive_scan")


class _Shape(NamedTuple):
    """What a plan does, apart from its data."""

    kind: str
    dtype: np.dtype
    out: np.dtype
    accumulate: np.dtype
    y: np.dtype | None = None
    axis: tuple[int, ...] | None = None
    keepdims: bool = False
    reverse: bool = False
    on_device: frozenset[str] = frozenset()
    result_map: str | None = None
    scalars: Mapping[str, np.dtype] = MappingProxyType({})

    @property
    def scans(self) -> bool:
        return self.kind in KINDS


class Plan(Handle):
    """A reduction or a scan made ready for a device: its variant chosen, its kernels built.

    A call of a plan compiles nothing, and gives the bits that the function gives. Threads may share
    plans.

    >>> plan = bifold.Plan.reduce(queue, numpy.int32)
    >>> x = bifold.to_device(numpy.arange(10, dtype=numpy.int32), queue)
    >>> plan(x, bifold.empty(1, numpy.int32, queue)).get()
    array([45], dtype=int32)

    Attributes:
        device: where it runs; on other Devices of the same context, too.
        lines: whether arrays may have gaps.
    """

    _destructor = "bifold_plan_destroy"
    _made_by = "Plan.reduce(), Plan.inclusive_scan() and Plan.exclusive_scan() make plans"
    _copied_by = "the same call makes it again"
    device: Device
    lines: bool
    _shape: _Shape
    _queue: Queue | None  # What it was made with.
    _scalars: dict[str, np.dtype]
    _of_thread: threading.local

    @classmethod
    @checked(device=PLAN_PLACE, y=DTYPE, out=DTYPE, scalars=SCALAR_TYPES, result_map=RESULT_MAP)
    def reduce(
        cls,
        device: Any,
        dtype: Any,
        op: OperatorLike = "plus",
        *,
        map: MapLike | None = None,
        y: Any = None,
        out: Any = None,
        accumulate: Any = None,
        result_map: str | None = None,
        scalars: Mapping[str, Any] | None = None,
        axis: Any = None,
        keepdims: bool = False,
        strided: bool = False,
        on_device: Iterable[str] = (),
        variant: str | None = None,
        order: str = "v1",
    ) -> Plan:
        """May compile. A plan of reduce_into() or transform_reduce_into().

        Args:
            device: a Device, a selector, or a queue on the device: on this one run calls on arrays
                of the host.
            dtype: of the elements of `x`.
            op, map, accumulate, result_map, axis, keepdims, variant, order: as in
                transform_reduce_into().
            y: the dtype of a second array, which the map knows as ``y``.
            scalars: the dtypes of what `map` and `result_map`, as texts, name besides, by name.
            out: the dtype of the results; by default that of an Operator, else `dtype`.
            strided: arrays may have gaps. With an axis they may anyway.
            on_device: what calls bring as arrays on the device: ``"init"``, and ``"count_u32"`` or
                ``"count_u64"`` for `count_from` of that dtype.

        Raises:
            InvalidArgument: dtypes, operator and map do not go together.
            Unsupported: the device or the variant cannot do it.
            BuildFailure: a text does not compile.
        """
        to = accumulator(out, op, None, dtype)
        told = Accumulation(accumulate, result_map).told(op, to)
        wide = types.accumulated(to) if told is None else told
        values = frozenset(on_device)
        what = _Shape(
            "reduce", dtype, to, wide, y, axis, keepdims, False, values, result_map, scalars or {}
        )
        shape = structs.ReduceShape()
        if y is not None:
            shape.second = ctypes.pointer(ctypes.c_int32(types.type_of(y)))
        if to != wide:
            shape.result = ctypes.pointer(ctypes.c_int32(types.type_of(to)))
        made = cls._planned(what, device, strided)
        made._make("bifold_reduce_plan_create", shape, op, map, variant, order)
        return made

    @classmethod
    @checked(device=PLAN_PLACE, out=DTYPE, axis=AXIS, scalars=SCALAR_TYPES, result_map=RESULT_MAP)
    def inclusive_scan(
        cls,
        device: Any,
        dtype: Any,
        op: OperatorLike = "plus",
        *,
        map: MapLike | None = None,
        out: Any = None,
        accumulate: Any = None,
        result_map: str | None = None,
        scalars: Mapping[str, Any] | None = None,
        axis: int | None = None,
        reverse: bool = False,
        strided: bool = False,
        on_device: Iterable[str] = (),
        variant: str | None = None,
        order: str = "v1",
    ) -> Plan:
        """May compile. A plan of inclusive_scan() or transform_inclusive_scan().

        Args:
            device, dtype, out, strided: as in reduce().
            op, map, accumulate, result_map, axis, reverse, variant, order: as in
                transform_inclusive_scan().
            on_device: as in reduce(), and ``"total"``.

        Raises:
            InvalidArgument, Unsupported, BuildFailure: as reduce().
        """
        how = Accumulation(accumulate, result_map, scalars)
        what = _scan(0, dtype, out, op, how, axis, reverse, on_device)
        return cls._scanning(what, device, strided, op, map, variant, order)

    @classmethod
    @checked(device=PLAN_PLACE, out=DTYPE, axis=AXIS, scalars=SCALAR_TYPES, result_map=RESULT_MAP)
    def exclusive_scan(
        cls,
        device: Any,
        dtype: Any,
        op: OperatorLike = "plus",
        *,
        map: MapLike | None = None,
        out: Any = None,
        accumulate: Any = None,
        result_map: str | None = None,
        scalars: Mapping[str, Any] | None = None,
        axis: int | None = None,
        reverse: bool = False,
        strided: bool = False,
        on_device: Iterable[str] = (),
        variant: str | None = None,
        order: str = "v1",
    ) -> Plan:
        """May compile. A plan of exclusive_scan() or transform_exclusive_scan().

        Arguments and errors are those of Plan.inclusive_scan().
        """
        how = Accumulation(accumulate, result_map, scalars)
        what = _scan(1, dtype, out, op, how, axis, reverse, on_device)
        return cls._scanning(what, device, strided, op, map, variant, order)

    @classmethod
    def _planned(cls, what: _Shape, device: Any, strided: bool) -> Plan:
        made: Plan = cls.__new__(cls)
        made._shape = what
        made.lines = strided or what.axis is not None or what.keepdims
        if isinstance(device, str):
            device = open_device(device)
        made._queue, made._of_thread = None, threading.local()
        if not isinstance(device, Device):
            made._queue = device if isinstance(device, Queue) else opencl_queues.queue_of(device)
            device = made._queue.device
        made.device = device
        return made

    @classmethod
    def _scanning(cls, what: _Shape, device: Any, strided: bool, *rest: Any) -> Plan:
        shape = structs.ScanShape()
        shape.output = types.type_of(what.out)
        shape.kind = KINDS.index(what.kind)
        shape.reverse = what.reverse
        made = cls._planned(what, device, strided)
        made._make("bifold_scan_plan_create", shape, *rest)
        return made

    def _make(
        self,
        function: str,
        shape: Any,
        op: OperatorLike,
        map: MapLike | None,
        variant: str | None,
        order: str,
    ) -> None:
        what = self._shape
        mapped = Map(map, named_by(map, what.scalars)) if isinstance(map, str) else map
        self._scalars = {**what.scalars, **declared_by(op, mapped)}
        shape.struct_size = ctypes.sizeof(shape)
        shape.op = handle_of(op)
        shape.map = None if mapped is None else mapped.handle
        shape.variant = None if variant is None else variant.encode()
        shape.input = types.type_of(what.dtype)
        shape.accumulator = types.type_of(what.accumulate)
        shape.on_device = sum(ON_DEVICE[name] for name in what.on_device)
        shape.order = ORDERS.index(order)
        shape.lines = self.lines
        if what.result_map is not None:
            shape.result_map = what.result_map.encode()
            every, count = declared(named_by(what.result_map, what.scalars))
            shape.result_map_scalars, shape.result_map_scalar_count = every, count
        self._op = op if isinstance(op, str) else op.name
        self._hold(put(function, self.device.handle, ctypes.byref(shape)))

    @repeated
    @checked
    def __call__(
        self,
        x: Any,
        out: Any,
        init: Any = None,
        *,
        y: Any = None,
        total: Any = None,
        count_from: Any = None,
        scalars: Mapping[str, Any] | None = None,
        workspace: Any = None,
        queue: Any = None,
        wait: Iterable[Any] = (),
        done: Event | None = None,
    ) -> Any:
        """Enqueues the plan on arrays. Blocks where an array is the host's.

        Args:
            x, out, y: arrays of the plan's dtypes, of any size and kind.
            init: a number, or an array on the device where the plan was made for one.
            total: of a scan, an array that receives what all of a line gives.
            count_from: an array of one element, read when the call runs: how many elements count.
            scalars: numbers by name, for what the plan's texts name besides.
            workspace: a Workspace to use instead of the queue's scratch memory.
            queue: where it runs; by default the array's own queue or stream. For arrays of the host
                the queue that the plan was made with, else this thread's one of the plan.
            wait, done: as in reduce_into().

        Returns:
            `out`.

        Raises:
            InvalidArgument: the plan is closed, was made for another device, for other dtypes or
                other values on the device; shapes do not go together; or the workspace is too
                small.
        """
        _ = self.handle  # InvalidArgument where it is closed.
        what = self._shape
        settings = Settings(None, "v1", queue, wait, done, workspace, self._for_hosts)
        starts = init if what.axis is not None or is_on_device(init) else None
        more = {"total": total, "count": count_from, "scalars": scalars}
        with Call(x, settings, y=y, out=out, init=starts, **more) as call:
            call.plan = self
            if call.scalars is not None:
                call.scalars.find_types(what.dtype, self._scalars)
            self._check(call)
            axes = axes_of(what.axis, len(call.input.shape))
            start = what.out if what.result_map is None else what.accumulate
            carry = element_of(call.init or init, start)
            if carry is not None:
                carry = types.value_of(carry, what.accumulate, "init")
            call.run(
                "bifold_plan_run" if y is None else "bifold_plan_run_pairs",
                address_of(carry),
                axes=axes,
                scan=what.scans,
                reverse=what.reverse,
                accumulate=what.accumulate,
                repeated=Repeated(PLAN if y is None else PLAN_PAIRS, self, None, carry),
            )
            return call.target.array

    def _for_hosts(self) -> Queue:
        """Where calls on arrays run that bring no queue along."""
        if self._queue is not None:
            return self._queue
        queue: Queue | None = getattr(self._of_thread, "queue", None)
        if queue is None or queue.closed:
            queue = self._of_thread.queue = Queue(self.device)
        return queue

    def _check(self, call: Call) -> None:
        what = self._shape
        arrays = [("x", call.input, what.dtype), ("out", call.target, what.out)]
        if (call.second is None) != (what.y is None):
            takes = "one array" if what.y is None else "two arrays: y= is the second one"
            raise errors.InvalidArgument(f"the plan takes {takes}")
        if call.second is not None and what.y is not None:
            arrays.append(("y", call.second, what.y))
        for name, operand, dtype in arrays:
            if operand.dtype != dtype:
                raise errors.InvalidArgument(
                    f"{name} has elements of {operand.dtype}, the plan takes {dtype}"
                )
        self._check_beside(call)
        axes = axes_of(what.axis, len(call.input.shape))
        shape = call.input.shape
        if what.scans:
            shape = shape if what.axis is not None else (call.input.size,)
        else:
            shape = reduced_shape(shape, axes, what.keepdims)
        one = not what.scans and what.axis is None and not what.keepdims
        if call.target.size != 1 if one else call.target.shape != shape:
            raise errors.InvalidArgument(
                f"out has shape {call.target.shape}, the plan's results have {shape}"
            )

    def _check_beside(self, call: Call) -> None:
        given = set()
        if call.init is not None:
            given.add("init")
        if call.total is not None:
            given.add("total")
        if call.count is not None:
            given.add("count_u32" if call.count.operand.dtype == np.uint32 else "count_u64")
        if given != self._shape.on_device:
            wanted = ", ".join(sorted(self._shape.on_device)) or "no values"
            raise errors.InvalidArgument(
                f"the plan was made for {wanted} on the device (on_device=), "
                f"the call brings {', '.join(sorted(given)) or 'none'}"
            )

    @property
    def variant(self) -> str:
        """The row of the gallery that runs, of ``"production"`` the one for large inputs."""
        name: bytes = native.library().bifold_plan_variant(self.handle)
        return name.decode()

    @checked(shape=SHAPE)
    def workspace_bytes(self, shape: Any) -> int:
        """Bytes of workspace for arrays of a shape, or a number of elements, and smaller ones."""
        if math.prod(shape) >= 2**64:
            raise errors.InvalidArgument(f"{shape} are more elements than 64 bits count")
        nbytes = ctypes.c_uint64()
        place = ctypes.byref(nbytes)
        if not self.lines:
            name = "bifold_plan_workspace_bytes"
            native.call(name, self.handle, math.prod(shape), place)
            return nbytes.value
        axes = axes_of(self._shape.axis, len(shape))
        length = math.prod(shape[axis] for axis in axes)
        count = math.prod(extent for d, extent in enumerate(shape) if d not in axes)
        lines = structs.Lines(count, length, 1, length, 1, 1)
        name = "bifold_plan_workspace_bytes_of_lines"
        native.call(name, self.handle, ctypes.byref(lines), place)
        return nbytes.value

    def __repr__(self) -> str:
        what = self._shape
        where = self.device.info.selector
        return f"<bifold.Plan of {what.kind} by {self._op} of {what.dtype} on {where}>"


def _scan(
    kind: int,
    dtype: np.dtype,
    out: np.dtype | None,
    op: OperatorLike,
    how: Accumulation,
    axis: Any,
    reverse: bool,
    on_device: Iterable[str],
) -> _Shape:
    to = accumulator(out, op, None, dtype)
    wide = how.told(op, to)
    wide = types.accumulated(to) if wide is None else wide
    axes = None if axis is None else (axis,)
    values = frozenset(on_device)
    name = KINDS[kind]
    named = how.scalars or {}
    return _Shape(name, dtype, to, wide, None, axes, False, reverse, values, how.result_map, named)
