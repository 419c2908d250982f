"""CUDA arrays over the stand-in driver of tests/fake_cuda, which runs no kernel: what is asked of
streams, events and memory, not what is computed."""

import ctypes
import gc
import threading

import numpy as np
import pytest
from cuda_driver import Driver, N
from exporters import DlpackExporter, InterfaceExporter
from patience import PATIENCE
from repeats import made  # noqa: F401

import bifold


def word_at(address):
    return ctypes.c_uint32.from_address(address).value


@pytest.fixture(scope="module")
def library(backend):
    try:
        loaded = ctypes.CDLL("libcuda.so.1")
        loaded.fake_cuda_count.restype = ctypes.c_int64
    except (OSError, AttributeError):
        pytest.skip("no stand-in for libcuda in the library path")
    backend("cuda")
    with bifold.open_device("cuda:0") as device, bifold.Queue(device) as queue:
        try:
            bifold.transform_reduce(np.ones(3, np.int32), "x + 1", queue=queue)
        except bifold.Error as absent:
            if "NVRTC" not in str(absent):
                raise
            pytest.skip(f"no NVRTC: {absent}")
    return loaded


@pytest.fixture
def driver(library):
    application = Driver(library)
    misuses = count(application, "misuses")
    yield application
    bifold.release_adopted()
    gc.collect()
    application.close()
    library.fake_cuda_reset()
    assert count(application, "misuses") == misuses
    assert (
        count(application, "contexts")
        == count(application, "allocations")
        == count(application, "streams")
        == 0
    )


def count(driver, what):
    return driver.library.fake_cuda_count(what.encode())


def failing(driver, function):
    """Lets a function of the driver fail from now on: that it is called shows."""
    driver.library.fake_cuda_fail(function.encode(), 0, 719)


def launches(driver, call):
    before = count(driver, "launches")
    call()
    return count(driver, "launches") - before


def test_arrays_are_worked_on_in_place(driver):
    x = InterfaceExporter(driver.memory(), N)
    out = InterfaceExporter(driver.memory(), N)
    allocations = []

    def scan():
        done = bifold.Event()
        assert bifold.inclusive_scan(x, out, done=done) is out
        done.wait(PATIENCE)  # The stand-in does nothing before.
        allocations.append(count(driver, "allocations"))

    assert launches(driver, scan) > 0
    assert launches(driver, scan) > 0
    # Nothing is copied: the second call finds all that it needs.
    assert allocations[0] == allocations[1]


def test_views_and_axes_are_worked_on_in_place(driver):
    # The last element of the view is the last of the memory, the first one lies behind others.
    address = driver.memory()
    backward = {"shape": (10, 50), "strides": (400, -8)}
    x = InterfaceExporter(address + 396, 0, **backward)
    out = InterfaceExporter(driver.memory() + 396, 0, **backward)
    line = InterfaceExporter(driver.memory(), 50)
    for call in (
        lambda done: bifold.inclusive_scan(x, out, axis=1, done=done),
        lambda done: bifold.reduce_into(x, line, axis=0, done=done),
        lambda done: bifold.inclusive_scan(x, x, axis=0, done=done),
    ):
        done = bifold.Event()
        call(done)
        # The stand-in does nothing before.
        assert launches(driver, lambda event=done: event.wait(PATIENCE)) > 0
    # Copied on the device, which is one launch more, and then reduced.
    one = launches(driver, lambda: bifold.reduce(InterfaceExporter(address, 500)))
    assert launches(driver, lambda: bifold.reduce(x)) > one
    below = InterfaceExporter(address + 388, 0, **backward)  # Begins before its memory.
    with pytest.raises(bifold.InvalidArgument, match=r"address|bytes|memory"):
        bifold.inclusive_scan(below, out, axis=1)


def test_reductions_are_scalars(driver):
    x = InterfaceExporter(driver.memory(), N, np.float32)
    assert launches(driver, lambda: bifold.reduce(x)) > 0
    assert isinstance(bifold.reduce(x), np.float32)
    assert bifold.reduce(InterfaceExporter(0, 0), init=4) == 4


def test_the_work_goes_into_the_interfaces_stream(driver):
    stream = driver.stream()
    address = driver.memory()
    x = InterfaceExporter(address, N, stream=stream)
    driver.fill_later(address, stream, 7)
    assert word_at(address) == 0xCDCDCDCD
    bifold.reduce(x)  # Waits for its own stream.
    assert word_at(address) == 7
    before = count(driver, "launches")
    bifold.inclusive_scan(x, x)
    driver.cuStreamSynchronize(ctypes.c_void_p(driver.stream()))
    assert count(driver, "launches") == before
    driver.cuStreamSynchronize(ctypes.c_void_p(stream))
    assert count(driver, "launches") > before


def test_a_queue_waits_for_the_interfaces_stream(driver):
    mine, producers = driver.stream(), driver.stream()
    address, other = driver.memory(), driver.memory()
    with bifold.open_device("cuda:0") as device:
        with bifold.Queue.adopt_cuda(mine, device) as queue:
            driver.fill_later(address, producers, 7)
            bifold.reduce(InterfaceExporter(other, N, stream=mine), queue=queue)
            bifold.reduce(InterfaceExporter(other, N, stream=None), queue=queue)
            bifold.reduce(InterfaceExporter(other, N), queue=queue)
            assert word_at(address) == 0xCDCDCDCD
            bifold.reduce(InterfaceExporter(address, N, stream=producers), queue=queue)
            assert word_at(address) == 7


def test_a_queue_waits_for_the_outputs_stream_too(driver):
    mine, producers = driver.stream(), driver.stream()
    address = driver.memory()
    out = InterfaceExporter(address, N, stream=producers)
    with bifold.open_device("cuda:0") as device:
        with bifold.Queue.adopt_cuda(mine, device) as queue:
            driver.fill_later(address, producers, 7)
            bifold.inclusive_scan(np.ones(N, np.int32), out, queue=queue)
            queue.finish()
            assert word_at(address) == 7


def test_a_queue_waits_for_the_second_arrays_stream(driver):
    mine, producers = driver.stream(), driver.stream()
    address = driver.memory()
    x = InterfaceExporter(driver.memory(), N, stream=mine)
    y = InterfaceExporter(address, N, stream=producers)
    driver.fill_later(address, producers, 7)
    bifold.transform_reduce(x, "x * y", y=y)  # On the stream of x.
    assert word_at(address) == 7
    exported = DlpackExporter(np.zeros(N, np.int32), (2, 0), driver.memory())
    bifold.inner_product(x, exported)
    assert (exported.streams, exported.deleted) == ([mine], 1)


def test_default_streams(driver):
    x = driver.memory()
    for stream in (1, 2):
        bifold.reduce(InterfaceExporter(x, N, stream=stream))
    with pytest.raises(bifold.InvalidArgument, match="stream 0"):
        bifold.reduce(InterfaceExporter(x, N, stream=0))


def test_a_threads_default_stream_is_its_own(driver):
    x = InterfaceExporter(driver.memory(), N, stream=2)
    bifold.reduce(x)
    failures = []

    def reduce():
        try:
            bifold.reduce(x)
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=reduce)
    thread.start()
    thread.join()
    assert not failures


def test_a_stream_behind_another_ones_number_waits_for_the_work_of_the_first(driver):
    x = InterfaceExporter(driver.memory(), N, stream=driver.stream())
    out = InterfaceExporter(driver.memory(), N)
    bifold.inclusive_scan(x, out)
    bifold.inclusive_scan(x, out)
    failing(driver, "cuStreamWaitEvent")
    with pytest.raises(bifold.Error) as caught:
        bifold.inclusive_scan(x, out)
    assert caught.value.call == "cuStreamWaitEvent" and caught.value.native_code == 719


def test_arrays_find_their_device(driver):
    x = InterfaceExporter(driver.memory(index=1), N)
    from bifold._arrays import cuda

    bifold.reduce(x)
    assert list(cuda._queues) == [(1, 1)]
    with bifold.Queue("cuda:0") as queue:
        with pytest.raises(bifold.InvalidArgument, match="context"):
            bifold.reduce(x, queue=queue)


def test_what_an_interface_may_not_say_is_refused(driver):
    address = driver.memory()
    host = np.ones(N, np.int32)
    for message, more in [
        ("mask", {"mask": object()}),
        ("stride of 6 bytes is no multiple of the 4", {"strides": (6,)}),
        ("strides", {"strides": (4, 4)}),
        ("bytes", {"strides": (8,)}),  # Ends behind its memory.
        ("elements of float128", {"typestr": "<f16"}),
        ("elements of bool", {"typestr": "|b1"}),
        ("cannot be read", {"typestr": 3}),
        ("cannot be read", {"data": "none"}),
        ("cannot be read", {"data": (address, False), "stream": "1"}),
        ("cannot be read", {"shape": 3}),
    ]:
        with pytest.raises(bifold.InvalidArgument, match=message):
            bifold.reduce(InterfaceExporter(address, N, **more))
    read_only = InterfaceExporter(address, N)
    read_only.__cuda_array_interface__["data"] = (address, True)
    with pytest.raises(bifold.InvalidArgument, match="read-only"):
        bifold.inclusive_scan(host, read_only)
    bifold.reduce(read_only)
    with pytest.raises(bifold.InvalidArgument, match="address"):
        bifold.reduce(InterfaceExporter(host.ctypes.data, N))
    with pytest.raises(bifold.InvalidArgument, match="bytes"):
        bifold.reduce(InterfaceExporter(address, N + 1))
    with pytest.raises(bifold.InvalidArgument, match="give one as out"):
        bifold.inclusive_scan(InterfaceExporter(address, N))


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("kind", [2, 13])
def test_dlpack_tells_the_stream_and_is_given_back_once(driver, kind, versioned):
    like = np.ones(N, np.int32)
    x = DlpackExporter(like, (kind, 0), driver.memory(), versioned)
    out = DlpackExporter(like, (kind, 0), driver.memory(), versioned)
    assert bifold.inclusive_scan(x, out) is out
    assert (x.streams, out.streams, x.deleted, out.deleted) == ([1], [1], 1, 1)
    stream = driver.stream()
    with bifold.open_device("cuda:0") as device:
        with bifold.Queue.adopt_cuda(stream, device) as queue:
            assert launches(driver, lambda: bifold.reduce(x, queue=queue)) > 0
    assert (x.streams, x.deleted) == ([1, stream], 2)
    with bifold.Queue("cuda:0") as own:
        with pytest.raises(bifold.InvalidArgument, match="stream"):
            bifold.reduce(x, queue=own)
    assert x.deleted == 2


def test_dlpack_is_given_back_once_when_the_call_fails(driver):
    x = DlpackExporter(np.ones((N, 2), np.int32)[:, 0], (2, 0), driver.memory())
    with pytest.raises(bifold.InvalidArgument, match="bytes"):  # Ends behind its memory.
        bifold.reduce(x)
    assert x.deleted == 1
    x = DlpackExporter(np.ones(N, np.int32), (2, 0), driver.memory())
    failing(driver, "cuLaunchKernel")
    with pytest.raises(bifold.Error) as caught:
        bifold.reduce(x)
    assert (caught.value.backend, caught.value.native_code, x.deleted) == ("cuda", 719, 1)


def test_dlpack_orders_the_work_of_interfaces_without_streams(driver):
    x = DlpackExporter(np.ones(N, np.int32), (2, 0), driver.memory())
    x.__cuda_array_interface__ = InterfaceExporter(x.address, N).__cuda_array_interface__
    bifold.reduce(x)
    assert x.streams == [1]
    x.__cuda_array_interface__["stream"] = None
    bifold.reduce(x)
    assert x.streams == [1]


def test_events_and_streams_of_cuda(driver):
    class Event:
        def __init__(self, number):
            self.ptr = number

    class Stream(Event):
        """As CuPy's: both have a ptr."""

    x = InterfaceExporter(driver.memory(), N)
    done = bifold.Event()
    bifold.inclusive_scan(x, x, queue=Stream(driver.stream()), done=done)
    assert done.to_cuda()
    bifold.reduce(x, wait=[done])
    assert done.complete()
    native = ctypes.c_void_p()
    driver.cuEventCreate(ctypes.byref(native), 0)
    assert bifold.reduce(x, wait=[Event(native.value)]) is not None
    with pytest.raises(bifold.WrongType, match="no open event"):
        bifold.reduce(x, wait=[Stream(native.value)])
    with pytest.raises(bifold.WrongType, match="queue must be"):
        bifold.reduce(x, queue=Event(native.value))
    done.close()
    driver.cuEventDestroy_v2(native)


@pytest.mark.parametrize("name", ["ptr", "cuda_event"])
def test_a_known_call_waits_for_foreign_events(driver, made, name):  # noqa: F811
    class Event:
        """As CuPy's or PyTorch's, which has no number before it is recorded."""

        def __init__(self, number):
            setattr(self, name, number)

    x, out = (InterfaceExporter(driver.memory(), N) for _ in range(2))
    address, stream, native = driver.memory(), driver.stream(), ctypes.c_void_p()
    driver.cuEventCreate(ctypes.byref(native), 0)
    for _ in range(2):  # The classes are new.
        bifold.inclusive_scan(x, out, wait=[Event(native.value)])
    made.clear()
    for word in (7, 8):
        driver.fill_later(address, stream, word)
        driver.cuEventRecord(native, ctypes.c_void_p(stream))
        done = bifold.Event()
        bifold.inclusive_scan(x, out, wait=(Event(native.value), bifold.Event()), done=done)
        done.wait(PATIENCE)  # The stand-in does nothing before.
        assert word_at(address) == word
    assert not made
    with pytest.raises(bifold.WrongType, match="no open event"):
        bifold.inclusive_scan(x, out, wait=[Event("7")])
    driver.cuEventDestroy_v2(native)


def test_kinds_do_not_mix(driver):
    with pytest.raises(bifold.InvalidArgument, match="memory of cuda, the queue is one of opencl"):
        try:
            queue = bifold.Queue("opencl")
        except bifold.Unavailable as absent:
            pytest.skip(str(absent))
        bifold.reduce(InterfaceExporter(driver.memory(), N), queue=queue)
