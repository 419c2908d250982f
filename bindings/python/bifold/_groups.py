"""Groups: one array over several devices or processes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from . import _copies
from ._base import errors, lines, native, structs, types
from ._base.arguments import checked
from ._base.handles import Handle, put
from ._base.kinds import ARRAY, ORDERS
from ._base.operators import MapLike, OperatorLike, handle_of, map_of
from ._base.queues import Event, handles_of
from ._base.values import described
from ._calls import Call, Settings
from ._mpi import Transport
from ._operands import Operand, Placed
from ._reductions import Indexed
from ._starts import accumulator, address_of, element_of

_SCANS = {"inclusive": 0, "exclusive": 1}


def _is_dense(place: Placed) -> bool:
    dense = lines.c_strides(place.shape)
    return all(n <= 1 or a == b for n, a, b in zip(place.shape, place.strides, dense))


def _input(call: Call, operand: Operand) -> structs.View:
    """The elements one behind the other, in C order."""
    place = operand.bind(call)
    if not _is_dense(place):
        dimensions = range(len(place.shape))
        place, done = _copies.in_order(call, place, dimensions, call._wait, operand.dtype)
        call.wait_for(done)
    return structs.View(place.buffer.handle, place.type, place.first, operand.size)


def _output(call: Call, operand: Operand) -> structs.View:
    operand.check_writable()
    place = operand.bind(call)
    if not _is_dense(place):
        raise errors.InvalidArgument("out has gaps between its elements: a group writes none such")
    return structs.View(place.buffer.handle, place.type, place.first, operand.size)


def _wait_ahead(call: Call) -> None:
    """Has what the library enqueues start after what the call waits for."""
    call.wait_ahead()
    if call.queue.turn is not None and call.queue.turn.last:
        waited = handles_of([], call.queue.turn.last)
        native.call("bifold_queue_wait_for", call.queue.handle, *waited)


def _finish(call: Call) -> None:
    """What is left to do with the output of a scan that is enqueued."""
    if call.queue.turn is not None:
        call.queue.turn.last = put("bifold_queue_record", call.queue.handle)
    done = call.queue.record() if call.target.wants_done else Event()
    call.target.finish(call, done)


@checked
def even_split(
    n: int, ranks: int, dtype: Any, op: OperatorLike = "plus", *, scan: bool = False
) -> list[int]:
    """Where to split `n` elements so that ranks of a group need none of each other's.

    Args:
        dtype: of accumulation.
        op: the operator.
        scan: for scans, instead of reductions.

    Returns:
        ranks + 1 offsets, from 0 to n. Slice r begins at offset r.
    """
    offsets = (ctypes.c_uint64 * (ranks + 1))()
    function = "bifold_even_scan_split" if scan else "bifold_even_reduce_split"
    native.call(function, n, ranks, handle_of(op), types.type_of(dtype), offsets)
    return list(offsets)


class Group(Handle):
    """Ranks that reduce or scan one array together, each with a slice of it.

    In order v1, floating results have the bits of one device's call on the whole array, whatever
    the slices, the devices and the backends. All ranks make the same calls in the same order.

    Calls take this process's slice, and give its output; where several ranks are in this process,
    lists with one for each. A slice has any number of elements, several dimensions in C order, and
    is worked on where it lies: ``to_device(x, queue)`` says where.

    Args:
        ranks: how many there are, all in this process.

    Attributes:
        size: the number of ranks.
        local_ranks: those of this process, a tuple.
    """

    _destructor = "bifold_group_destroy"
    _copied_by = "bifold.Group() makes another one"
    _transport: Transport | None = None

    @checked
    def __init__(self, ranks: int) -> None:
        self._set(put("bifold_group_create_in_process", ranks), ranks, tuple(range(ranks)))

    def _set(self, handle: int, size: int, local_ranks: tuple[int, ...]) -> None:
        self._hold(handle)
        self.size = size
        self.local_ranks = local_ranks

    @classmethod
    @checked
    def mpi(cls, comm: Any, *, deadline: float = 30.0) -> Group:
        """The ranks of a communicator of mpi4py, which all of them call, as ``comm.Dup()``.

        Args:
            comm: an intracommunicator. The group has a copy, which close() frees.
            deadline: seconds that a wait for other ranks takes at most. Then the call is a Timeout,
                and the group is out of use.
        """
        transport = Transport(comm)
        group = cls.__new__(cls)
        told = transport.told(deadline)
        handle = put("bifold_group_create", ctypes.byref(told))
        group._set(handle, transport.size, (transport.rank,))
        group._transport = transport
        return group

    def close(self) -> None:
        """Gives the handle back; further calls do nothing. Over MPI, all ranks call it."""
        closed = self.closed
        super().close()
        if self._transport is not None and not closed:
            self._transport.close()

    @checked
    def reduce(
        self,
        x: Any,
        op: OperatorLike = "plus",
        init: Any = None,
        *,
        dtype: Any = None,
        order: str = "v1",
        queue: Any = None,
    ) -> Any:
        """Blocks. The reduction of the slices of all ranks, as a NumPy scalar, the same on each.

        Args:
            x: the slice, or a list of slices.
            op, init, dtype, order: as of reduce(), and the same on all ranks.
            queue: as of reduce(), for every slice of this process.

        Raises:
            InvalidArgument: the ranks ask for different things, or one of them is wrong.
            Timeout: a rank does not come.
            Error: otherwise as reduce(). The failure of one rank is that of all, but for arguments
                of wrong kinds: these are refused at once, and other ranks wait until the deadline.
        """
        return self._reduce(x, None, op, None, init, dtype, order, queue)

    @checked
    def transform_reduce(
        self,
        x: Any,
        map: MapLike,
        op: OperatorLike = "plus",
        init: Any = None,
        *,
        y: Any = None,
        dtype: Any = None,
        order: str = "v1",
        queue: Any = None,
    ) -> Any:
        """Blocks. The reduction of a function of each element, as transform_reduce() has it.

        The map cannot name the index ``i``, unless the group has one rank.
        """
        return self._reduce(x, y, op, map, init, dtype, order, queue)

    @checked
    def argmin(self, x: Any, *, order: str = "v1", queue: Any = None) -> Indexed:
        """Blocks. The least element and its index in the whole array, as argmin() has it."""
        return self._search("bifold_group_argmin", x, order, queue)

    @checked
    def argmax(self, x: Any, *, order: str = "v1", queue: Any = None) -> Indexed:
        """Blocks. The greatest element and its index in the whole array."""
        return self._search("bifold_group_argmax", x, order, queue)

    @checked
    def inclusive_scan(
        self,
        x: Any,
        out: Any = None,
        op: OperatorLike = "plus",
        init: Any = None,
        *,
        map: Any = None,
        dtype: Any = None,
        order: str = "v1",
        queue: Any = None,
    ) -> Any:
        """Scans the slices of all ranks. Blocks until the ranks have exchanged totals.

        Args:
            x: the slice, or a list of slices.
            out: an array of as many elements, or a list of some; `x` scans in place. By default new
                ones of the kinds of the slices.
            op, init, dtype, order: as of inclusive_scan(), and the same on all ranks.
            map: an expression over ``x``, or a Map, applied to each element before.
            queue: as of reduce(), for every slice of this process.

        Returns:
            The output, or a list of outputs.

        Raises:
            Error: as Group.reduce(). A failure to enqueue the scan itself is the rank's own.
        """
        return self._scan("inclusive", x, out, op, map, init, dtype, order, queue)

    @checked
    def exclusive_scan(
        self,
        x: Any,
        out: Any = None,
        op: OperatorLike = "plus",
        init: Any = None,
        *,
        map: Any = None,
        dtype: Any = None,
        order: str = "v1",
        queue: Any = None,
    ) -> Any:
        """The same without the element of an output's own index, as exclusive_scan() has it."""
        return self._scan("exclusive", x, out, op, map, init, dtype, order, queue)

    def __repr__(self) -> str:
        over = "in this process" if self._transport is None else "over MPI"
        return f"<bifold.Group of {self.size} ranks {over}>"

    def _listed(self, value: Any, name: str) -> list[Any]:
        """One array for each rank of this process."""
        count = len(self.local_ranks)
        if value is None:
            return [None] * count
        if count == 1:
            return [value]
        listed = isinstance(value, Sequence)
        if not listed or len(value) != count:
            found = f"one of {len(value)}" if listed else described(value)
            kind = errors.InvalidArgument if listed else errors.WrongType
            raise kind(f"{name} must be a list of {count} arrays, one for each rank, not {found}")
        for one in value:
            try:
                ARRAY.take(one)
            except (TypeError, ValueError):
                raise errors.WrongType(
                    f"{name} must be a list of arrays, not of {described(one)}"
                ) from None
        return list(value)

    @contextmanager
    def _calls(
        self, refuse: Callable[[], object], x: Any, y: Any, out: Any, order: str, queue: Any
    ) -> Iterator[tuple[list[Call], Callable[[], None]]]:
        """A call for each slice of this process, and what to do when all of it is prepared.

        What fails before is told to the other ranks by `refuse`.
        """
        prepared = False

        def begin() -> None:
            nonlocal prepared
            prepared = True

        with ExitStack() as exits:
            try:
                settings = Settings(None, order, queue, ())
                arrays = [self._listed(value, n) for value, n in ((x, "x"), (y, "y"), (out, "out"))]
                calls = [
                    exits.enter_context(Call(a, settings, y=b, out=c)) for a, b, c in zip(*arrays)
                ]
                yield calls, begin
            except BaseException:
                if not prepared and self.size > len(self.local_ranks):
                    refuse()
                raise

    def _run(self, function: str, *arguments: Any) -> None:
        """Calls the library; what the transport raised comes first."""
        transport = self._transport
        if transport is not None:
            transport.failure = None
        try:
            native.call(function, self.handle, *arguments)
        except errors.Error as failure:
            cause = None if transport is None else transport.failure
            if cause is not None and not isinstance(cause, Exception):
                raise cause from None  # The interrupt from the keyboard.
            raise failure from cause

    @staticmethod
    def _options(order: str) -> structs.Options:
        options = structs.Options()
        options.struct_size = ctypes.sizeof(options)
        options.order = ORDERS.index(order)
        return options

    def _refuse_reduction(self) -> None:
        """Takes part in the others' reduction with no slice, which is their failure."""
        if not self.closed:
            result = ctypes.c_uint64()
            native.library().bifold_group_reduce(
                *(self.handle, None, 0, handle_of("plus"), None, types.type_of(np.dtype("u8"))),
                *(None, ctypes.byref(result), None),
            )

    def _refuse_scan(self) -> None:
        if not self.closed:
            native.library().bifold_group_scan(
                self.handle, 0, None, 0, handle_of("plus"), None, None, None
            )

    @staticmethod
    def _rows(calls: list[Call]) -> Any:
        """The slices of a reduction."""
        rows = (structs.Slice * len(calls))()
        for row, call in zip(rows, calls):
            row.queue, row.input = call.queue.handle, _input(call, call.input)
            if call.second is not None:
                same = call.second is call.input
                second = row.input if same else _input(call, call.second)
                row.second = ctypes.pointer(second)
            _wait_ahead(call)
        return rows

    def _reduce(
        self,
        x: Any,
        y: Any,
        op: OperatorLike,
        map: MapLike | None,
        init: Any,
        dtype: Any,
        order: str,
        queue: Any,
    ) -> Any:
        with self._calls(self._refuse_reduction, x, y, None, order, queue) as (calls, begin):
            mapped = None if map is None else map_of(map)
            of = accumulator(dtype, op, init, calls[0].input.dtype)
            carry = element_of(init, of)
            result = np.empty(1, of)
            rows = self._rows(calls)
            arguments = (
                *(rows, len(rows), handle_of(op), None if mapped is None else mapped.handle),
                *(types.type_of(of), address_of(carry), result.ctypes.data),
            )
            options = self._options(order)
            begin()
            self._run("bifold_group_reduce", *arguments, ctypes.byref(options))
            return result[0]

    def _search(self, function: str, x: Any, order: str, queue: Any) -> Indexed:
        with self._calls(self._refuse_reduction, x, None, None, order, queue) as (calls, begin):
            value, index = np.empty(1, calls[0].input.dtype), ctypes.c_uint64()
            rows = self._rows(calls)
            options = self._options(order)
            begin()
            self._run(
                *(function, rows, len(rows), value.ctypes.data),
                *(ctypes.byref(index), ctypes.byref(options)),
            )
            return Indexed(value[0], index.value)

    def _scan(
        self,
        kind: str,
        x: Any,
        out: Any,
        op: OperatorLike,
        map: Any,
        init: Any,
        dtype: Any,
        order: str,
        queue: Any,
    ) -> Any:
        with self._calls(self._refuse_scan, x, None, out, order, queue) as (calls, begin):
            mapped = None if map is None else map_of(map)
            rows = (structs.ScanSlice * len(calls))()
            for row, call in zip(rows, calls):
                call.make_output((call.input.size,), accumulator(dtype, op, init, call.input.dtype))
                if dtype is not None and dtype != call.target.dtype:
                    raise errors.InvalidArgument(
                        f"out has elements of {call.target.dtype}, not {dtype}"
                    )
                if call.target.size != call.input.size:
                    raise errors.InvalidArgument(
                        f"out has {call.target.size} elements, the slice {call.input.size}"
                    )
                row.queue = call.queue.handle
                row.output = _output(call, call.target)
                same = call.target is call.input
                row.input = row.output if same else _input(call, call.input)
                _wait_ahead(call)
            carry = element_of(init, calls[0].target.dtype)
            options = self._options(order)
            arguments = (
                *(rows, len(rows), handle_of(op), None if mapped is None else mapped.handle),
                *(address_of(carry), ctypes.byref(options)),
            )
            begin()
            self._run("bifold_group_scan", _SCANS[kind], *arguments)
            for call in calls:
                _finish(call)
            outputs = [call.target.array for call in calls]
            return outputs if len(self.local_ranks) > 1 else outputs[0]
