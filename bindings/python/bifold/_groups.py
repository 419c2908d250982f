"""Groups: one array over several devices or processes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from ._base import errors, native, structs, types
from ._base.arguments import checked
from ._base.handles import Handle, put
from ._base.kinds import ORDERS
from ._base.operators import MapLike, OperatorLike, handle_of, map_of
from ._calls import Call
from ._mpi import Transport
from ._reductions import Indexed
from ._settings import Settings
from ._slices import finish, listed, rows_of, scan_rows_of
from ._starts import accumulator, address_of, element_of

_SCANS = {"inclusive": 0, "exclusive": 1}


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
                count = len(self.local_ranks)
                queues = queue if isinstance(queue, tuple) else [queue] * count
                arrays = [listed(a, name, count) for a, name in ((x, "x"), (y, "y"), (out, "out"))]
                calls = [
                    exits.enter_context(Call(a, Settings(None, order, q, ()), y=b, out=c))
                    for a, b, c, q in zip(*arrays, queues)
                ]
                yield calls, begin
            except BaseException:
                if not prepared and self.size > len(self.local_ranks):
                    refuse()
                raise

    def _run(self, function: str, *arguments: Any) -> None:
        """Calls the library on the group."""
        self._told(function, self.handle, *arguments)

    def _told(self, function: str, *arguments: Any) -> None:
        """Calls the library; what the transport raised comes first."""
        transport = self._transport
        if transport is not None:
            transport.failure = None
        try:
            native.call(function, *arguments)
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
            rows = rows_of(calls)
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
            rows = rows_of(calls)
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
            rows = scan_rows_of(calls, op, init, dtype)
            carry = element_of(init, calls[0].target.dtype)
            options = self._options(order)
            arguments = (
                *(rows, len(rows), handle_of(op), None if mapped is None else mapped.handle),
                *(address_of(carry), ctypes.byref(options)),
            )
            begin()
            self._run("bifold_group_scan", _SCANS[kind], *arguments)
            for call in calls:
                finish(call)
            outputs = [call.target.array for call in calls]
            return outputs if len(self.local_ranks) > 1 else outputs[0]
