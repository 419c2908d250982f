"""Repeated calls along axes: they are known as those on one array are."""

import numpy as np
import pytest
from repeats import N, known

import bifold

pytest_plugins = "repeats"
pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize(
    "view", [lambda x: x, lambda x: x[:, ::2], lambda x: x.T], ids=["whole", "every other", "T"]
)
def test_calls_along_an_axis_are_known(queue, made, view, axis):
    host = np.random.default_rng(3).integers(0, 9, (6, 40), np.int32)
    x, host = view(bifold.to_device(host, queue)), view(host)
    want = host.sum(axis, dtype=np.int32)
    for total in known(made, lambda: bifold.reduce(x, axis=axis)):
        np.testing.assert_array_equal(total.get(), want)
    kept = bifold.empty(np.expand_dims(want, axis).shape, np.int32, queue)
    known(made, lambda: bifold.reduce_into(x, kept, axis=axis, keepdims=True))
    np.testing.assert_array_equal(kept.get(), np.expand_dims(want, axis))
    out, indices = bifold.empty(x.shape, np.int32, queue), bifold.empty(want.shape, "i8", queue)
    known(made, lambda: bifold.inclusive_scan(x, out, axis=axis))
    np.testing.assert_array_equal(out.get(), host.cumsum(axis))
    known(made, lambda: bifold.exclusive_scan(x, out, axis=axis, reverse=True))
    backward = np.flip(np.flip(host, axis).cumsum(axis), axis) - host
    np.testing.assert_array_equal(out.get(), backward)
    known(made, lambda: bifold.argmax_into(x, indices, axis=axis))
    np.testing.assert_array_equal(indices.get(), host.argmax(axis))


def test_calls_along_several_axes_are_known(queue, made):
    host = np.arange(4 * 5 * 6, dtype=np.int32).reshape(4, 5, 6)
    x = bifold.to_device(host, queue)
    for axis in ((0, 1), (1, 2), (0, -2), (2,), (0, 1, 2)):
        for total in known(made, lambda axis=axis: bifold.reduce(x, axis=axis, keepdims=True)):
            np.testing.assert_array_equal(total.get(), host.sum(axis, keepdims=True))


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("on_device", [True, False])
def test_along_the_one_axis_of_an_array_it_may_have_any_size(queue, made, on_device, axis):
    def here(array):
        return bifold.to_device(array, queue) if on_device else array

    def there(array):
        return array.get() if on_device else array

    x, total = here(np.ones(N, np.int32)), here(np.zeros((), np.int32))
    index, out = here(np.zeros((), np.uint64)), here(np.zeros(2 * N, np.int32))
    for _ in range(2):
        bifold.reduce_into(x, total, axis=axis)
        bifold.argmin_into(x, index, axis=axis)
        bifold.inclusive_scan(x, out[:N], axis=axis)
        bifold.reduce(x, axis=axis)
    made.clear()
    for n in (2, 7, 2 * N):
        host = np.arange(n, 0, -1, dtype=np.int32)
        array = here(host)
        assert there(bifold.reduce_into(array, total, axis=axis))[()] == host.sum()
        assert there(bifold.argmin_into(array, index, axis=axis))[()] == n - 1
        scanned = there(bifold.inclusive_scan(array, out[:n], axis=axis))
        np.testing.assert_array_equal(scanned, host.cumsum())
        if on_device:
            assert bifold.reduce(array, axis=axis).get() == host.sum()
    assert not made
    for wrong in (np.zeros(1, np.int32), np.zeros((1, 1), np.int32)):
        for _ in range(2):
            with pytest.raises(bifold.InvalidArgument, match="shape"):
                bifold.reduce_into(x, here(wrong), axis=axis)
    with pytest.raises(bifold.InvalidArgument, match="axis 1"):
        bifold.reduce_into(x, total, axis=1)


@pytest.mark.parametrize("on_device", [True, False])
def test_everyday_reductions_along_axes_are_known(queue, made, on_device):
    host = np.random.default_rng(5).integers(-50, 50, (20, 30)).astype(np.float32)
    x = bifold.to_device(host, queue) if on_device else host
    bifold.reduce(x, axis=0)  # The class of arrays is known.
    bifold.reduce(host)
    above = (host > 10).sum(1)
    for found in known(made, lambda: bifold.argmin(x, axis=1)):
        assert type(found) is bifold.Indexed and found.index.dtype == np.uint64
        np.testing.assert_array_equal(found.value, host.min(1))
        np.testing.assert_array_equal(found.index, host.argmin(1))
    for found in known(made, lambda: bifold.minmax(x, axis=0, keepdims=True)):
        np.testing.assert_array_equal(found, (host.min(0)[None], host.max(0)[None]))
    for counts in known(made, lambda: bifold.count_if(x, "x > 10", axis=1)):
        np.testing.assert_array_equal(counts, above)
    for products in known(made, lambda: bifold.inner_product(x, x, axis=0)):
        np.testing.assert_array_equal(products, (host * host).sum(0))
    for sums in known(made, lambda: bifold.sum_compensated(x, axis=1)):
        np.testing.assert_array_equal(sums, host.sum(1))
    for total in known(made, lambda: bifold.argmax(x, axis=(0, 1))):
        assert total == (host.max(), host.argmax()) and type(total.value) is np.float32
    results = known(made, lambda: bifold.count_if(x, "x > 10", axis=0))
    assert len({id(one) for one in results}) == len(results)


def test_several_results_along_an_axis_are_no_other_call(queue):
    host = np.arange(12, dtype=np.int32).reshape(3, 4)
    x = bifold.to_device(host, queue)
    for _ in range(3):
        total, most = bifold.reduce_many(x, ["plus", "maximum"], axis=1)
        np.testing.assert_array_equal(total, host.sum(1))
        np.testing.assert_array_equal(most, host.max(1))
