"""Scratch memory that the caller supplies."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays.operands import HostOperand
from ._base import errors, native, structs, types
from ._base.arguments import checked
from ._base.handles import Handle, put
from ._base.lines import reach
from ._calls import Call
from ._settings import Settings


class Workspace(Handle):
    """Scratch memory for one call at a time, instead of the queue's own.

    A call that is given one allocates nothing, and so may be captured into a CUDA graph. The
    workspace has to live as long as the graph does.

    >>> scratch = bifold.empty(plan.workspace_bytes(x.shape), numpy.uint8, queue)
    >>> plan(x, out, workspace=bifold.Workspace(scratch))

    Args:
        memory: an array on a device without gaps, of any kind, element type and content; the
            workspace keeps it. Plan.workspace_bytes() tells how much is needed. Calls do not wait
            for earlier work on it, as prepare() does.

    Attributes:
        memory: that array.
        nbytes: how much there is.

    Raises:
        InvalidArgument: the array is the host's, has gaps, or cannot be written.
    """

    _destructor = "bifold_workspace_destroy"
    _copied_by = "bifold.Workspace(memory) makes one of other memory"

    @checked
    def __init__(self, memory: Any) -> None:
        self.memory = memory
        with Call(memory, Settings(None, "v1", None, ())) as call:
            operand = call.input
            if isinstance(operand, HostOperand):
                raise errors.InvalidArgument("memory must be on a device")
            operand.check_writable()
            place = operand.bind(call)
            low, count = reach(tuple(zip(place.shape, place.strides)))
            if low < 0 or count != operand.size:
                raise errors.InvalidArgument("memory must have no gaps")
            size = operand.dtype.itemsize
            self.nbytes = count * size
            octets = types.type_of(types.OCTET)
            view = structs.View(place.buffer.handle, octets, place.first * size, self.nbytes)
            self._hold(put("bifold_workspace_create", view))

    @checked
    def prepare(self, queue: Any = None) -> None:
        """Enqueues a fill, which calls save from then on that would fill a part of it otherwise.

        Until release() its content is the library's. After an error other than InvalidArgument,
        Unsupported and Timeout it has to be prepared again.

        Args:
            queue: where; by default the memory's own queue or stream.

        Raises:
            Unsupported: the queue's work is captured in a graph.
        """
        handle = self.handle
        with Call(self.memory, Settings(None, "v1", queue, ())) as call:
            call.wait_ahead()
            native.call("bifold_workspace_prepare", handle, call.queue.handle)

    def release(self) -> None:
        """From now on the memory may be used for anything, once work on it is done."""
        native.call("bifold_workspace_release", self.handle)

    def __repr__(self) -> str:
        return f"<bifold.Workspace of {self.nbytes} bytes>"


_core.put_workspace(Workspace)
