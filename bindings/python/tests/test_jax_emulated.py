"""The handler that XLA calls on CUDA, with kernels that the stand-in driver runs on the CPU."""

import ctypes

import numpy as np
import pytest
import xla_frame
from cuda_driver import Driver

from bifold import _native

_jax = pytest.importorskip("bifold._jax", reason="built without jaxlib's headers")

PLUS, MINIMUM = 0, 2
INVALID_ARGUMENT, ABORTED = 3, 10


@pytest.fixture(scope="module")
def library():
    loaded = ctypes.CDLL("libcuda.so.1")
    loaded.fake_cuda_calls.restype = ctypes.c_int64
    _native.library()
    _jax.bind(_native._addresses, _native.raise_last)
    return loaded


@pytest.fixture
def driver(library):
    made = Driver(library, 1)
    yield made
    library.fake_cuda_reset()
    made.close()


def handle(stream, x, out, *, scan, op=PLUS, axis=0, axes=1, reverse=False):
    return xla_frame.call(
        _jax.cuda_handler(), stream, x, out, scan=scan, op=op, axis=axis, axes=axes, reverse=reverse
    )


def placed(driver, array):
    """An array on the device."""
    address = driver.memory(max(array.nbytes, 4))
    if array.size > 0:
        driver.write(address, array)
    return (array.dtype.name, address, array.shape)


def calls(driver, name):
    return driver.library.fake_cuda_calls(name.encode())


def test_calls_are_enqueued_on_the_stream(driver):
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4) % 5
    stream, nothing = driver.stream(), np.zeros_like(x)
    on_device, out = placed(driver, x), placed(driver, nothing)
    for axis in (1, 1):
        driver.write(out[1], nothing)
        waits = calls(driver, "cuStreamSynchronize"), calls(driver, "cuEventSynchronize")
        assert handle(stream, on_device, out, scan=True, axis=axis) is None
        assert (calls(driver, "cuStreamSynchronize"), calls(driver, "cuEventSynchronize")) == waits
        driver.cuStreamSynchronize(ctypes.c_void_p(stream))
        np.testing.assert_array_equal(driver.read(out[1], x), x.cumsum(axis))


def test_results_of_reductions_lie_side_by_side(driver):
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)[:, ::-1].copy()
    stream = driver.stream()
    wanted = x.min(axis=1)
    out = placed(driver, np.zeros_like(wanted))
    assert handle(stream, placed(driver, x), out, scan=False, op=MINIMUM, axis=1) is None
    driver.cuStreamSynchronize(ctypes.c_void_p(stream))
    np.testing.assert_array_equal(driver.read(out[1], wanted), wanted)


def test_a_sum_of_nothing_is_zero(driver):
    stream = driver.stream()
    out = placed(driver, np.ones(4, np.int32))
    assert handle(stream, ("int32", 0, (0, 4)), out, scan=False) is None
    driver.cuStreamSynchronize(ctypes.c_void_p(stream))
    np.testing.assert_array_equal(driver.read(out[1], np.ones(4, np.int32)), np.zeros(4))


def test_failures_have_a_code_and_the_reason(driver):
    stream = driver.stream()
    x, out = placed(driver, np.zeros(3, np.int32)), placed(driver, np.zeros(3, np.int32))
    assert handle(stream, x, out, scan=True, axis=1)[0] == INVALID_ARGUMENT
    assert handle(stream, x, out, scan=False)[0] == INVALID_ARGUMENT
    assert handle(stream, ("complex64", *x[1:]), out, scan=True)[0] == INVALID_ARGUMENT
    assert handle(stream, x, out, scan=True, op=99)[0] == INVALID_ARGUMENT
    code, message = handle(stream, ("int32", 16, (3,)), out, scan=True)
    assert code == INVALID_ARGUMENT and "bifold: " in message
    driver.library.fake_cuda_fail(b"cuLaunchKernelEx", 0, 719)
    code, message = handle(stream, x, out, scan=True)
    assert code == ABORTED and "cuLaunchKernelEx" in message
