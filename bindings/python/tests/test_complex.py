"""Complex numbers: sums, products and scans, in any place, and what is not defined on them."""

import pickle

import numpy as np
import pytest
from exporters import DlpackExporter

import bifold


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


def numbers(shape, dtype=np.complex64):
    """Integers in both parts, whose sums are exact."""
    parts = np.random.default_rng(2).integers(-9, 9, (2, *np.atleast_1d(shape)))
    return (parts[0] + 1j * parts[1]).astype(dtype)


def turns(n):
    """Numbers whose products are exact."""
    return np.random.default_rng(3).choice([1, -1, 1j, -1j], n).astype(np.complex64)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_sums_and_products_are_those_of_numpy(dtype):
    x = numbers(4097, dtype)
    total = bifold.reduce(x)
    assert type(total) is dtype and total == x.sum()
    assert bifold.reduce(x, init=1 - 2j) == x.sum() + (1 - 2j)
    # Numbers of Python are rounded, each part by itself.
    assert bifold.reduce(x[:0], init=0.1 - 0.3j) == dtype(0.1 - 0.3j)
    product = bifold.reduce(turns(1001).astype(dtype), "multiplies")
    assert type(product) is dtype and product == turns(1001).prod()
    out = np.zeros(1, dtype)
    bifold.reduce_into(x, out, init=dtype(3j))
    assert out[0] == x.sum() + 3j


def test_scans_are_those_of_numpy(queue):
    host = numbers(5000)
    running = host.cumsum()
    for x in (host, bifold.to_device(host, queue)):
        found = bifold.inclusive_scan(x, queue=queue)
        assert found.dtype == np.complex64
        np.testing.assert_array_equal(found if x is host else found.get(), running)
    found = bifold.exclusive_scan(host, init=2j, queue=queue)
    np.testing.assert_array_equal(found, running - host + np.complex64(2j))
    found = bifold.exclusive_scan(turns(300), op="multiplies", queue=queue)
    np.testing.assert_array_equal(found[1:], turns(300).cumprod()[:-1])
    assert found[0] == 1
    found = bifold.inclusive_scan(host, reverse=True, queue=queue)
    np.testing.assert_array_equal(found, host[::-1].cumsum()[::-1])


def test_axes_and_an_init_for_each_line(queue):
    x = numbers((30, 40))
    np.testing.assert_array_equal(bifold.reduce(x, axis=0, queue=queue), x.sum(0))
    starts = numbers(30)
    found = bifold.inclusive_scan(x, axis=1, init=starts, queue=queue)
    np.testing.assert_array_equal(found, x.cumsum(1) + starts[:, None])


def test_inner_products_conjugate_nothing(queue):
    x, y = numbers((20, 7)), numbers((20, 7))[::-1].copy()
    assert bifold.inner_product(x, y, queue=queue) == (x * y).sum()
    found = bifold.inner_product(x, y, axis=1, queue=queue)
    np.testing.assert_array_equal(found, (x * y).sum(1))
    text = "make_complex64(x.re * y.re + x.im * y.im, x.re * y.im - x.im * y.re)"
    assert bifold.transform_reduce(x, text, y=y, queue=queue) == np.vdot(x, y)


def test_maps_see_the_parts(queue):
    x = numbers(999)
    square = "x.re * x.re + x.im * x.im"
    found = bifold.transform_reduce(x, square, dtype=np.float32, queue=queue)
    assert type(found) is np.float32 and found == (abs(x.astype(complex)) ** 2).sum().round()
    assert bifold.count_if(x, "x.im > 0", queue=queue) == (x.imag > 0).sum()
    reals = x.real.copy()
    found = bifold.transform_reduce(reals, "make_complex64(0, x)", dtype="c8", queue=queue)
    assert found == 1j * reals.sum()


def test_tensors_of_dlpack_are_complex():
    x = numbers(10, np.complex128)
    exporter = DlpackExporter(x)
    assert bifold.reduce(exporter) == x.sum()
    assert exporter.deleted == 1


def test_nothing_and_the_signs_of_zeros():
    nothing = np.zeros(0, np.complex64)
    assert bifold.reduce(nothing, "multiplies") == 1
    for part in (bifold.reduce(nothing).real, bifold.reduce(nothing).imag):
        assert part == 0 and not np.signbit(part)
    one = np.array([complex(-0.0, -0.0)], np.complex64)
    assert np.signbit(bifold.reduce(one).real) and np.signbit(bifold.reduce(one).imag)
    neutral = bifold.identity("plus", np.complex64)
    assert np.signbit(neutral.real) and np.signbit(neutral.imag)
    start = bifold.reduce(one, init=complex(-0.0, -0.0))
    assert np.signbit(start.real) and np.signbit(start.imag)


def test_an_operator_of_complex_numbers_is_pickled():
    last = pickle.loads(pickle.dumps(bifold.Operator("last", "b", dtype=np.complex64)))
    assert bifold.reduce(numbers(50), last) == numbers(50)[-1]
    swapped = bifold.Operator("sum", "make_complex64(a.re + b.re, a.im + b.im)", 0j, "c8")
    assert bifold.reduce(numbers(50), swapped) == numbers(50).sum()


X = np.ones(3, np.complex64)


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("maximum is not defined on complex64", lambda: bifold.reduce(X, "maximum")),
        ("bit_or is not defined on complex64", lambda: bifold.inclusive_scan(X, op="bit_or")),
        ("only a map", lambda: bifold.reduce(X, dtype=np.float32)),
        ("only a map", lambda: bifold.reduce(X.real.copy(), dtype=np.complex64)),
        ("only a map", lambda: bifold.reduce(X, dtype=np.complex128)),
        ("complex64", lambda: bifold.argmin(X)),
        ("no extremes", lambda: bifold.argmax(X.reshape(1, 3), axis=1)),
        ("complex64", lambda: bifold.minmax(X)),
        ("complex64", lambda: bifold.sum_compensated(X)),
        ("complex64", lambda: bifold.inner_product(X, X.real.copy())),
        ("one dtype", lambda: bifold.inner_product(*[X.reshape(1, 3)] * 2, axis=1, dtype="c16")),
        ("does not hold", lambda: bifold.reduce(X, init=np.complex128(0.1j), dtype="c8")),
        ("no number that fits", lambda: bifold.reduce(X.real.copy(), init=1j)),
        ("no identity", lambda: bifold.identity("multiplies", np.complex64)),
        ("element types are", lambda: bifold.reduce(np.ones(3, np.clongdouble))),
        (
            "no field may be complex64",
            lambda: bifold.struct_type("OfComplex", np.dtype([("x", np.complex64)])),
        ),
    ],
)
def test_what_is_not_defined_is_refused(message, call):
    with pytest.raises(bifold.InvalidArgument, match=message):
        call()
