"""What moves the bytes of a group over mpi4py: MPI combines nothing."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ._base import structs
from ._base.errors import BY_STATUS, BackendFailure, Error, Timeout

_STATUSES = {kind: status for status, kind in BY_STATUS.items()}
_MOST = 1 << 30  # Bytes of a message, as MPI counts with int.
_TURNS_ALONE = 2000  # Before other threads and processes get a turn.
_TAG = 0

# What a failure has left behind: MPI may write to it for as long as the process lives.
_strays: list[Any] = []


def _parts(memory: Any) -> Iterator[Any]:
    view = memoryview(memory)
    for at in range(0, len(view), _MOST):
        yield view[at : at + _MOST]


class Transport:
    """The ranks of a communicator, over a copy of it, so that messages do not meet others.

    Attributes:
        failure: what a callback has raised since the last call began; None: nothing.
    """

    def __init__(self, comm: Any) -> None:
        from mpi4py import MPI

        self._mpi = MPI
        self._comm = comm.Dup()
        self.rank, self.size = self._comm.Get_rank(), self._comm.Get_size()
        self.failure: BaseException | None = None
        self._strayed = False
        # They have to live as long as the group.
        self._gathers = structs.ALL_GATHER(self._all_gather)
        self._exchanges = structs.EXCHANGE(self._exchange)

    def told(self, deadline: float) -> structs.Transport:
        """As the library wants it."""
        ranks = (ctypes.c_uint32 * 1)(self.rank)
        nanoseconds = max(1, min(int(deadline * 1e9), 2**63))
        return structs.Transport(
            ctypes.sizeof(structs.Transport),
            self.size,
            ranks,
            1,
            nanoseconds,
            None,
            self._gathers,
            self._exchanges,
        )

    def close(self) -> None:
        """Frees the copy, unless messages are on their way in it or MPI is over."""
        if not self._strayed and self._comm and not self._mpi.Is_finalized():
            self._comm.Free()

    def _guarded(self, body: Callable[[], None]) -> int:
        try:
            body()
            return 0
        except BaseException as failure:  # No exception leaves a callback.
            self.failure = failure
            kind = type(failure) if isinstance(failure, Error) else BackendFailure
            return _STATUSES[kind]

    @contextmanager
    def _landing(self, memory: Any, until: int) -> Iterator[list[Any]]:
        """A list for requests on that memory, which are waited for at the end."""
        requests: list[Any] = []
        try:
            yield requests
            turns = 0
            while not self._mpi.Request.Testall(requests):
                if time.monotonic_ns() >= until:
                    raise Timeout("other ranks did not come before the deadline")
                turns += 1
                if turns > _TURNS_ALONE:
                    time.sleep(0)
        except BaseException:
            self._strayed = True
            _strays.append((requests, memory))
            raise

    def _all_gather(self, _: Any, mine: int, all: int, size: int, nanoseconds: int) -> int:
        until = time.monotonic_ns() + nanoseconds

        def gather() -> None:
            byte = self._mpi.BYTE
            for at in range(0, size, _MOST):
                part = min(_MOST, size - at)
                sent = ctypes.string_at(mine + at, part)
                received = bytearray(part * self.size)
                with self._landing((sent, received), until) as requests:
                    requests.append(self._comm.Iallgather([sent, byte], [received, byte]))
                for rank in range(self.size):
                    source = received[rank * part : (rank + 1) * part]
                    ctypes.memmove(all + rank * size + at, bytes(source), part)

        return self._guarded(gather)

    def _exchange(
        self,
        _: Any,
        sent: Any,
        sent_count: int,
        received: Any,
        received_count: int,
        nanoseconds: int,
    ) -> int:
        until = time.monotonic_ns() + nanoseconds

        def exchange() -> None:
            byte = self._mpi.BYTE
            incoming, outgoing = received[:received_count], sent[:sent_count]
            memory = [bytearray(one.size) for one in incoming]
            copies = [ctypes.string_at(one.bytes, one.size) for one in outgoing]
            with self._landing((memory, copies), until) as requests:
                for one, own in zip(incoming, memory):
                    source = getattr(one, "from")
                    for part in _parts(own):
                        requests.append(self._comm.Irecv([part, byte], source, _TAG))
                for one, copy in zip(outgoing, copies):
                    for part in _parts(copy):
                        requests.append(self._comm.Isend([part, byte], one.to, _TAG))
            for one, own in zip(incoming, memory):
                ctypes.memmove(one.bytes, bytes(own), one.size)

        return self._guarded(exchange)
