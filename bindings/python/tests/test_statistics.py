"""Mean, variance, norm and logarithms of sums of exponentials, beside NumPy's."""

import numpy as np
import pytest

import bifold

TYPES = ["i1", "u2", "i4", "u8", "f2", "f4", "f8"]


def numbers(shape, dtype="f4", seed=0):
    random = np.random.default_rng(seed)
    low = 0 if np.dtype(dtype).kind == "u" else -50
    return random.uniform(low, 100, shape).astype(dtype)


def exact_logsumexp(x, axis=None, keepdims=False):
    wide = x.astype(np.float64)
    top = wide.max(axis=axis, keepdims=True)
    sums = np.log(np.exp(wide - top).sum(axis=axis, keepdims=True)) + top
    return sums if keepdims else np.squeeze(sums, axis)


@pytest.mark.parametrize("dtype", TYPES)
def test_all_elements_give_scalars_as_numpy_has_them(queue, dtype):
    x = numbers((30, 40), dtype)
    wide = x.astype(np.float64)
    out = np.dtype("f8" if x.dtype.kind in "iu" or dtype == "f8" else "f4")
    near = {"rtol": 1e-6 if out == "f4" else 1e-12}
    for got, want in (
        (bifold.mean(x, queue=queue), wide.mean()),
        (bifold.variance(x, queue=queue), wide.var()),
        (bifold.variance(x, ddof=1, queue=queue), wide.var(ddof=1)),
        (bifold.norm(x, queue=queue), np.linalg.norm(wide)),
        (bifold.logsumexp(x, queue=queue), exact_logsumexp(x)),
    ):
        assert isinstance(got, np.generic) and got.dtype == out
        np.testing.assert_allclose(got, want, **near)
    both = bifold.variance_mean(x, ddof=1, queue=queue)
    assert both[0] == bifold.variance(x, ddof=1, queue=queue) and isinstance(both[1], np.generic)
    np.testing.assert_allclose(both[1], wide.mean(), **near)


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes_give_an_array_of_the_kind_of_x(queue, axis, keepdims):
    x = numbers((6, 5, 40))
    where = {"axis": axis, "keepdims": keepdims}
    own = bifold.to_device(x, queue)
    for function, want, more in (
        (bifold.mean, np.mean, {}),
        (bifold.variance, np.var, {"ddof": 2}),
        (bifold.norm, lambda x, **how: np.sqrt(np.sum(x * x, **how)), {}),
        (bifold.logsumexp, exact_logsumexp, {}),
    ):
        got = function(own, **where, **more)
        assert isinstance(got, bifold.Array) and got.dtype == np.float32
        np.testing.assert_allclose(got.get(), want(x.astype("f8"), **where, **more), rtol=1e-5)
        of_host = function(x, queue=queue, **where, **more)
        assert of_host.tobytes() == got.get().tobytes()
        out = bifold.empty(got.shape, np.float64, queue)
        assert function(own, out, **where, **more) is out
        assert (
            out.get().astype("f4").tobytes() == got.get().tobytes() or function is bifold.logsumexp
        )
    variance, mean = bifold.variance_mean(own, ddof=1, **where)
    assert isinstance(variance, bifold.Array) and isinstance(mean, bifold.Array)
    np.testing.assert_allclose(variance.get(), x.astype("f8").var(ddof=1, **where), rtol=1e-5)
    np.testing.assert_allclose(mean.get(), x.astype("f8").mean(**where), rtol=1e-5)


def test_each_line_has_the_bits_that_it_has_alone(queue):
    x = numbers((7, 300), seed=3)
    for function in (bifold.mean, bifold.variance, bifold.norm, bifold.logsumexp):
        alone = [function(row, queue=queue) for row in x]
        assert function(x, axis=1, queue=queue).tolist() == alone
        across = function(x.T.copy(), axis=0, queue=queue)
        assert across.tolist() == alone


def test_a_call_repeats_with_other_arrays(queue):
    for seed in range(4):
        x = numbers(500, seed=seed)
        own = bifold.to_device(x, queue)
        np.testing.assert_allclose(bifold.mean(own), x.astype("f8").mean(), rtol=1e-6)
        np.testing.assert_allclose(bifold.norm(own), np.linalg.norm(x.astype("f8")), rtol=1e-6)
        np.testing.assert_allclose(bifold.logsumexp(own), exact_logsumexp(x), rtol=1e-6)
        running = bifold.cumulative_logsumexp(own).get()
        np.testing.assert_allclose(running, np.logaddexp.accumulate(x.astype("f8")), rtol=1e-6)
        rows = bifold.to_device(x.reshape(20, 25), queue)
        means = bifold.mean(rows, axis=1).get()
        np.testing.assert_allclose(means, x.reshape(20, 25).mean(axis=1), rtol=1e-5)


def test_running_logsumexp_along_axes_in_reverse_and_in_place(queue):
    x = numbers((5, 60), seed=5)
    want = np.logaddexp.accumulate(x.astype("f8"), axis=1)
    got = bifold.cumulative_logsumexp(x, axis=1, queue=queue)
    np.testing.assert_allclose(got, want, rtol=1e-6)
    back = bifold.cumulative_logsumexp(x[:, ::-1], axis=1, reverse=True, queue=queue)
    assert back[:, ::-1].tobytes() == got.tobytes()
    y = x.copy()
    assert bifold.cumulative_logsumexp(y, y, axis=1, queue=queue) is y
    assert y.tobytes() == got.tobytes()


def test_complex_numbers(queue):
    x = np.array([[1 + 2j, 3 - 5j, -1 + 9j], [3, 4j, 0]], np.complex64)
    np.testing.assert_allclose(bifold.mean(x, queue=queue), x.mean(), rtol=1e-6)
    assert bifold.mean(x, axis=1, queue=queue).dtype == np.complex64
    assert bifold.mean(x, dtype=np.complex128, queue=queue).dtype == np.complex128
    norms = bifold.norm(x, axis=1, queue=queue)
    assert norms.dtype == np.float32
    np.testing.assert_allclose(norms, np.linalg.norm(x, axis=1), rtol=1e-6)
    with pytest.raises(bifold.InvalidArgument, match="real numbers"):
        bifold.variance(x, queue=queue)


def test_nothing_and_what_is_no_number(queue):
    nothing = np.empty(0, np.float32)
    assert np.isnan(bifold.mean(nothing, queue=queue))
    assert np.isnan(bifold.variance(nothing, queue=queue))
    assert bifold.norm(nothing, queue=queue) == 0
    assert bifold.logsumexp(nothing, queue=queue) == -np.inf
    x = np.array([1, np.inf, 2], np.float32)
    assert bifold.mean(x, queue=queue) == np.inf and np.isnan(bifold.variance(x, queue=queue))
    tiny = np.array([3e-300, 4e-300])
    np.testing.assert_allclose(bifold.norm(tiny, queue=queue), 5e-300, rtol=1e-15)


def test_what_cannot_be_meant_is_refused(queue):
    x = np.ones(5, np.float32)
    with pytest.raises(bifold.InvalidArgument, match="f32 or f64"):
        bifold.mean(x, accumulate=np.int32, queue=queue)
    with pytest.raises(bifold.InvalidArgument, match="floating"):
        bifold.norm(x, dtype=np.int32, queue=queue)
    with pytest.raises(bifold.InvalidArgument, match="shape"):
        bifold.mean(x, np.zeros(2, np.float32), queue=queue)
    assert bifold.mean(x, accumulate=np.float32, queue=queue) == 1
