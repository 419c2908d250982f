"""Plans over groups."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ._base import errors, structs, types
from ._base.arguments import checked
from ._base.handles import Handle
from ._base.kinds import DTYPE, ORDERS, SHAPE, own
from ._base.operators import MapLike, OperatorLike, handle_of, map_of
from ._base.queues import Queue, default_queue
from ._base.values import Kind
from ._groups import Group
from ._many import Reduction
from ._reductions import Indexed, MinMax
from ._slices import finish, rows_of, scan_rows_of
from ._starts import accumulator, address_of, element_of


def _queues(value: Any) -> tuple[Queue, ...]:
    listed = value if isinstance(value, (list, tuple)) else [value]
    if not listed:
        raise errors.InvalidArgument("queues must be one or more")
    return tuple(own("Queue").take(one) for one in listed)


_GROUP = own("Group", "bifold.Group() makes one")
_QUEUES = Kind("a bifold.Queue, or a list with one for each rank of this process", _queues)


class _What(NamedTuple):
    """What a plan does, apart from its data."""

    name: str
    dtype: np.dtype
    value: np.dtype  # Of a reduction's result, or of a scan's outputs.
    y: np.dtype | None = None
    kinds: tuple[np.dtype, ...] = ()  # Of several results.

    @property
    def scans(self) -> bool:
        return self.name.endswith("scan")


class GroupPlan(Handle):
    """A reduction or a scan over a Group made ready: its runs exchange values alone.

    All ranks make the plan together, and run it equally often.

    >>> plan = bifold.GroupPlan.reduce(group, (1000, 500), numpy.float32, queues=queues)
    >>> plan([x, y])
    1500.0
    """

    _destructor = "bifold_group_plan_destroy"
    _made_by = "GroupPlan.reduce(), GroupPlan.inclusive_scan() and the like make plans"
    _copied_by = "the same call makes it again"
    _group: Group
    _queues: tuple[Queue, ...]
    _what: _What

    @classmethod
    @checked(group=_GROUP, counts=SHAPE, queues=_QUEUES, y=DTYPE, out=DTYPE)
    def reduce(
        cls,
        group: Any,
        counts: Any,
        dtype: Any,
        op: OperatorLike = "plus",
        init: Any = None,
        *,
        map: MapLike | None = None,
        y: Any = None,
        out: Any = None,
        accumulate: Any = None,
        order: str = "v1",
        queues: Any = None,
    ) -> GroupPlan:
        """Blocks until all ranks have made the plan. May compile. A plan of Group.reduce().

        Args:
            group: the Group.
            counts: how many elements this process's rank has, or a tuple of one for each.
            dtype: of the elements.
            op, init, map, accumulate, order: as in transform_reduce_into(), the same on all ranks.
                The map cannot name the index ``i``.
            y: the dtype of a second array, which the map knows as ``y``.
            out: the dtype of the result.
            queues: on which runs work, one for each rank of this process, or one for all; by
                default the default queue. Arrays are on these queues, or the host's.

        Raises:
            InvalidArgument: the ranks ask for different things, or one of them is wrong.
            Timeout: a rank does not come.
            Error: otherwise as Plan.reduce().
        """
        to = accumulator(out, op, init, dtype)
        wide = types.accumulated(to) if accumulate is None else accumulate
        shape = structs.ReduceShape()
        if y is not None:
            shape.second = ctypes.pointer(ctypes.c_int32(types.type_of(y)))
        if to != wide:
            shape.result = ctypes.pointer(ctypes.c_int32(types.type_of(to)))
        made = cls._of_group(group, _What("reduce", dtype, to, y), queues)
        made._make("bifold_group_reduce_plan_create", shape, op, map, init, wide, order, counts)
        return made

    @classmethod
    @checked(group=_GROUP, counts=SHAPE, queues=_QUEUES, out=DTYPE)
    def inclusive_scan(
        cls,
        group: Any,
        counts: Any,
        dtype: Any,
        op: OperatorLike = "plus",
        init: Any = None,
        *,
        map: MapLike | None = None,
        out: Any = None,
        accumulate: Any = None,
        order: str = "v1",
        queues: Any = None,
    ) -> GroupPlan:
        """Blocks until all ranks have made the plan. A plan of Group.inclusive_scan().

        Arguments and errors are those of GroupPlan.reduce(); `out` is the dtype of the outputs.
        """
        return cls._scan(0, group, counts, dtype, op, init, map, out, accumulate, order, queues)

    @classmethod
    @checked(group=_GROUP, counts=SHAPE, queues=_QUEUES, out=DTYPE)
    def exclusive_scan(
        cls,
        group: Any,
        counts: Any,
        dtype: Any,
        op: OperatorLike = "plus",
        init: Any = None,
        *,
        map: MapLike | None = None,
        out: Any = None,
        accumulate: Any = None,
        order: str = "v1",
        queues: Any = None,
    ) -> GroupPlan:
        """The same of Group.exclusive_scan()."""
        return cls._scan(1, group, counts, dtype, op, init, map, out, accumulate, order, queues)

    @classmethod
    @checked(group=_GROUP, counts=SHAPE, queues=_QUEUES)
    def argmin(cls, group: Any, counts: Any, dtype: Any, *, queues: Any = None) -> GroupPlan:
        """The same of Group.argmin(), whose result is an Indexed."""
        return cls._pair("argmin", group, counts, dtype, queues)

    @classmethod
    @checked(group=_GROUP, counts=SHAPE, queues=_QUEUES)
    def argmax(cls, group: Any, counts: Any, dtype: Any, *, queues: Any = None) -> GroupPlan:
        """The same of the greatest element."""
        return cls._pair("argmax", group, counts, dtype, queues)

    @classmethod
    @checked(group=_GROUP, counts=SHAPE, queues=_QUEUES)
    def minmax(cls, group: Any, counts: Any, dtype: Any, *, queues: Any = None) -> GroupPlan:
        """The same of the least and the greatest element, a MinMax."""
        return cls._pair("minmax", group, counts, dtype, queues)

    @classmethod
    @checked(group=_GROUP, counts=SHAPE, queues=_QUEUES)
    def count_if(
        cls, group: Any, counts: Any, dtype: Any, predicate: MapLike, *, queues: Any = None
    ) -> GroupPlan:
        """The same of count_if(), whose result is an int. The predicate cannot name ``i``."""
        holds = map_of(predicate)
        made = cls._of_group(group, _What("count_if", dtype, np.dtype(np.uint64)), queues)
        made._begin("bifold_group_count_if_plan_create", counts, types.type_of(dtype), holds.handle)
        return made

    @classmethod
    @checked(group=_GROUP, counts=SHAPE, queues=_QUEUES)
    def reduce_many(
        cls,
        group: Any,
        counts: Any,
        dtype: Any,
        reductions: Iterable[OperatorLike | Reduction],
        *,
        queues: Any = None,
    ) -> GroupPlan:
        """The same of reduce_many(), whose result is a tuple."""
        wanted = [Reduction(*r) if isinstance(r, Reduction) else Reduction(r) for r in reductions]
        kinds = [accumulator(r.dtype, r.op, r.init, dtype) for r in wanted]
        wide = [types.accumulated(of) for of in kinds]
        rows = (structs.Reduction * len(wanted))()
        known = []
        for row, reduction, of in zip(rows, wanted, wide):
            start = element_of(reduction.init, of)
            mapped = None if reduction.map is None else map_of(reduction.map)
            known.append((start, mapped))  # The rows only have their addresses.
            row.op, row.type = handle_of(reduction.op), types.type_of(of)
            row.map = None if mapped is None else mapped.handle
            row.init = address_of(start)
        number, struct = types.result_type("Many", wide)
        what = _What("reduce_many", dtype, struct, None, tuple(kinds))
        made = cls._of_group(group, what, queues)
        told = (types.type_of(dtype), rows, len(rows), number)
        made._begin("bifold_group_reduce_many_plan_create", counts, *told)
        return made

    @classmethod
    def _of_group(cls, group: Group, what: _What, queues: tuple[Queue, ...] | None) -> GroupPlan:
        made: GroupPlan = cls.__new__(cls)
        ranks = len(group.local_ranks)
        queues = queues or (default_queue(),)
        made._queues = queues * ranks if len(queues) == 1 else queues
        if len(made._queues) != ranks:
            raise errors.InvalidArgument(f"{len(queues)} queues, where the process has {ranks}")
        made._group, made._what = group, what
        return made

    @classmethod
    def _scan(
        cls,
        kind: int,
        group: Group,
        counts: tuple[int, ...],
        dtype: np.dtype,
        op: OperatorLike,
        init: Any,
        map: MapLike | None,
        out: np.dtype | None,
        accumulate: np.dtype | None,
        order: str,
        queues: tuple[Queue, ...] | None,
    ) -> GroupPlan:
        to = accumulator(out, op, init, dtype)
        wide = types.accumulated(to) if accumulate is None else accumulate
        shape = structs.ScanShape()
        shape.output, shape.kind = types.type_of(to), kind
        name = ("inclusive_scan", "exclusive_scan")[kind]
        made = cls._of_group(group, _What(name, dtype, to), queues)
        made._make("bifold_group_scan_plan_create", shape, op, map, init, wide, order, counts)
        return made

    @classmethod
    def _pair(
        cls,
        name: str,
        group: Group,
        counts: tuple[int, ...],
        dtype: np.dtype,
        queues: tuple[Queue, ...] | None,
    ) -> GroupPlan:
        of = types.accumulated(dtype)
        fields = [("minimum", of), ("maximum", of)]
        if name != "minmax":
            fields = [("value", of), ("index", np.dtype(np.uint64))]
        made = cls._of_group(group, _What(name, dtype, np.dtype(fields, align=True)), queues)
        made._begin(f"bifold_group_{name}_plan_create", counts, types.type_of(dtype))
        return made

    def _make(
        self,
        function: str,
        shape: Any,
        op: OperatorLike,
        map: MapLike | None,
        init: Any,
        wide: np.dtype,
        order: str,
        counts: tuple[int, ...],
    ) -> None:
        mapped = None if map is None else map_of(map)
        shape.struct_size = ctypes.sizeof(shape)
        shape.op = handle_of(op)
        shape.map = None if mapped is None else mapped.handle
        shape.input = types.type_of(self._what.dtype)
        shape.accumulator = types.type_of(wide)
        shape.order = ORDERS.index(order)
        carry = element_of(init, wide)
        self._begin(function, counts, ctypes.byref(shape), init=address_of(carry), starts=True)

    def _begin(
        self,
        function: str,
        counts: tuple[int, ...],
        *arguments: Any,
        init: int | None = None,
        starts: bool = False,
    ) -> None:
        if len(counts) != len(self._queues):
            raise errors.InvalidArgument(
                f"{len(counts)} counts, where the process has {len(self._queues)} ranks"
            )
        shares = (structs.Share * len(counts))()
        for share, queue, count in zip(shares, self._queues, counts):
            share.queue, share.count = queue.handle, count
        handle = ctypes.c_void_p()
        rest = (init, ctypes.byref(handle)) if starts else (ctypes.byref(handle),)
        self._group._run(function, *arguments, shares, len(shares), *rest)
        self._hold(handle.value or 0)

    @checked
    def __call__(self, x: Any, out: Any = None, *, y: Any = None) -> Any:
        """Blocks until the ranks have exchanged what they need, and for a reduction's result.

        Args:
            x: this process's slice, or a list of slices.
            out: for a scan, an array of as many elements, or a list of some; by default new ones.
            y: slices of the second array.

        Returns:
            A reduction's result, the same on each rank, or a scan's output, or a list of outputs.

        Raises:
            InvalidArgument: the plan is closed, or was made for other counts, dtypes or queues.
            Timeout: a rank does not come.
        """
        _ = self.handle  # InvalidArgument where it is closed.
        what, group = self._what, self._group
        if not what.scans and out is not None:
            raise errors.InvalidArgument("a reduction has no outputs")
        value = np.empty(1, what.value)
        scan = "bifold_group_plan_scan", self.handle
        reduce = "bifold_group_plan_reduce", self.handle

        def refuse() -> None:
            """Takes part in the others' run with no slice, which is their failure."""
            try:
                if what.scans:
                    group._told(*scan, None, 0)
                else:
                    group._told(*reduce, None, 0, value.ctypes.data)
            except errors.Error:
                return

        with group._calls(refuse, x, y, out, "v1", self._queues) as (calls, begin):
            if not what.scans:
                rows = rows_of(calls)
                begin()
                group._told(*reduce, rows, len(rows), value.ctypes.data)
                return self._result(value[0])
            rows = scan_rows_of(calls, "plus", None, what.value)
            begin()
            group._told(*scan, rows, len(rows))
            for call in calls:
                finish(call)
            outputs = [call.target.array for call in calls]
            return outputs if len(group.local_ranks) > 1 else outputs[0]

    def _result(self, value: Any) -> Any:
        what = self._what
        if what.name in ("argmin", "argmax"):
            return Indexed(what.dtype.type(value["value"]), int(value["index"]))
        if what.name == "minmax":
            return MinMax(what.dtype.type(value["minimum"]), what.dtype.type(value["maximum"]))
        if what.name == "count_if":
            return int(value)
        if what.name == "reduce_many":
            return tuple(of.type(value[f"r{i}"]) for i, of in enumerate(what.kinds))
        return value

    def __repr__(self) -> str:
        return f"<bifold.GroupPlan of {self._what.name} of {self._what.dtype}>"
