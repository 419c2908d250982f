"""Arrays that come in chunks."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ._arrays.operands import HostOperand
from ._base import errors, native, opencl_queues, structs, types
from ._base.arguments import checked
from ._base.devices import Device, open_device
from ._base.handles import Handle
from ._base.kinds import DTYPE, ORDERS, PLAN_PLACE
from ._base.operators import MapLike, OperatorLike, handle_of, map_of
from ._base.queues import Queue
from ._base.values import Kind, integer, only
from ._calls import Call
from ._reductions import Indexed
from ._settings import Settings
from ._slices import finish, input_of, output_of, wait_ahead
from ._starts import accumulator, address_of, element_of

_SAVED = Kind("bytes of save()", only(lambda x: isinstance(x, (bytes, bytearray, memoryview))))
_PIECE = integer("a number of bytes, or 0", 0, 2**63)


class Accumulation(Handle):
    """A reduction or a scan that is fed its array in chunks, one behind the other.

    In order v1 the bits are those of one call on the whole array, whatever the chunks. Chunks of
    the host are copied in pieces while the device works. Threads may share it: calls take turns.

    >>> total = bifold.Accumulation.reduce(queue, numpy.float32)
    >>> for chunk in chunks:
    ...     total.feed(chunk)
    >>> total.value()
    4950.0

    Attributes:
        queue: on which it works.
        dtype: of the elements.
    """

    _destructor = "bifold_accumulation_destroy"
    _made_by = "Accumulation.reduce(), inclusive_scan(), exclusive_scan(), argmin() and argmax()"
    _copied_by = "save() and resume() let another one go on"
    queue: Queue
    dtype: np.dtype
    _out: np.dtype | None  # Of a scan's outputs.
    _second: np.dtype | None
    _value: np.dtype
    _finds: bool

    @classmethod
    @checked(queue=PLAN_PLACE, y=DTYPE, out=DTYPE, piece_bytes=_PIECE)
    def reduce(
        cls,
        queue: Any,
        dtype: Any,
        op: OperatorLike = "plus",
        init: Any = None,
        *,
        map: MapLike | None = None,
        y: Any = None,
        out: Any = None,
        accumulate: Any = None,
        order: str = "v1",
        piece_bytes: int = 0,
    ) -> Accumulation:
        """May compile. A reduction of nothing so far.

        Args:
            queue: where it works: a queue, a Device or a selector, for which one is made.
            dtype: of the elements.
            op, init, map, accumulate, order: as in transform_reduce_into(). A map may name ``i``,
                the index in the whole array.
            y: the dtype of a second array, which the map knows as ``y``.
            out: the dtype of the result.
            piece_bytes: chunks of the host are copied in such pieces; 0: 32 MiB.

        Raises:
            InvalidArgument: dtypes, operator and map do not go together.
            Unsupported: the device cannot do it.
        """
        to = accumulator(out, op, init, dtype)
        wide = types.accumulated(to) if accumulate is None else accumulate
        shape = structs.ReduceShape()
        if y is not None:
            shape.second = ctypes.pointer(ctypes.c_int32(types.type_of(y)))
        if to != wide:
            shape.result = ctypes.pointer(ctypes.c_int32(types.type_of(to)))
        made = cls._on(queue, dtype, None, to)
        made._second = y
        made._make(shape, op, map, init, wide, order, piece_bytes)
        return made

    @classmethod
    @checked(queue=PLAN_PLACE, out=DTYPE, piece_bytes=_PIECE)
    def inclusive_scan(
        cls,
        queue: Any,
        dtype: Any,
        op: OperatorLike = "plus",
        init: Any = None,
        *,
        map: MapLike | None = None,
        out: Any = None,
        accumulate: Any = None,
        order: str = "v1",
        piece_bytes: int = 0,
    ) -> Accumulation:
        """May compile. A scan of nothing so far, whose chunks have outputs.

        Args:
            queue, dtype, op, init, map, accumulate, order, piece_bytes: as of reduce().
            out: the dtype of the outputs.

        Raises:
            InvalidArgument, Unsupported: as reduce().
        """
        return cls._scan(0, queue, dtype, op, init, map, out, accumulate, order, piece_bytes)

    @classmethod
    @checked(queue=PLAN_PLACE, out=DTYPE, piece_bytes=_PIECE)
    def exclusive_scan(
        cls,
        queue: Any,
        dtype: Any,
        op: OperatorLike = "plus",
        init: Any = None,
        *,
        map: MapLike | None = None,
        out: Any = None,
        accumulate: Any = None,
        order: str = "v1",
        piece_bytes: int = 0,
    ) -> Accumulation:
        """The same without the element of an output's own index."""
        return cls._scan(1, queue, dtype, op, init, map, out, accumulate, order, piece_bytes)

    @classmethod
    @checked(queue=PLAN_PLACE, piece_bytes=_PIECE)
    def argmin(cls, queue: Any, dtype: Any, *, piece_bytes: int = 0) -> Accumulation:
        """May compile. The least element and its index in the whole array, as argmin() has it."""
        return cls._search("bifold_argmin_accumulation_create", queue, dtype, piece_bytes)

    @classmethod
    @checked(queue=PLAN_PLACE, piece_bytes=_PIECE)
    def argmax(cls, queue: Any, dtype: Any, *, piece_bytes: int = 0) -> Accumulation:
        """May compile. The greatest element and its index in the whole array."""
        return cls._search("bifold_argmax_accumulation_create", queue, dtype, piece_bytes)

    @classmethod
    def _on(cls, queue: Any, dtype: np.dtype, out: np.dtype | None, of: np.dtype) -> Accumulation:
        made: Accumulation = cls.__new__(cls)
        if isinstance(queue, str):
            queue = open_device(queue)
        if isinstance(queue, Device):
            queue = Queue(queue)
        made.queue = queue if isinstance(queue, Queue) else opencl_queues.queue_of(queue)
        made.dtype, made._out, made._value, made._finds = dtype, out, of, False
        made._second = None
        return made

    @classmethod
    def _scan(
        cls,
        kind: int,
        queue: Any,
        dtype: np.dtype,
        op: OperatorLike,
        init: Any,
        map: MapLike | None,
        out: np.dtype | None,
        accumulate: np.dtype | None,
        *rest: Any,
    ) -> Accumulation:
        to = accumulator(out, op, init, dtype)
        wide = types.accumulated(to) if accumulate is None else accumulate
        shape = structs.ScanShape()
        shape.output, shape.kind = types.type_of(to), kind
        made = cls._on(queue, dtype, to, wide)
        made._make(shape, op, map, init, wide, *rest)
        return made

    @classmethod
    def _search(cls, function: str, queue: Any, dtype: np.dtype, piece_bytes: int) -> Accumulation:
        made = cls._on(queue, dtype, None, dtype)
        made._finds = True
        made._begin(function, types.type_of(dtype), piece_bytes=piece_bytes)
        return made

    def _make(
        self,
        shape: Any,
        op: OperatorLike,
        map: MapLike | None,
        init: Any,
        wide: np.dtype,
        order: str,
        piece_bytes: int,
    ) -> None:
        mapped = None if map is None else map_of(map)
        shape.struct_size = ctypes.sizeof(shape)
        shape.op = handle_of(op)
        shape.map = None if mapped is None else mapped.handle
        shape.input = types.type_of(self.dtype)
        shape.accumulator = types.type_of(wide)
        shape.order = ORDERS.index(order)
        carry = element_of(init, wide)
        function = f"bifold_{'reduce' if self._out is None else 'scan'}_accumulation_create"
        self._begin(function, ctypes.byref(shape), address_of(carry), piece_bytes=piece_bytes)

    def _begin(self, function: str, *arguments: Any, piece_bytes: int) -> None:
        options = structs.AccumulationOptions(0, piece_bytes)
        options.struct_size = ctypes.sizeof(options)
        handle = ctypes.c_void_p()
        told = (*arguments, ctypes.byref(options), ctypes.byref(handle))
        native.call(function, self.queue.handle, *told)
        self._hold(handle.value or 0)

    @property
    def count(self) -> int:
        """How many elements it has been fed."""
        count = ctypes.c_uint64()
        native.call("bifold_accumulation_count", self.handle, ctypes.byref(count))
        return count.value

    @checked
    def feed(self, x: Any, out: Any = None, *, y: Any = None) -> Any:
        """The next elements, of any number.

        An array of the host is copied in pieces while the device works, and the call blocks until
        it is no longer in use. Other arrays are worked on where they lie.

        Args:
            x: the chunk, in C order.
            out: for a scan, an array of as many elements; `x` scans in place. By default a new one
                of the chunk's kind.
            y: as many elements of the second array, where the accumulation has one.

        Returns:
            The output of a scan, or None.

        Raises:
            InvalidArgument: dtypes or sizes are others than the accumulation's.
        """
        _ = self.handle  # InvalidArgument where it is closed.
        if self._out is None and out is not None:
            raise errors.InvalidArgument("a reduction has no outputs")
        if (y is None) != (self._second is None):
            wanted = "no second array" if self._second is None else "a second array, y="
            raise errors.InvalidArgument(f"the accumulation takes {wanted}")
        with Call(x, Settings(None, "v1", self.queue, ()), y=y, out=out) as call:
            self._check(call.input.dtype, self.dtype, "x")
            if call.second is not None and self._second is not None:
                self._check(call.second.dtype, self._second, "y")
            if self._out is not None:
                call.make_output(call.input.shape, self._out)
                self._check(call.target.dtype, self._out, "out")
                if call.target.size != call.input.size:
                    raise errors.InvalidArgument(
                        f"out has {call.target.size} elements, the chunk {call.input.size}"
                    )
            operands = (call.input, call.second, call.output)
            if all(one is None or isinstance(one, HostOperand) for one in operands):
                self._feed_host(call)
            else:
                self._feed_device(call)
            return None if self._out is None else call.target.array

    @staticmethod
    def _check(given: np.dtype, wanted: np.dtype, name: str) -> None:
        if given != wanted:
            raise errors.InvalidArgument(
                f"{name} has elements of {given}, the accumulation takes {wanted}"
            )

    def _feed_device(self, call: Call) -> None:
        output = None if self._out is None else output_of(call, call.target)
        same = output is not None and call.target is call.input
        view = output if same else input_of(call, call.input)
        second = None
        if call.second is not None:
            second = view if call.second is call.input else input_of(call, call.second)
        wait_ahead(call)
        if second is not None:
            native.call("bifold_accumulation_feed_pairs", self.handle, view, second)
        else:
            to = None if output is None else ctypes.byref(output)
            native.call("bifold_accumulation_feed", self.handle, view, to)
        finish(call)

    def _feed_host(self, call: Call) -> None:
        x = np.ascontiguousarray(call.input.host)  # type: ignore[attr-defined]
        if call.second is not None:
            y = np.ascontiguousarray(call.second.host)  # type: ignore[attr-defined]
            where = (x.ctypes.data, y.ctypes.data, x.size)
            native.call("bifold_accumulation_feed_host_pairs", self.handle, *where)
            return
        if self._out is None:
            native.call("bifold_accumulation_feed_host", self.handle, x.ctypes.data, None, x.size)
            return
        call.target.check_writable()
        host = call.target.host  # type: ignore[attr-defined]
        out = host if host.flags.c_contiguous else np.empty(host.shape, host.dtype)
        if out is not x and np.may_share_memory(out, x):
            x = x.copy()  # The library takes one array, or two apart.
        where = (x.ctypes.data, out.ctypes.data, x.size)
        native.call("bifold_accumulation_feed_host", self.handle, *where)
        if out is not host:
            host[...] = out

    def value(self) -> Any:
        """Blocks. The reduction so far, as a NumPy scalar; of a scan the total so far.

        That of argmin() and argmax() is an Indexed. The accumulation goes on.
        """
        value = np.empty(1, self._value)
        index = ctypes.c_uint64() if self._finds else None
        place = None if index is None else ctypes.byref(index)
        native.call("bifold_accumulation_value", self.handle, value.ctypes.data, place)
        return value[0] if index is None else Indexed(value[0], index.value)

    def save(self) -> bytes:
        """Blocks. What it takes to go on with resume(), on any device of any machine."""
        size = ctypes.c_size_t()
        function = "bifold_accumulation_save"
        native.call(function, self.handle, None, 0, ctypes.byref(size))
        # Other threads may feed it meanwhile.
        saved = ctypes.create_string_buffer(size.value + 2**22)
        native.call(function, self.handle, saved, len(saved), ctypes.byref(size))
        return saved.raw[: size.value]

    @checked(saved=_SAVED)
    def resume(self, saved: Any) -> None:
        """Blocks. Goes on where save() was called, whatever it was fed so far.

        Raises:
            InvalidArgument: the bytes are not whole, or of another accumulation; nothing changes.
        """
        whole = bytes(saved)
        native.call("bifold_accumulation_resume", self.handle, whole, len(whole))

    def __repr__(self) -> str:
        what = "reduction" if self._out is None else "scan"
        return f"<bifold.Accumulation, a {what} of {self.dtype}>"
