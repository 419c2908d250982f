"""Groups: one array over several queues of a process, and over processes of MPI."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bifold


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


def drawn(dtype, n):
    x = np.random.default_rng(3).random(n) - 0.5
    return (x if np.dtype(dtype).kind == "f" else 1000 * x + 501).astype(dtype)


def split(x, *cuts):
    return np.split(x, cuts)


def same(left, right):
    return left.dtype == right.dtype and left.tobytes() == right.tobytes()


@pytest.mark.parametrize("dtype", ["f4", "i4"])
@pytest.mark.parametrize("cuts", [(4096,), (1, 2, 4095), (0, 70_001), (300_000,)])
def test_results_have_the_bits_of_one_call(dtype, cuts):
    x = drawn(dtype, 300_001)
    with bifold.Group(len(cuts) + 1) as group:
        parts = split(x, *cuts)
        assert same(group.reduce(parts), bifold.reduce(x))
        assert same(group.reduce(parts, "maximum", order="any"), x.max())
        for one, many in (
            ("inclusive_scan", group.inclusive_scan),
            ("exclusive_scan", group.exclusive_scan),
        ):
            outputs = many(parts)
            assert [len(o) for o in outputs] == [len(p) for p in parts]
            assert same(np.concatenate(outputs), getattr(bifold, one)(x))


def test_slices_on_queues_of_their_own(device):
    x = drawn("f4", 100_001)
    queues = [bifold.Queue(device), bifold.Queue(device)]
    parts = [bifold.to_device(p, q) for p, q in zip(split(x, 33_333), queues)]
    group = bifold.Group(2)
    assert group.reduce(parts) == bifold.reduce(x)
    outputs = group.inclusive_scan(parts, init=1)
    assert [o.queue for o in outputs] == queues
    assert same(np.concatenate([o.get() for o in outputs]), bifold.inclusive_scan(x, init=1))
    # In place, and into arrays of another queue.
    others = [bifold.empty(p.shape, np.float32, queues[0]) for p in parts]
    assert group.exclusive_scan(parts, others, queue=queues[1]) is not others
    whole = bifold.exclusive_scan(x)
    assert same(np.concatenate([o.get() for o in others]), whole)
    group.exclusive_scan(parts, parts)
    assert same(np.concatenate([p.get() for p in parts]), whole)


def test_slices_of_any_layout():
    x = drawn("f4", 60_000).reshape(200, 300)
    group = bifold.Group(2)
    parts = [x[:90, ::-1], x[90:].T]
    flat = np.concatenate([p.ravel() for p in parts])
    assert group.reduce(parts) == bifold.reduce(flat)
    on_device = [bifold.to_device(x[:90])[:, ::-1], bifold.to_device(x[90:]).T]
    assert group.reduce(on_device) == bifold.reduce(flat)
    scanned = group.inclusive_scan(on_device)
    assert same(np.concatenate([o.get() for o in scanned]), bifold.inclusive_scan(flat))
    gaps = bifold.empty((90, 600), np.float32)[:, ::2]
    with pytest.raises(bifold.InvalidArgument, match="gaps"):
        group.inclusive_scan(on_device, [gaps, bifold.empty(33_000, np.float32)])


def test_maps_and_operators_of_ones_own():
    x = drawn("f4", 50_000)
    group, parts = bifold.Group(3), split(x, 5, 40_000)
    squares = group.transform_reduce(parts, "x * y", y=parts)
    assert squares == bifold.inner_product(x, x)
    with pytest.raises(bifold.Unsupported, match="i"):
        group.transform_reduce(parts, "x * i")
    last = bifold.Operator("last_one", "b", dtype=np.float32)
    assert group.reduce(parts, last) == x[-1]
    low, high = group.argmin(parts), group.argmax(parts)
    assert low == bifold.argmin(x) and high == bifold.argmax(x)
    assert type(high.index) is int


def test_a_group_of_one_takes_the_array_itself():
    group, x = bifold.Group(1), drawn("f4", 10_000)
    assert group.reduce(x) == bifold.reduce(x)
    assert same(group.inclusive_scan(x), bifold.inclusive_scan(x))


def test_splits_begin_with_units():
    assert bifold.even_split(10 * 4096 + 5, 3, np.float32) == [0, 16384, 32768, 40965]
    assert bifold.even_split(10, 3, np.int32) == [0, 4, 7, 10]
    assert bifold.even_split(2**20, 2, np.float32, scan=True) == [0, 2**19, 2**20]
    assert bifold.even_split(5, 2, np.float32, "maximum") == [0, 3, 5]


def test_what_is_refused():
    group, ones = bifold.Group(2), np.ones(3, np.float32)
    with pytest.raises(bifold.InvalidArgument, match="x must be a list of 2 arrays.* one of 3"):
        group.reduce([ones, ones, ones])
    with pytest.raises(bifold.WrongType, match="x must be a list of 2 arrays"):
        group.reduce(7)
    with pytest.raises(bifold.WrongType, match="not of an object"):
        group.reduce([ones, object()])
    with pytest.raises(bifold.InvalidArgument, match="out has 4 elements, the slice 3"):
        group.inclusive_scan([ones, ones], [np.empty(3, np.float32), np.empty(4, np.float32)])
    with pytest.raises(bifold.InvalidArgument, match="differs between rank 0 and rank 1"):
        group.reduce([ones, np.ones(3, np.int32)], dtype=np.float64)
    assert group.reduce([ones, ones]) == 6
    group.close()
    with pytest.raises(bifold.InvalidArgument, match="this Group is closed"):
        group.reduce([ones, ones])
    with pytest.raises(bifold.WrongType, match="intracommunicator of mpi4py"):
        bifold.Group.mpi(2)


def test_ranks_of_mpi(request):
    pytest.importorskip("mpi4py")
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        pytest.skip("there is no mpirun")
    library = request.config.getoption("--bifold-library")
    # Open MPI runs more ranks than there are cores, and as root, where it is asked to.
    asked = {
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    ended = subprocess.run(
        [
            mpirun,
            "-n",
            "3",
            sys.executable,
            Path(__file__).with_name("groups_over_mpi.py"),
            *([library] if library else []),
        ],
        capture_output=True,
        text=True,
        timeout=200,
        env={**os.environ, **asked},
    )
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stdout + ended.stderr
