"""The handlers that XLA calls, without XLA; the stand-in driver runs CUDA's kernels on the CPU."""

import ctypes
import math

import numpy as np
import pytest
import xla_frame
from cuda_driver import Driver

import bifold
from bifold._base import native

_jax = pytest.importorskip("bifold._jax", reason="built without jaxlib's headers")

PLUS, MINIMUM = 0, 2
INVALID_ARGUMENT, ABORTED = 3, 10


@pytest.fixture(scope="module")
def library():
    loaded = ctypes.CDLL("libcuda.so.1")
    loaded.fake_cuda_calls.restype = ctypes.c_int64
    native.bind(_jax)
    return loaded


@pytest.fixture
def driver(library):
    made = Driver(library, 1)
    yield made
    library.fake_cuda_reset()
    made.close()


def handle(stream, x, out, *, scan, op=PLUS, axis=0, axes=1, reverse=False, on=None):
    attributes = {"scan": scan, "op": op, "axis": axis, "axes": axes, "reverse": reverse}
    return xla_frame.call(on or _jax.cuda_handler(), stream, x, out, **attributes)


def on_host(x, out):
    """What the handler for arrays of the host answers."""
    arrays = [(array.dtype.name, array.ctypes.data, array.shape) for array in (x, out)]
    return handle(None, *arrays, scan=x.shape == out.shape, on=_jax.host_handler())


def placed(driver, array):
    """An array on the device."""
    address = driver.memory(max(array.nbytes, 4))
    if array.size > 0:
        driver.write(address, array)
    return (array.dtype.name, address, array.shape)


def there(array, stream, driver):
    """Blocks. The elements of an array, when what is in the stream is done."""
    driver.cuStreamSynchronize(ctypes.c_void_p(stream))
    return looked_at(array)


def looked_at(array):
    """The elements of an array as they are: the stand-in's memory is the host's."""
    dtype, address, shape = array
    block = (ctypes.c_char * (4 * math.prod(shape))).from_address(address)
    return np.frombuffer(block, dtype).reshape(shape).copy()


def calls(driver, name):
    return driver.library.fake_cuda_calls(name.encode())


def test_calls_are_enqueued_on_the_stream(driver):
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4) % 5
    stream, nothing = driver.stream(), np.zeros_like(x)
    on_device, out = placed(driver, x), placed(driver, nothing)
    for reverse in (False, True):
        driver.write(out[1], nothing)
        assert handle(stream, on_device, out, scan=True, axis=1, reverse=reverse) is None
        np.testing.assert_array_equal(looked_at(out), nothing)
        wanted = np.flip(np.flip(x, 1).cumsum(1), 1) if reverse else x.cumsum(1)
        np.testing.assert_array_equal(there(out, stream, driver), wanted)


def test_results_of_reductions_lie_side_by_side(driver):
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)[:, ::-1].copy()
    stream = driver.stream()
    wanted = x.min(axis=1)
    out = placed(driver, np.zeros_like(wanted))
    assert handle(stream, placed(driver, x), out, scan=False, op=MINIMUM, axis=1) is None
    np.testing.assert_array_equal(there(out, stream, driver), wanted)


def test_nothing_is_scanned_and_sums_to_zero(driver):
    stream, nothing = driver.stream(), ("int32", 0, (0, 4))
    assert handle(stream, nothing, nothing, scan=True) is None
    out = placed(driver, np.ones(4, np.int32))
    assert handle(stream, nothing, out, scan=False) is None
    np.testing.assert_array_equal(there(out, stream, driver), np.zeros(4))


def test_arrays_of_the_host_go_to_the_device_that_is_named(driver):
    x, out = np.arange(5, dtype=np.int32), np.zeros(5, np.int32)
    launches = []
    for selector in ("opencl:cpu", "cuda:0"):
        try:
            _jax.use_cpu(selector)
        except bifold.Unavailable as absent:
            pytest.skip(str(absent))
        out[:] = 0
        before = calls(driver, "cuLaunchKernel")
        assert on_host(x, out) is None
        launches.append(calls(driver, "cuLaunchKernel") - before)
        np.testing.assert_array_equal(out, x.cumsum())
    assert launches[0] == 0 < launches[1]


def test_memory_for_arrays_of_the_host_is_kept(driver):
    _jax.use_cpu("cuda:0")
    allocated = []
    for n in (5, 1000, 7, 1000):
        x = np.arange(n, dtype=np.int32)
        out = np.zeros_like(x)
        assert on_host(x, out) is None
        np.testing.assert_array_equal(out, x.cumsum())
        allocated.append(calls(driver, "cuMemAlloc"))
    assert allocated[0] < allocated[1] == allocated[2] == allocated[3]


def test_memory_for_large_arrays_of_the_host_is_given_back(driver):
    _jax.use_cpu("cuda:0")
    assert on_host(np.ones(5, np.int32), np.ones(1, np.int32)) is None
    freed = calls(driver, "cuMemFree_v2")
    # Nothing is computed, which would take the stand-in long.
    driver.library.fake_cuda_fail(b"cuLaunchKernelEx", 0, 719)
    assert on_host(np.zeros(65 << 20, np.int32), np.zeros(1, np.int32))[0] == ABORTED
    assert calls(driver, "cuMemFree_v2") - freed == 2  # What the small array had, too.


def test_failures_have_a_code_and_the_reason(driver):
    stream = driver.stream()
    x, out = placed(driver, np.zeros(3, np.int32)), placed(driver, np.zeros(3, np.int32))
    assert handle(stream, x, out, scan=True, axis=1)[0] == INVALID_ARGUMENT
    assert handle(stream, x, out, scan=False)[0] == INVALID_ARGUMENT
    assert handle(stream, ("complex64", *x[1:]), out, scan=True)[0] == INVALID_ARGUMENT
    assert handle(stream, x, out, scan=True, op=99)[0] == INVALID_ARGUMENT
    code, message = handle(stream, ("int32", 0, (3,)), out, scan=True)
    assert code == INVALID_ARGUMENT and "bifold: " in message
    driver.library.fake_cuda_fail(b"cuLaunchKernelEx", 0, 719)
    code, message = handle(stream, x, out, scan=True)
    assert code == ABORTED and "cuLaunchKernelEx" in message
