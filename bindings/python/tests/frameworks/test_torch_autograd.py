"""What bifold.torch leaves to PyTorch, and tells it: transforms in transforms, and outputs."""

import pytest

import bifold

torch = pytest.importorskip("torch")
pytest.register_assert_rewrite("tensors")

# ruff: noqa: E402
import tensors
from tensors import ALL, PAIRS, PLACES, SCANS, own, registered

import bifold.torch as functions

pytestmark = pytest.mark.usefixtures("cpu_tensors")


@registered
@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod"])
def test_gradients_of_what_is_mapped(name):
    def loss(function):
        return lambda x: (torch.vmap(lambda x: function(x, 0), 1)(x) ** 2).sum()

    x = tensors.with_zeros((3, 2), "cpu").detach()
    found, wanted = loss(own(name)), loss(getattr(torch, name))
    torch.testing.assert_close(torch.func.grad(found)(x), torch.func.grad(wanted)(x))
    if name == "cumprod":
        found, wanted = (lambda x, f=f: f(x, 0) for f in (functions.cumprod, torch.cumprod))
        twice = [torch.func.jacrev(torch.func.jacrev(f))(x[:, 0]) for f in (found, wanted)]
        torch.testing.assert_close(*twice)


@pytest.mark.parametrize("name", ALL)
def test_gradients_of_what_an_output_was_are_refused(name):
    x, wanted = torch.ones(2, 2), torch.ones(2, 2, requires_grad=True)
    result = own(name)(x, 0)
    outputs = [torch.ones_like(one) for one in (result if name in PAIRS else [result])]
    products = [(wanted * out).sum() for out in outputs]
    own(name)(x, 0, out=tuple(outputs) if name in PAIRS else outputs[0])
    for product in products:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            product.backward()


def test_indices_are_written_whatever_requires_a_gradient():
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    for name in PLACES:
        place = torch.empty((), dtype=torch.int64)
        assert own(name)(x, 0, out=place) is place
        assert place == getattr(torch, name)(x)


@pytest.mark.parametrize("name", ALL)
def test_views_that_are_negated_have_their_values(name):
    x = torch.tensor([1 + 2j, 3 - 4j, 5 - 6j]).conj().imag
    assert x.is_neg()
    found = own(name)(x, 0)
    wanted = getattr(torch, name)(x.resolve_neg(), 0)
    for one, other in zip(found, wanted) if name in PAIRS else [(found, wanted)]:
        assert torch.equal(one, other)
    if name in SCANS:
        with pytest.raises(bifold.InvalidArgument, match="negated"):
            own(name)(torch.ones(3), 0, out=x)


@registered
@pytest.mark.parametrize("transform", ["hessian", "jacfwd"])
def test_gradients_of_the_forward_mode_are_unsupported(transform):
    for function in (functions.sum, functions.cumprod):
        derived = getattr(torch.func, transform)(lambda x, f=function: f(x, 0).sum())
        with pytest.raises(bifold.Unsupported, match=f"{function.__name__}.* forward mode"):
            derived(torch.ones(3))
