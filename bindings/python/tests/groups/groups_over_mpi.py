"""A rank of a group over MPI: mpirun -n RANKS python3 groups_over_mpi.py [LIBRARY]

Each process has a slice, and compares with its own call on the whole array. Prints FAILED and why,
or nothing.
"""

import sys
import time
from contextlib import contextmanager

import numpy as np
from mpi4py import MPI

import bifold
from bifold import _mpi

N = 262_144 + 50_001


def check(right, what):
    if not right:
        print(f"FAILED: rank {MPI.COMM_WORLD.rank}: {what}", flush=True)


@contextmanager
def raises(kind, words):
    try:
        yield
    except kind as failure:
        check(words in str(failure), f"{words!r} is not in {failure!r}")
    except bifold.Error as failure:
        check(False, f"{kind.__name__} was expected, not {failure!r}")
    else:
        check(False, f"nothing was raised: {words}")


def same(left, right):
    return left.dtype == right.dtype and left.tobytes() == right.tobytes()


def check_results(group, x, cuts):
    begin, end = cuts[group.local_ranks[0]], cuts[group.local_ranks[0] + 1]
    mine = x[begin:end]
    check(group.reduce(mine) == bifold.reduce(x), "a sum")
    check(group.reduce(mine, init=np.float32(0.5)) == bifold.reduce(x, init=0.5), "from 0.5")
    check(group.argmax(mine) == bifold.argmax(x), "the greatest")
    doubled = group.transform_reduce(mine, "x + y", "maximum", y=mine)
    check(doubled == 2 * x.max(), "two arrays")
    scanned = group.inclusive_scan(mine)
    check(same(scanned, bifold.inclusive_scan(x)[begin:end]), "an inclusive scan")
    out = np.zeros(end - begin, np.float64)
    check(group.exclusive_scan(mine, out, init=2, map="x * 0.25") is out, "the output")
    whole = bifold.transform_exclusive_scan(x, "x * 0.25", init=2, dtype=np.float64)
    check(same(out, whole[begin:end]), "an exclusive scan")


class Interrupted:
    """MPI, where the keyboard interrupts each wait."""

    BYTE = MPI.BYTE

    class Request:
        @staticmethod
        def Testall(requests):
            raise KeyboardInterrupt


def check_interrupt(comm):
    group = bifold.Group.mpi(comm)
    group._transport._mpi = Interrupted
    before = len(_mpi._strays)
    with raises(KeyboardInterrupt, ""):
        group.reduce(np.ones(100, np.float32))
    check(len(_mpi._strays) == before + 1, "what MPI writes to outlives an interrupt")


def check_failures(comm, group):
    rank = comm.rank
    ones = np.ones(100, np.float32)
    with raises(bifold.InvalidArgument, "the initial value differs between rank 0 and rank 1"):
        group.reduce(ones, init=np.float32(rank == 1))
    # What goes wrong in the package itself, on one rank, is told to the others.
    with raises(
        bifold.InvalidArgument,
        "out has elements of float64" if rank == 1 else "rank 1: slices of 0",
    ):
        group.inclusive_scan(
            ones, np.empty(100, np.float64) if rank == 1 else None, dtype=np.float32
        )
    with raises(
        bifold.InvalidArgument, "is no element of float32" if rank == 0 else "rank 0: slices of 0"
    ):
        group.reduce(ones, init=np.float64(0.1) if rank == 0 else 0, dtype=np.float32)
    with raises(bifold.InvalidArgument, "is empty" if rank == 0 else "rank 0: slices of 0"):
        group.transform_reduce(ones, "" if rank == 0 else "x")
    check(group.reduce(ones) == 100 * comm.size, "after a refusal")
    check_interrupt(comm)
    hasty = bifold.Group.mpi(comm, deadline=0.3)
    begin = time.monotonic()
    if rank != 0:
        with raises(bifold.Timeout, ""):
            hasty.reduce(ones)
        check(time.monotonic() - begin < 20, "an early timeout")
        with raises(bifold.Timeout, "out of use"):
            hasty.reduce(ones)
    comm.Barrier()
    check(group.reduce(ones) == 100 * comm.size, "after another group's timeout")


def main():
    if len(sys.argv) > 1:
        bifold.load_library(sys.argv[1])
    comm = MPI.COMM_WORLD
    x = (np.random.default_rng(5).random(N) - 0.5).astype(np.float32)
    with bifold.Group.mpi(comm, deadline=60) as group:
        check((group.size, group.local_ranks) == (comm.size, (comm.rank,)), repr(group))
        even = bifold.even_split(N, comm.size, np.float32)
        anywhere = [0, *sorted(np.random.default_rng(6).integers(0, N, comm.size - 1)), N]
        for cuts in (even, anywhere, [0] * comm.size + [N]):
            check_results(group, x, cuts)
        if comm.size > 1:
            check_failures(comm, group)
    with raises(bifold.InvalidArgument, "closed"):
        group.reduce(x)


main()
