"""Repeated calls on CUDA arrays over the stand-in driver: which device and stream they go to."""

import ctypes
import sys
import threading
import types

import numpy as np
import pytest
from cuda_driver import N
from exporters import DlpackExporter, InterfaceExporter
from patience import PATIENCE
from repeats import known
from test_cuda_stand_in import count, driver, failing, launches, library, word_at  # noqa: F401

import bifold
from bifold._arrays import cuda

pytest_plugins = "repeats"
pytestmark = pytest.mark.usefixtures("driver")


class _Tensor(DlpackExporter):
    """As PyTorch's."""

    def __init__(self, address, n=N, index=0, dtype=np.int32):
        super().__init__(np.ones(n, dtype), (2, index), address)
        self.dtype, self.shape = sys.intern(f"torch.{np.dtype(dtype)}"), self.array.shape
        self.requires_grad = self.negated = self.conjugated = False

    def data_ptr(self):
        return self.address

    def get_device(self):
        return self.device[1]

    def stride(self):
        return tuple(step // self.array.itemsize for step in self.array.strides)

    def is_neg(self):
        return self.negated

    def is_conj(self):
        return self.conjugated

    def __dlpack__(self, **arguments):
        if self.conjugated:
            raise BufferError("conjugate bit set")
        return super().__dlpack__(**arguments)


_Tensor.__module__, _Tensor.__qualname__ = "torch", "Tensor"


class _Data:
    def __init__(self, address, index):
        self.ptr, self.device_id = address, index


class _Ndarray:
    """As CuPy's."""

    def __init__(self, address, n=N, index=0, dtype=np.int32):
        self.data, self.dtype = _Data(address, index), np.dtype(dtype)
        like = np.ones(n, dtype)
        self.shape, self.strides = like.shape, like.strides

    @property
    def __cuda_array_interface__(self):
        exported = InterfaceExporter(self.data.ptr, self.shape, self.dtype)
        return {**exported.__cuda_array_interface__, "stream": current["cupy"] or 1}


_Ndarray.__module__, _Ndarray.__qualname__ = "cupy", "ndarray"

# The streams that are current, 0 the default one.
current = {"torch": 0, "cupy": 0}
_torch = types.ModuleType("torch")
_torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda index: current["torch"])
_torch.int32, _torch.int64 = np.int32, np.int64
_cupy = types.ModuleType("cupy")
_cupy.cuda = types.SimpleNamespace(
    get_current_stream=lambda: types.SimpleNamespace(ptr=current["cupy"])
)


@pytest.fixture(params=["interface", "cupy", "torch"])
def array(request, monkeypatch):
    """Makes arrays of a kind."""
    monkeypatch.setitem(sys.modules, "torch", _torch)
    monkeypatch.setitem(sys.modules, "cupy", _cupy)
    current.update(torch=0, cupy=0)
    return {"interface": of_interface, "cupy": _Ndarray, "torch": _Tensor}[request.param]


def of_interface(address, n=N, index=0, dtype=np.int32):
    return InterfaceExporter(address, n, dtype)


def test_repeated_calls_do_not_reach_the_package(driver, array, made):  # noqa: F811
    x, out = array(driver.memory()), array(driver.memory())
    one = array(driver.memory(), 1)
    bifold.inclusive_scan(x, out)  # Their class is new.
    before = count(driver, "launches")
    assert all(r is out for r in known(made, lambda: bifold.inclusive_scan(x, out)))
    known(made, lambda: bifold.reduce_into(x, one))
    assert all(type(r) is np.int32 for r in known(made, lambda: bifold.reduce(x)))
    assert count(driver, "launches") >= before + 12
    # Wherever the arrays are, and whatever is behind their numbers.
    y = array(driver.memory())
    made.clear()
    bifold.inclusive_scan(y, out)
    bifold.inclusive_scan(y, y)
    assert len(made) == 1
    bifold.inclusive_scan(y, y)
    assert len(made) == 1


def test_repeated_calls_along_axes_do_not_reach_the_package(driver, array, made):  # noqa: F811
    x, out = array(driver.memory(), (20, 50)), array(driver.memory(), (20, 50))
    rows, kept = array(driver.memory(), 20), array(driver.memory(), (1, 50))
    indices = array(driver.memory(), 50, 0, np.int64)
    bifold.inclusive_scan(x, out, axis=0)  # Their class is new.
    known(made, lambda: bifold.reduce_into(x, rows, axis=1))
    known(made, lambda: bifold.reduce_into(x, kept, axis=(0,), keepdims=True))
    known(made, lambda: bifold.inclusive_scan(x, out, axis=0, reverse=True))
    known(made, lambda: bifold.argmax_into(x, indices, axis=-2))
    known(made, lambda: bifold.argmin(x, axis=0))
    with pytest.raises(bifold.InvalidArgument, match="shape"):
        bifold.reduce_into(x, indices, axis=1)


def test_a_known_call_is_none_of_another_dtype(driver, array, made):  # noqa: F811
    x, one = array(driver.memory()), array(driver.memory(), 1)
    bifold.reduce_into(x, one)
    known(made, lambda: bifold.reduce_into(x, one))
    for dtype in (np.uint32, np.float32):
        made.clear()
        other, result = array(driver.memory(), N, 0, dtype), array(driver.memory(), 1, 0, dtype)
        bifold.reduce_into(other, result)
        assert len(made) == 1


def test_a_known_call_takes_as_much_memory_as_its_arrays_have(driver, array, made):  # noqa: F811
    address, out = driver.memory(), driver.memory()
    bifold.inclusive_scan(array(address), array(out))
    known(made, lambda: bifold.inclusive_scan(array(address), array(out)))
    for n in (N - 1, 1, 2):
        bifold.inclusive_scan(array(address, n), array(out, n))
    made.clear()
    bifold.inclusive_scan(array(address + 4, N - 1), array(out + 4, N - 1))
    if array is _Tensor:
        # PyTorch has them within their memory: the driver is not asked.
        elsewhere = np.zeros(N, np.int32)
        bifold.inclusive_scan(array(elsewhere.ctypes.data), array(out))
        assert not made
        return
    for call in (
        lambda: bifold.inclusive_scan(array(address, N + 1), array(out, N + 1)),
        lambda: bifold.inclusive_scan(array(address + 4), array(out)),
        lambda: bifold.inclusive_scan(array(address), array(out + 4)),
    ):
        with pytest.raises(bifold.InvalidArgument, match="bytes"):  # Ends behind its memory.
            call()
    assert not made


def test_a_known_call_goes_to_the_device_of_its_arrays(driver, array, made):  # noqa: F811
    first, second = (
        [array(driver.memory(index=index), index=index) for _ in range(2)] for index in (0, 1)
    )
    for x, out in (first, second):
        bifold.inclusive_scan(x, out)
    for _ in range(2):
        for index, (x, out) in enumerate((first, second)):
            # A queue of the other device does not take them.
            known(made, lambda x=x, out=out: bifold.inclusive_scan(x, out))
            before = count(driver, "launches")
            driver.cuStreamSynchronize(None, index=index)
            assert count(driver, "launches") > before


def test_a_known_call_goes_to_the_current_stream(driver, array, made):  # noqa: F811
    address, result = driver.memory(), driver.memory()

    def arrays(stream):
        current.update(cupy=stream, torch=stream)
        if array is of_interface:
            return [InterfaceExporter(a, N, stream=stream or 1) for a in (address, result)]
        return [array(address), array(result)]

    streams = [0, driver.stream(), driver.stream()]
    for _ in range(2):
        for stream in streams:
            bifold.inclusive_scan(*arrays(stream))
            driver.cuStreamSynchronize(ctypes.c_void_p(stream))
    made.clear()
    for stream in reversed(streams):
        x, out = arrays(stream)
        driver.fill_later(address, stream, 7)
        before = count(driver, "launches")
        bifold.inclusive_scan(x, out)
        for other in streams:
            if other not in (0, stream):
                driver.cuStreamSynchronize(ctypes.c_void_p(other))
        assert count(driver, "launches") == before
        driver.cuStreamSynchronize(ctypes.c_void_p(stream))
        assert count(driver, "launches") > before and word_at(address) == 7
    assert not made


@pytest.mark.parametrize("name", ["ptr", "cuda_stream"])
def test_a_known_call_goes_to_the_stream_that_is_given(driver, made, name):  # noqa: F811
    streams = [driver.stream() for _ in range(3)]
    x, out = InterfaceExporter(driver.memory(), N), InterfaceExporter(driver.memory(), N)

    class Stream:
        """As CuPy's or PyTorch's."""

        def __init__(self, number):
            setattr(self, name, number)

    bifold.inclusive_scan(x, out)
    for _ in range(2):
        for stream in streams:
            bifold.inclusive_scan(x, out, queue=Stream(stream))
    made.clear()
    for stream in streams:
        last = [cuda.queue_of(0, number).turn.last for number in streams]
        bifold.inclusive_scan(x, out, queue=Stream(stream))
        now = [cuda.queue_of(0, number).turn.last for number in streams]
        assert [a != b for a, b in zip(now, last)] == [number == stream for number in streams]
    assert not made


def test_a_stream_is_no_command_queue_of_its_number(driver, backend):  # noqa: F811
    cl = pytest.importorskip("pyopencl")
    backend("opencl")
    commands = cl.CommandQueue(cl.create_some_context(interactive=False))
    stream, host = types.SimpleNamespace(ptr=driver.stream()), np.ones(N, np.int32)
    for queue in 3 * [stream] + 3 * [commands]:
        bifold.reduce(host, queue=queue)
    failing(driver, "cuStreamGetCtx")
    with pytest.raises(bifold.Error, match="cuStreamGetCtx"):
        bifold.reduce(host, queue=types.SimpleNamespace(ptr=commands.int_ptr))


@pytest.mark.parametrize("array", ["torch"], indirect=True)
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_tensors_are_made_for_tensors(driver, array, made, monkeypatch, kind):  # noqa: F811
    made_tensors = []

    def empty(shape, dtype, device):
        assert shape == (N,) and dtype is kind and device == (2, 1)
        bytes_each = np.dtype(dtype).itemsize
        made_tensors.append(_Tensor(driver.memory(N * bytes_each, index=1), N, 1, dtype))
        return made_tensors[-1]

    monkeypatch.setattr(_torch, "empty", empty, raising=False)
    x = array(driver.memory(index=1), index=1)
    scanned = [bifold.inclusive_scan(x, dtype=kind)]
    made.clear()
    scanned += [bifold.inclusive_scan(x, dtype=kind) for _ in range(3)]
    assert len(made) == 0 and len(made_tensors) == 4
    assert all(a is b for a, b in zip(scanned, made_tensors))
    with pytest.raises(bifold.InvalidArgument, match="PyTorch has no elements of uint16"):
        bifold.inclusive_scan(x, dtype=np.uint16)


@pytest.mark.parametrize("array", ["torch"], indirect=True)
def test_a_tensor_of_another_stream_is_ordered_by_pytorch(driver, array, made):  # noqa: F811
    x, out = array(driver.memory()), array(driver.memory())
    bifold.inclusive_scan(x, out)
    known(made, lambda: bifold.inclusive_scan(x, out))
    x.streams.clear()
    bifold.inclusive_scan(x, out)
    assert not x.streams
    current["torch"] = stream = driver.stream()
    queue = bifold.Queue.adopt_cuda(stream, cuda.queue_of(0, 1).device)
    bifold.inclusive_scan(x, out)
    bifold.inclusive_scan(x, out, queue=queue)
    assert x.streams == [stream, stream]
    current["torch"] = 0
    bifold.inclusive_scan(x, out, queue=queue)
    assert x.streams == [stream, stream, stream]
    for name in ("requires_grad", "negated", "conjugated"):
        setattr(x, name, True)
        made.clear()
        try:
            bifold.inclusive_scan(x, out)
        except bifold.InvalidArgument as failure:
            why = {"negated": "negates", "conjugated": "conjugate bit set"}[name]
            assert why in str(failure)
        assert made
        setattr(x, name, False)


@pytest.fixture(params=["default", "interface", "cupy"])
def on_stream(request, driver, monkeypatch):  # noqa: F811
    """Makes arrays whose stream is current: a default one, or one that may be destroyed."""
    monkeypatch.setitem(sys.modules, "cupy", _cupy)
    stream = None if request.param == "default" else driver.stream()
    if request.param != "cupy":
        return lambda n=N: InterfaceExporter(driver.memory(), n, stream=stream)
    monkeypatch.setitem(current, "cupy", stream)
    return lambda n=N: _Ndarray(driver.memory(), n)


def test_a_known_call_waits_for_the_one_before(driver, on_stream, made, request):  # noqa: F811
    x, out = on_stream(), on_stream()
    bifold.inclusive_scan(x, out)
    known(made, lambda: bifold.inclusive_scan(x, out))
    failing(driver, "cuStreamWaitEvent")
    if "default" in request.node.name:
        bifold.inclusive_scan(x, out)  # It follows the one before anyway.
    else:
        with pytest.raises(bifold.Error) as caught:
            bifold.inclusive_scan(x, out)
        assert caught.value.call == "cuStreamWaitEvent" and caught.value.native_code == 719
    assert not made


def test_completions_of_known_calls(driver, on_stream, made):  # noqa: F811
    x, out = on_stream(), on_stream()
    bifold.inclusive_scan(x, out)
    known(made, lambda: bifold.inclusive_scan(x, out))
    for _ in range(3):
        done = bifold.Event()
        before = count(driver, "launches")
        bifold.inclusive_scan(x, out, done=done)
        assert not done.empty and count(driver, "launches") == before
        done.wait(PATIENCE)  # The stand-in does nothing before.
        assert count(driver, "launches") > before
        done.close()  # The next call has another one to wait for.
    bifold.inclusive_scan(x, out, wait=[done := bifold.Event()], done=done)
    assert not made and not done.empty


def test_what_was_adopted_may_be_released(driver, array, made):  # noqa: F811
    x, out = array(driver.memory()), array(driver.memory())
    bifold.inclusive_scan(x, out)
    for _ in range(3):
        known(made, lambda: bifold.inclusive_scan(x, out))
        bifold.release_adopted()


def test_a_read_only_array_is_no_output_of_a_known_call(driver, made):  # noqa: F811
    x, out = (InterfaceExporter(driver.memory(), N) for _ in range(2))
    bifold.inclusive_scan(x, out)
    known(made, lambda: bifold.inclusive_scan(x, out))
    known(made, lambda: bifold.inclusive_scan(x, x))
    address = x.__cuda_array_interface__["data"][0]
    x.__cuda_array_interface__["data"] = (address, True)
    bifold.inclusive_scan(x, out)
    for call in (lambda: bifold.inclusive_scan(out, x), lambda: bifold.inclusive_scan(x, x)):
        with pytest.raises(bifold.InvalidArgument, match="read-only"):
            call()


def test_an_interface_that_has_changed_is_looked_at_again(driver, made):  # noqa: F811
    x = InterfaceExporter(driver.memory(), N)
    bifold.reduce(x)
    known(made, lambda: bifold.reduce(x))
    kept = x.__cuda_array_interface__
    for more, message in [
        ({"strides": (6,)}, "stride"),
        ({"mask": object()}, "mask"),
        ({"stream": 0}, "stream 0"),
        ({"typestr": "|b1"}, "bool"),
        ({"shape": (N + 1,)}, "bytes"),
    ]:
        x.__cuda_array_interface__ = {**kept, **more}
        with pytest.raises(bifold.InvalidArgument, match=message):
            bifold.reduce(x)
    x.__cuda_array_interface__ = {**kept, "shape": (1,), "strides": (4,)}
    for _ in range(3):
        bifold.reduce(x)
    x.__cuda_array_interface__ = {**kept, "shape": (10,), "strides": (1,)}
    with pytest.raises(bifold.InvalidArgument, match="stride"):
        bifold.reduce(x)
    x.__cuda_array_interface__ = {**kept, "shape": (N // 2,), "strides": (8,)}
    for _ in range(3):
        bifold.reduce(x)


@pytest.mark.parametrize("given", [False, True])
def test_the_default_stream_of_each_thread(driver, made, given):  # noqa: F811
    class Stream:
        """As CuPy's."""

        ptr = 2

    stream = None if given else 2
    x, out = (InterfaceExporter(driver.memory(), N, stream=stream) for _ in range(2))
    more = {"queue": Stream()} if given else {}
    for _ in range(2):  # The classes are new.
        bifold.inclusive_scan(x, out, **more)
    known(made, lambda: bifold.inclusive_scan(x, out, **more))
    thread = threading.Thread(target=lambda: bifold.inclusive_scan(x, out, **more))
    thread.start()
    thread.join()
    assert len(made) == 1


def test_memory_and_handles_stay_as_they_are(driver, on_stream, made):  # noqa: F811
    x, one = on_stream(), on_stream(1)
    bifold.reduce_into(x, one)

    def calls(number):
        for _ in range(number // 100):
            for _ in range(100):
                bifold.reduce_into(x, one)
            driver.cuCtxSynchronize()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096, count(driver, "events")

    memory, events = calls(10_000)
    made.clear()
    after, events_after = calls(100_000)
    assert not made
    assert events_after <= events and after - memory < 4 << 20
