"""bifold.jax on JAX's CPU, whose arrays OpenCL's CPU device works on."""

import os
import subprocess
import sys

import pytest

# Two devices, before JAX asks for it.
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
jax = pytest.importorskip("jax", reason="JAX is not installed")
pytest.importorskip("bifold._jax", reason="built without jaxlib's headers")

from jax_tests import *  # noqa: E402, F403
from jax_tests import assert_close, assert_same, bj, integers, jnp  # noqa: E402
from pages import examples  # noqa: E402

import bifold  # noqa: E402


@pytest.fixture(autouse=True)
def on_the_cpu():
    try:
        bj.use_cpu("opencl:cpu")
    except bifold.Unavailable as absent:
        pytest.skip(str(absent))
    with jax.default_device(jax.devices("cpu")[0]):
        yield


def test_arrays_may_be_split_among_devices():
    if len(jax.devices("cpu")) < 2:
        pytest.skip("JAX was asked for its devices before")
    x = integers(2, 3, 4)
    mesh = jax.make_mesh(
        (2,), ("d",), devices=jax.devices("cpu")[:2], axis_types=(jax.sharding.AxisType.Explicit,)
    )
    split = jax.sharding.PartitionSpec("d")

    def loss(cumsum, total, x):
        return total(cumsum(x, 1) * total(x, 0)) + total(cumsum(x, 0) ** 2)

    wanted = jax.grad(lambda x: loss(jnp.cumsum, jnp.sum, x))(x)
    with jax.set_mesh(mesh):
        y = jax.device_put(x, jax.NamedSharding(mesh, split))
        assert_close(jax.jit(jax.grad(lambda x: loss(bj.cumsum, bj.sum, x)))(y), wanted)
        mapped = jax.shard_map(lambda x: bj.cumsum(x, 1), in_specs=split, out_specs=split)
        assert_same(mapped(y), jnp.cumsum(x, 1))


def test_a_device_is_named():
    with pytest.raises(bifold.Unavailable, match="opencl:99"):
        bj.use_cpu("opencl:99")
    with pytest.raises(bifold.WrongType):
        bj.use_cpu(0)
    # Programs that are there find the new one.
    program, x = jax.jit(bj.cumsum), integers(5)
    program(x)
    bj.use_cpu("opencl:0")
    assert_same(program(x), jnp.cumsum(x))


def interpreted(text):
    """What another process says at its end."""
    done = subprocess.run([sys.executable, "-c", text], check=False, stderr=subprocess.PIPE)
    return done.stderr.decode()


def test_the_package_does_not_import_jax():
    assert interpreted("import bifold, sys; assert 'jax' not in sys.modules") == ""


def test_an_installation_without_the_handlers_says_so():
    text = "import sys; sys.modules['bifold._jax'] = None; import bifold.jax"
    last = interpreted(text).splitlines()[-1]
    assert last.startswith("ImportError: this installation of bifold was built without JAX")
    assert "-DBIFOLD_JAX_INCLUDE=" in last


def test_the_examples_of_the_page(capsys):
    (program,) = examples("JAX")
    first = examples("First calls")[1].split("\n\n")[2]
    names = {}
    exec(program, names)
    assert (
        capsys.readouterr().out.split()
        == "[[ 0. 1. 3.] [ 3. 7. 12.]] [[ 6. 10. 14.] [ 6. 10. 14.]]".split()
    )
    exec(first, names)
    assert names["places"].tolist() == list(range(1, 1001))
