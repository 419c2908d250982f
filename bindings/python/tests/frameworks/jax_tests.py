"""What bifold.jax does on any device of JAX's: test_jax.py and test_jax_cuda.py choose it."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from threads import run_threads

import bifold
import bifold.jax as bj

SCANS = {"cumsum": jnp.cumsum, "cumprod": jnp.cumprod}
SCANS |= {"cummax": jax.lax.cummax, "cummin": jax.lax.cummin}
REDUCTIONS = {"sum": jnp.sum, "prod": jnp.prod, "max": jnp.max, "min": jnp.min}


def integers(*shape, dtype=np.float32, seed=0):
    """Small integers, whose sums and short products floats hold."""
    return jnp.asarray(np.random.default_rng(seed).integers(0, 4, shape)).astype(dtype)


def assert_same(made, wanted):
    assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(np.asarray(made), np.asarray(wanted))


def assert_close(made, wanted):
    assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_allclose(np.asarray(made), np.asarray(wanted), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_axes_of_a_scan(axis):
    x = integers(2, 3, 4)
    assert_same(bj.cumsum(x, axis), jnp.cumsum(x, axis))
    if axis == 1:
        assert_same(bj.cumsum(x, axis, reverse=True), jax.lax.cumsum(x, axis, reverse=True))


@pytest.mark.parametrize("name", SCANS)
def test_scans_are_those_of_jax(name):
    x = integers(5, 7) - 1
    assert_same(getattr(bj, name)(x, 1), SCANS[name](x, axis=1))


@pytest.mark.parametrize("axis", [None, (), 1, -1, (0, 1), (2, 0)])
def test_axes_of_a_reduction(axis):
    x = integers(2, 3, 4) - 1
    for keepdims in (False, True):
        assert_same(bj.sum(x, axis, keepdims), jnp.sum(x, axis, keepdims=keepdims))


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_are_those_of_jax(name):
    x = integers(5, 7) - 1
    assert_same(getattr(bj, name)(x, axis=1), REDUCTIONS[name](x, axis=1))


@pytest.mark.parametrize("dtype", "int8 uint32 float16 bfloat16 bool".split())
def test_dtypes_are_those_of_jax(dtype):
    x = integers(9, dtype=dtype)
    assert_same(bj.cumsum(x), jnp.cumsum(x))
    if dtype == "int8":
        assert_same(bj.sum(x), jnp.sum(x))
    if dtype == "bool":
        assert_same(bj.max(x), jnp.max(x))


def test_complex_numbers_and_their_derivatives():
    x = (integers(4, 5) - 3 + 1j * (integers(4, 5) % 3)).astype(np.complex64)
    assert_same(bj.cumsum(x, 1), jnp.cumsum(x, 1))
    assert_same(bj.prod(x[:2], 0), jnp.prod(x[:2], 0))
    assert_same(bj.sum(x.real, dtype=np.complex64), jnp.sum(x.real, dtype=np.complex64))

    def loss(function):
        return lambda x: (abs(function(x, 1)) ** 2).sum()

    for found, wanted in ((bj.sum, jnp.sum), (bj.cumsum, jnp.cumsum), (bj.prod, jnp.prod)):
        np.testing.assert_allclose(jax.grad(loss(found))(x), jax.grad(loss(wanted))(x), rtol=1e-4)


def test_a_result_has_the_dtype_that_is_asked_for():
    x = integers(9, dtype=np.int8)
    assert_same(bj.sum(x, dtype=np.float32), jnp.sum(x, dtype=np.float32))
    assert_same(bj.cumsum(x, dtype="int16"), jnp.cumsum(x, dtype="int16"))
    x = x + np.float32(0.5)
    assert_same(bj.cumsum(x, dtype=np.int32), jnp.cumsum(x, dtype=np.int32))


def test_elements_of_64_bits():
    with jax.enable_x64(True):
        x = integers(9, dtype=np.int64) + 2**40
        assert_same(bj.cumsum(x), jnp.cumsum(x))
        x = integers(9, dtype=np.float64) / 2**40
        assert_same(bj.sum(x), jnp.sum(x))
        assert jax.eval_shape(bj.sum, integers(9, dtype=np.int32)).dtype == np.int64


def test_bits_are_those_of_the_package():
    x = np.random.default_rng(1).standard_normal((2, 33, 4)).astype(np.float32)
    assert_same(bj.cumsum(jnp.asarray(x), 1), bifold.inclusive_scan(x, axis=1))
    assert_same(bj.sum(jnp.asarray(x), (0, 2)), bifold.reduce(x, axis=(0, 2)))


def test_nothing_is_scanned_and_reduced():
    x = jnp.zeros((3, 0, 2))
    assert_same(bj.cumsum(x, 1), x)
    for axis in (0, 1, None):
        assert_same(bj.sum(x, axis), jnp.sum(x, axis))
    assert_same(bj.prod(x, 1), jnp.prod(x, 1))
    assert_same(bj.max(x, 0), jnp.max(x, 0))
    with pytest.raises(bifold.InvalidArgument, match="max of no elements"):
        bj.max(x, 1)


def test_a_mapped_axis_is_another_dimension():
    x = integers(2, 3, 4, 5)
    for mapped in range(4):
        over = functools.partial(jax.vmap, in_axes=mapped, out_axes=mapped)
        assert_same(over(lambda r: bj.cumsum(r, 1))(x), over(lambda r: jnp.cumsum(r, 1))(x))
        for axis in ((0, 1), (0, 2), (0, 1, 2)):
            made = jax.vmap(functools.partial(bj.sum, axis=axis), in_axes=mapped)(x)
            assert_same(made, jax.vmap(functools.partial(jnp.sum, axis=axis), in_axes=mapped)(x))
    twice = jax.make_jaxpr(jax.vmap(jax.vmap(bj.cumsum, in_axes=1), in_axes=1))(x[0])
    text = str(twice)
    assert text.count("bifold_scan[") == 1 and "while" not in text and "scan[" in text


def test_programs_are_compiled_and_run_without_jit():
    x = integers(3, 4)

    def program(x):
        return jax.lax.scan(lambda c, r: (c + bj.sum(r), bj.cumsum(r)), jnp.float32(0), x)

    wanted = jnp.sum(x), jnp.cumsum(x, 1)
    for made in (jax.jit(program)(x), program(x)):
        assert_same(made[0], wanted[0])
        assert_same(made[1], wanted[1])
    with jax.disable_jit():
        assert_same(bj.cumsum(x, 1), wanted[1])


def derivatives(function, x):
    """By every way that JAX has to them."""
    yield jax.jacrev(function)(x)
    yield jax.jacfwd(function)(x)
    yield jax.jit(jax.jacrev(function))(x)


@pytest.mark.parametrize("reverse", [False, True])
def test_derivatives_of_a_cumulative_sum(reverse):
    x = integers(2, 3)
    wanted = jax.jacrev(lambda x: jax.lax.cumsum(x * x, 1, reverse=reverse))(x)
    for one in derivatives(lambda x: bj.cumsum(x * x, 1, reverse=reverse), x):
        assert_close(one, wanted)


def test_second_derivatives():
    x = integers(3)
    wanted = jax.hessian(lambda x: jnp.sum(jnp.cumsum(x) ** 3))(x)
    assert_close(jax.hessian(lambda x: bj.sum(bj.cumsum(x) ** 3))(x), wanted)


@pytest.mark.parametrize("axis", [1, (0, 2), None])
def test_derivatives_of_a_sum(axis):
    x = integers(2, 3, 2)
    wanted = jax.jacrev(lambda x: jnp.sum(x * x, axis))(x)
    for one in derivatives(lambda x: bj.sum(x * x, axis), x):
        assert_close(one, wanted)


def test_a_derivative_of_what_is_mapped_and_compiled():
    x = integers(3, 4)

    def loss(cumsum, total, x):
        each = jax.vmap(jax.jit(lambda r: total(cumsum(r) * r)))
        return total(each(x) ** 2)

    made = jax.grad(functools.partial(loss, bj.cumsum, bj.sum))(x)
    assert_close(made, jax.grad(functools.partial(loss, jnp.cumsum, jnp.sum))(x))


@pytest.mark.parametrize("name", ["cumprod", "cummax", "prod", "min"])
def test_derivatives_at_zeros_and_ties(name):
    x = jnp.float32([[2, 0, 3, 0], [0, 1, 1, 5], [3, 3, 3, 1]])
    of = SCANS.get(name) or REDUCTIONS[name]
    wanted = jax.jacrev(lambda x: of(x, axis=1))(x)
    for one in derivatives(lambda x: getattr(bj, name)(x, axis=1), x):
        assert_close(one, wanted)


def test_derivatives_where_dtypes_differ():
    x = integers(5, dtype=jnp.bfloat16)
    made = jax.grad(lambda x: bj.cumsum(x, dtype=np.float32)[-1])(x)
    assert_same(made, jax.grad(lambda x: jnp.cumsum(x, dtype=np.float32)[-1])(x))
    made = jax.grad(lambda x: bj.sum(x, dtype=np.float32))(x)
    assert_same(made, jnp.ones_like(x))


def test_integers_have_no_derivative():
    x = jnp.arange(4)
    with pytest.raises(TypeError, match="grad requires real"):
        jax.grad(bj.sum)(x)
    _, tangent = jax.jvp(bj.cumsum, (x,), (np.zeros(4, jax.dtypes.float0),))
    assert tangent.dtype == jax.dtypes.float0


def test_wrong_arguments_are_refused():
    x = jnp.zeros((2, 3))
    for call in (bj.cumsum, bj.sum):
        with pytest.raises(bifold.InvalidArgument, match="axis 2 of an array of 2 dimensions"):
            call(x, axis=2)
        with pytest.raises(bifold.WrongType, match="axis must be"):
            call(x, axis="rows")
        with pytest.raises(bifold.InvalidArgument, match="results of float32 are not made of com"):
            call(x.astype(np.complex64), dtype=np.float32)
        with pytest.raises(bifold.InvalidArgument, match="results of bool are not made"):
            call(x, dtype=bool)
        with pytest.raises(bifold.WrongType, match="x must be an array of JAX"):
            call("x")
        with pytest.raises(bifold.InvalidArgument, match="x must be an array of JAX"):
            call(2**70)
    for call in (bj.max, bj.cummin):
        with pytest.raises(bifold.InvalidArgument, match="no extremes"):
            call(x.astype(np.complex64))
    with pytest.raises(bifold.InvalidArgument, match="names one twice"):
        bj.sum(x, axis=(1, -1))


def test_a_failure_of_a_program_has_the_librarys_message():
    from bifold import _primitives

    x = jnp.zeros(3)
    wrong = jax.jit(lambda x: _primitives.scan(x, "bit_and", 0, False, x.dtype))
    with pytest.raises(jax.errors.JaxRuntimeError, match="INVALID_ARGUMENT: bifold: .*bit_and"):
        jax.block_until_ready(wrong(x))
    assert_same(bj.cumsum(x), x)


def test_threads_run_programs_at_the_same_time():
    program = jax.jit(lambda x: bj.sum(bj.cumsum(x, 1), 0))
    arrays = [integers(20, 30, seed=seed) for seed in range(4)]
    wanted = [jnp.sum(jnp.cumsum(x, 1), 0) for x in arrays]

    def work(number):
        for _ in range(10):
            assert_same(program(arrays[number]), wanted[number])

    run_threads(work)
