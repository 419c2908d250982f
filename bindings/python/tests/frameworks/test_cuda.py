"""A GPU, or one that is emulated: memory of the driver's, and CuPy's arrays. Results, streams,
events, graphs."""

import ctypes
import os

import numpy as np
import pytest
from cuda_driver import Driver, Graph, N
from exporters import DlpackExporter, InterfaceExporter
from patience import PATIENCE
from threads import run_threads

import bifold

try:
    import cupy
except ImportError:
    cupy = None

needs_cupy = pytest.mark.skipif(cupy is None, reason="CuPy is not installed")


@pytest.fixture(scope="module", autouse=True)
def library(backend):
    backend("cuda")
    loaded = ctypes.CDLL("libcuda.so.1")
    emulated = os.environ.get("BIFOLD_TEST_CUDA_DRIVER") == "emulated"
    if hasattr(loaded, "fake_cuda_count") and not emulated:
        pytest.skip("the driver is the stand-in, which computes nothing")
    assert loaded.cuInit(0) == 0
    return loaded


@pytest.fixture
def driver(library):
    made = Driver(library, 1)
    yield made
    bifold.release_adopted()
    made.close()


@pytest.mark.parametrize("kind", ["interface", "dlpack"])
def test_memory_of_the_drivers(driver, kind):
    host = np.arange(N, dtype=np.int32)
    addresses = [driver.memory(), driver.memory()]
    if kind == "interface":
        x, out = (InterfaceExporter(address, N) for address in addresses)
    else:
        x, out = (DlpackExporter(host, (2, 0), address) for address in addresses)
    driver.write(addresses[0], host)
    assert bifold.reduce(x) == host.sum()
    assert bifold.reduce(x, dtype=np.int64, init=5) == host.sum() + 5
    assert bifold.inclusive_scan(x, out) is out
    np.testing.assert_array_equal(driver.read(addresses[1], host), host.cumsum())
    bifold.exclusive_scan(x, x)
    np.testing.assert_array_equal(driver.read(addresses[0], host)[1:], host.cumsum()[:-1])
    assert bifold.inclusive_scan(host, x) is x
    np.testing.assert_array_equal(driver.read(addresses[0], host), host.cumsum())
    if kind == "dlpack":
        assert (x.deleted, out.deleted) == (5, 1)


def exported(kind, address, whole, view):
    """The part of device memory that a view of an array of the host is of that array."""
    first = address + view.ctypes.data - whole.ctypes.data
    if kind == "dlpack":
        return DlpackExporter(view, (2, 0), first)
    return InterfaceExporter(first, 0, view.dtype, shape=view.shape, strides=view.strides)


@pytest.mark.parametrize("kind", ["interface", "dlpack"])
def test_views_of_the_drivers_memory(driver, kind):
    whole = np.arange(N, dtype=np.int32).reshape(25, 40)
    result = np.zeros_like(whole)
    addresses = [driver.memory(), driver.memory()]
    driver.write(addresses[0], whole)
    for view in (lambda a: a.T, lambda a: a[::-2, 1::3], lambda a: a[3:, ::-1].T):
        host = view(whole)
        x = exported(kind, addresses[0], whole, host)
        assert bifold.reduce(x) == host.sum()
        assert bifold.argmax(x).index == host.argmax()
        for axis in (0, 1):
            np.testing.assert_array_equal(bifold.argmin(x, axis=axis).index, host.argmin(axis))
            driver.write(addresses[1], result)
            out = exported(kind, addresses[1], result, view(result))
            assert bifold.inclusive_scan(x, out, axis=axis) is out
            wanted = np.zeros_like(whole)
            view(wanted)[...] = host.cumsum(axis)
            np.testing.assert_array_equal(driver.read(addresses[1], whole), wanted)
            line = view(result)[0] if axis == 0 else view(result)[:, 0]
            driver.write(addresses[1], result)
            bifold.reduce_into(x, exported(kind, addresses[1], result, line), axis=axis)
            sums = driver.read(addresses[1], whole)
            found = view(sums)[0] if axis == 0 else view(sums)[:, 0]
            np.testing.assert_array_equal(found, host.sum(axis))
    x = exported(kind, addresses[0], whole, whole)
    bifold.inclusive_scan(x, x, axis=0, reverse=True)
    np.testing.assert_array_equal(driver.read(addresses[0], whole), whole[::-1].cumsum(0)[::-1])


def test_two_arrays_of_the_drivers(driver):
    host = np.arange(N, dtype=np.int32)
    addresses = [driver.memory(), driver.memory()]
    x, y = (InterfaceExporter(address, N) for address in addresses)
    driver.write(addresses[0], host)
    driver.write(addresses[1], host[::-1].copy())
    expected = (host.astype(np.int64) * host[::-1]).sum()
    assert bifold.transform_reduce(x, "(i64)x * y", y=y, dtype=np.int64) == expected
    assert bifold.inner_product(x, y, dtype=np.int64) == expected
    assert bifold.argmin(y) == (0, N - 1)


def test_a_stream_of_the_drivers_orders_the_work(driver):
    mine, producers = driver.stream(), driver.stream()
    address = driver.memory()
    with bifold.open_device("cuda:0") as device, bifold.Queue.adopt_cuda(mine, device) as queue:
        for word in range(1, 200):
            driver.fill_later(address, producers, word)
            x = InterfaceExporter(address, N, stream=producers)
            assert bifold.reduce(x, queue=queue) == word * N
            driver.fill_later(address, producers, 3 * word)
            assert bifold.reduce(x) == 3 * word * N


def test_events_of_the_driver(driver):
    address = driver.memory()
    x = InterfaceExporter(address, N, stream=driver.stream())
    driver.fill_later(address, x.__cuda_array_interface__["stream"], 1)
    done = bifold.Event()
    bifold.inclusive_scan(x, x, done=done)
    assert done.to_cuda()
    done.wait(PATIENCE)
    assert done.complete()
    np.testing.assert_array_equal(driver.read(address, np.empty(N, np.int32)), np.arange(1, N + 1))


@pytest.mark.parametrize("prepared", [False, True])
def test_a_graph_computes_on_what_is_there(driver, prepared):
    stream, n = driver.stream(), 100_000
    x, out, mine = (InterfaceExporter(driver.memory(4 * n), n, stream=stream) for _ in range(3))
    total = InterfaceExporter(driver.memory(4), 1, stream=stream)
    addresses = [a.__cuda_array_interface__["data"][0] for a in (x, out, mine, total)]
    with bifold.open_device("cuda:0") as device:
        scan = bifold.Plan.inclusive_scan(device, "i4", on_device=["total"])
        nbytes = scan.workspace_bytes(n)
        scratch = InterfaceExporter(driver.memory(nbytes), nbytes, np.uint8, stream=stream)
        workspace = bifold.Workspace(scratch)
        bifold.inclusive_scan(x, mine)  # The stream has had ordinary calls.
        if prepared:
            workspace.prepare()
        with Graph(driver, stream) as graph:
            for _ in range(2):
                scan(x, out, total=total, workspace=workspace)
        for seed in range(5):
            host = np.random.default_rng(seed).integers(-9, 9, n, np.int32)
            driver.write(addresses[0], host)
            graph.launch()
            bifold.exclusive_scan(x, mine)
            graph.launch()
            driver.cuStreamSynchronize(ctypes.c_void_p(stream))
            expected = host.cumsum(dtype=np.int32)
            np.testing.assert_array_equal(driver.read(addresses[1], host), expected)
            np.testing.assert_array_equal(driver.read(addresses[2], host), expected - host)
            assert driver.read(addresses[3], host[:1])[0] == expected[-1]
        graph.close()
        scan.close(), workspace.close()


@needs_cupy
def test_a_graph_of_cupy_computes_on_what_is_there():
    n = 100_000
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x, out, one = cupy.ones(n, np.int32), cupy.empty(n, np.int32), cupy.empty(1, np.int32)
        bifold.inclusive_scan(x, out)
        bifold.reduce_into(x, one, "maximum")  # Both are planned before the capture.
        plans = bifold.Plan.inclusive_scan("cuda:0", "i4"), bifold.Plan.reduce("cuda:0", "i4")
        nbytes = max(plan.workspace_bytes(n) for plan in plans)
        workspace = bifold.Workspace(cupy.empty(nbytes, np.uint8))
        stream.begin_capture()
        with pytest.raises(bifold.Unsupported, match="without a workspace"):
            bifold.inclusive_scan(x, out)
        bifold.inclusive_scan(x, out, workspace=workspace)
        bifold.reduce_into(out, one, "maximum", workspace=workspace)
        graph = stream.end_capture()
        for step in (1, 2, 3):
            x.fill(step)
            graph.launch(stream)
            assert int(bifold.reduce(x)) == step * n
            assert int(out[-1]) == int(one[0]) == step * n


@needs_cupy
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"])
def test_every_dtype_reduces_and_scans_as_numpy_does(dtype):
    host = np.arange(1, 100001).astype(dtype) % 5
    x = cupy.asarray(host)
    assert bifold.reduce(x) == host.sum(dtype=dtype)
    y = bifold.inclusive_scan(x)
    assert isinstance(y, cupy.ndarray) and y.dtype == host.dtype
    np.testing.assert_array_equal(y.get(), host.cumsum(dtype=dtype))
    z = cupy.empty_like(x)
    assert bifold.exclusive_scan(x, z) is z
    np.testing.assert_array_equal(z.get()[1:], y.get()[:-1])


@needs_cupy
def test_slices_in_place_and_overlap():
    x = cupy.ones(1000, np.int32)
    assert bifold.reduce(x[7:20]) == 13
    bifold.inclusive_scan(x[7:20], x[7:20])
    np.testing.assert_array_equal(x.get()[:22], [1] * 7 + list(range(1, 14)) + [1, 1])
    with pytest.raises(bifold.InvalidArgument, match="overlap"):
        bifold.inclusive_scan(x[:50], x[25:75])
    host = x.get().reshape(10, 100)
    for view in (lambda a: a.T, lambda a: a[::-2, 1::3]):
        there = view(x.reshape(10, 100))
        assert bifold.reduce(there) == view(host).sum()
        for axis in (0, 1):
            sums, scanned = bifold.reduce(there, axis=axis), bifold.inclusive_scan(there, axis=axis)
            assert isinstance(sums, cupy.ndarray) and isinstance(scanned, cupy.ndarray)
            np.testing.assert_array_equal(sums.get(), view(host).sum(axis))
            np.testing.assert_array_equal(scanned.get(), view(host).cumsum(axis))
    assert bifold.reduce(cupy.empty(0, np.int32), init=5) == 5
    assert bifold.inclusive_scan(cupy.empty(0, np.int32)).shape == (0,)


@needs_cupy
def test_the_current_stream_orders_the_work():
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = cupy.zeros(1 << 24, np.int32)
        for _ in range(20):
            x += 1
        y = bifold.inclusive_scan(x, dtype=np.int64)
        y *= 2
        assert int(y[-1]) == 40 << 24
        assert bifold.reduce(x, dtype=np.int64) == 20 << 24


@needs_cupy
def test_a_queue_waits_for_the_arrays_stream():
    producer = cupy.cuda.Stream(non_blocking=True)
    with bifold.open_device("cuda:0") as device:
        mine = cupy.cuda.Stream(non_blocking=True)
        with bifold.Queue.adopt_cuda(mine, device) as queue, producer:
            x = cupy.zeros(1 << 24, np.int32)
            for _ in range(50):
                x += 1
            assert bifold.reduce(x, dtype=np.int64, queue=queue) == 50 << 24
            out, done = cupy.empty_like(x), bifold.Event()
            bifold.inclusive_scan(x, out, queue=mine, done=done)
            done.wait(PATIENCE)
            assert int(out[-1]) == 50 << 24


@needs_cupy
def test_events_in_and_out():
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x = cupy.ones(1 << 20, np.int32)
        ready = stream.record()
    with cupy.cuda.Stream(non_blocking=True) as other:
        done = bifold.Event()
        y = bifold.inclusive_scan(x, wait=[ready], done=done)
        assert done.to_cuda()
        done.wait(PATIENCE)
        other.synchronize()
        assert int(y[-1]) == 1 << 20


@needs_cupy
def test_dlpack_and_the_interface_alone():
    class Dlpack:
        def __init__(self, array):
            self.__dlpack__ = array.__dlpack__
            self.__dlpack_device__ = array.__dlpack_device__

    class Interface:
        def __init__(self, array):
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    x, out = cupy.arange(1000, dtype=np.int64), cupy.empty(1000, np.int64)
    for wrap in (Dlpack, Interface):
        assert bifold.reduce(wrap(x)) == 499500
        out.fill(0)
        bifold.inclusive_scan(wrap(x), wrap(out))
        assert int(out[-1]) == 499500


@needs_cupy
def test_memory_of_a_pool():
    pool = cupy.cuda.MemoryAsyncPool()
    with cupy.cuda.using_allocator(pool.malloc):
        x = cupy.ones(100000, np.float32)
        assert bifold.reduce(x) == 100000
        assert float(bifold.inclusive_scan(x)[-1]) == 100000


@needs_cupy
def test_threads_with_a_stream_each():
    def work(seed):
        host = np.random.default_rng(seed).integers(0, 100, 50000).astype(np.int32)
        with cupy.cuda.Stream(non_blocking=True):
            x = cupy.asarray(host)
            for _ in range(20):
                assert bifold.reduce(x) == host.sum()
                assert int(bifold.inclusive_scan(x)[-1]) == host.sum()

    run_threads(work)


@needs_cupy
def test_streams_that_come_and_go():
    for n in range(1, 60):
        with cupy.cuda.Stream(non_blocking=True):
            assert bifold.reduce(cupy.ones(n * 1000, np.int32)) == n * 1000
    bifold.release_adopted()


@needs_cupy
def test_arrays_of_the_second_device():
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("one CUDA device")
    with cupy.cuda.Device(1):
        x = cupy.ones(1000, np.int32)
    y = bifold.inclusive_scan(x)
    assert y.device.id == 1
    assert int(y[-1]) == 1000


@needs_cupy
def test_two_arrays_and_reductions_of_cupy():
    x = cupy.arange(1000, dtype=np.float32)
    y = cupy.ones(1000, np.float32)
    assert bifold.inner_product(x, y) == 499500
    assert bifold.transform_reduce(x, "x < y ? x : y", y=y) == 999
    assert bifold.argmax(x) == (999, 999)
    assert bifold.reduce_many(x, ["minimum", "maximum"]) == (0, 999)
    running = bifold.transform_inclusive_scan(x, "i", dtype=np.uint64)
    assert isinstance(running, cupy.ndarray)
    assert int(running[-1]) == 499500


@needs_cupy
def test_structs_and_operators_as_text():
    x = cupy.asarray(np.array([3, -1, 4], np.float32))
    extent = bifold.struct_type("Extent", np.dtype([("low", "f4"), ("high", "f4")]))
    hull = bifold.Operator.fieldwise(extent, ["minimum", "maximum"])
    assert tuple(bifold.transform_reduce(x, "make_Extent(x, x)", hull)) == (-1, 4)
    with pytest.raises(bifold.InvalidArgument, match="column 5"):
        bifold.transform_reduce(x, "x + nowhere")
