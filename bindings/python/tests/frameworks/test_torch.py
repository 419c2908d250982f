"""Tensors of PyTorch in the host's memory, where PyTorch is installed."""

import numpy as np
import pytest

import bifold

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


@pytest.mark.parametrize(
    "name",
    "int8 int16 int32 int64 uint8 float16 float32 float64 complex64 complex128".split(),
)
def test_a_tensor_is_read(name):
    x = torch.arange(10).to(getattr(torch, name))
    assert bifold.reduce(x) == 45
    assert bifold.reduce(x).dtype == np.dtype(name)
    np.testing.assert_array_equal(bifold.inclusive_scan(x), np.arange(10).cumsum())


def test_bfloat16_is_what_ml_dtypes_has():
    dtypes = pytest.importorskip("ml_dtypes")
    x = torch.ones(3, dtype=torch.bfloat16)
    assert bifold.reduce(x) == 3
    assert bifold.inclusive_scan(x).dtype == dtypes.bfloat16


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.T,
        lambda x: x[:, ::2],
        lambda x: x[1:, 2:3],
        lambda x: x[:0],
        lambda x: x[2, 3],
        lambda x: x[:1].expand(3, 6),
    ],
)
def test_any_layout_is_read(view):
    x = view(torch.arange(24).reshape(4, 6))
    assert bifold.reduce(x) == int(x.sum())


def test_a_tensor_is_written():
    memory = torch.zeros(20, dtype=torch.int64)
    for out in (memory[:10], memory[1::2]):
        assert bifold.inclusive_scan(torch.ones(10, dtype=torch.int64), out) is out
        assert out.tolist() == list(range(1, 11))


def test_a_tensor_is_scanned_in_place():
    x = torch.ones(10)
    assert bifold.inclusive_scan(x, x) is x
    assert x.tolist() == list(range(1, 11))


def test_other_calls_take_tensors():
    assert bifold.inner_product(torch.ones(4), torch.arange(4, dtype=torch.float32)) == 6
    assert bifold.argmax(torch.tensor([1.0, 5.0, 2.0])).index == 1
    assert bifold.reduce(torch.ones(3, dtype=torch.int32), init=torch.tensor(5)) == 8


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.ones(3, requires_grad=True),
        lambda: torch.nn.Parameter(torch.ones(3)),
        lambda: torch.ones(3, dtype=torch.bool),
        lambda: torch.ones(3, dtype=torch.complex32),
        lambda: torch.ones(3, dtype=torch.complex64).conj(),
        lambda: torch.ones(3, dtype=torch.complex64).conj().imag,
        lambda: torch.eye(3).to_sparse(),
    ],
)
def test_what_is_no_plain_memory_is_an_invalid_argument(make):
    with pytest.raises(bifold.InvalidArgument):
        bifold.reduce(make())


def test_an_output_that_cannot_take_the_result_is_refused():
    for out in (torch.zeros(1).expand(3), torch.zeros(3, requires_grad=True), torch.zeros(4)):
        with pytest.raises(bifold.InvalidArgument):
            bifold.inclusive_scan(np.ones(3, np.float32), out)
