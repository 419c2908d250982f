"""bifold.jax on JAX's CUDA devices."""

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed")
pytest.importorskip("bifold._jax", reason="built without jaxlib's headers")
try:
    device = jax.devices("cuda")[0]
except RuntimeError:
    pytest.skip("JAX has no CUDA device", allow_module_level=True)

from jax_tests import *  # noqa: E402, F403
from jax_tests import assert_same, bj, integers, jnp  # noqa: E402

import bifold  # noqa: E402


@pytest.fixture(autouse=True)
def on_cuda():
    with jax.default_device(device):
        yield


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int32"])
def test_bits_of_many_elements_are_those_of_the_package(dtype):
    x = jax.random.normal(jax.random.key(0), (1 << 22,)).astype(dtype)
    for y, axis in ((x, 0), (x.reshape(1 << 11, -1), 0), (x.reshape(1 << 11, -1), 1)):
        host = np.asarray(y)
        assert_same(bj.cumsum(y, axis), bifold.inclusive_scan(host, axis=axis))
        assert_same(bj.sum(y, axis, dtype=dtype), np.asarray(bifold.reduce(host, axis=axis)))


def test_calls_keep_their_places_in_a_program():
    # Each reads what the one before it has written; XLA may record programs from the second run on.
    @jax.jit
    def program(x):
        for _ in range(4):
            x = bj.cumsum(x, 1) % 7 + bj.sum(x, 1, keepdims=True) % 5
        return x

    @jax.jit
    def wanted(x):
        for _ in range(4):
            x = jnp.cumsum(x, 1) % 7 + jnp.sum(x, 1, keepdims=True) % 5
        return x

    x = integers(1000, 500, dtype=np.int32)
    for _ in range(5):
        assert_same(program(x), wanted(x))
        x = wanted(x)


def test_arrays_of_the_host_run_beside_it():
    try:
        bj.use_cpu("opencl:cpu")
    except bifold.Unavailable as absent:
        pytest.skip(str(absent))
    x = integers(3, 4)
    host = jax.device_put(x, jax.devices("cpu")[0])
    assert_same(bj.cumsum(host, 1), bj.cumsum(x, 1))
