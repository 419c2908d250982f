"""bifold.torch beside PyTorch's own functions, on tensors of the CPU."""

import subprocess
import sys

import numpy as np
import pytest

import bifold
from bifold import _calls

torch = pytest.importorskip("torch")
pytest.register_assert_rewrite("tensors")

# ruff: noqa: E402
import tensors
from pages import examples
from tensors import ALL, EXTREMES, PAIRS, PLACES, SCANS, TOTALS, compare, own, registered

import bifold.torch as functions

pytestmark = pytest.mark.usefixtures("cpu_tensors")


# Kernels take about a second to compile for a CPU: test_torch_cuda.py has all combinations.
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sum", torch.bool),
        ("prod", torch.int16),
        ("amax", torch.bfloat16),
        ("amax", torch.bool),
        ("amin", torch.uint8),
        ("argmax", torch.int8),
        ("argmin", torch.float16),
        ("cumsum", torch.bfloat16),
        ("cumprod", torch.int32),
        ("cummax", torch.int64),
        ("cummin", torch.float16),
        *(("cumsum", kind) for kind in tensors.UNSIGNED),
    ],
    ids=str,
)
def test_types(name, kind):
    compare(name, tensors.values(kind, (150,), products=name in ("prod", "cumprod")), 0)


@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod"])
def test_complex_values(name):
    parts = tensors.values(torch.float32, (2, 5, 3))
    x = torch.complex(*parts)
    compare(name, x, 0)
    compare(name, x.conj(), 1)
    found = getattr(functions, name)(parts[0], 1, dtype=torch.complex128)
    wanted = getattr(torch, name)(parts[0], 1, dtype=torch.complex128)
    torch.testing.assert_close(found, wanted)
    with pytest.raises(bifold.InvalidArgument, match="conjugated"):
        functions.cumsum(x, 0, out=x.conj())


@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod"])
def test_gradients_of_complex_values(name):
    x = torch.tensor([[1 + 2j, 0, 2j], [1.5, -1j, 3]], dtype=torch.complex64)
    for of in (x, x.real.clone(), x[:, ::2].conj()):
        found, wanted = (of.detach().clone().requires_grad_() for _ in range(2))
        results = getattr(functions, name)(found, 1, dtype=torch.complex64)
        # Conversions from real values have gradients since PyTorch 2.
        expected = getattr(torch, name)(wanted.to(torch.complex64), 1)
        for result in (results, expected):
            (result.abs() ** 2).sum().backward()
        assert found.grad.dtype == of.dtype
        torch.testing.assert_close(found.grad, wanted.grad)


@pytest.mark.parametrize("name", ["sum", "argmax", "cumsum", "cummax"])
def test_every_dimension(name):
    x = tensors.values(torch.float32, (3, 5, 4))
    for dim in (0, 1, 2, -3) if name in ("sum", "cumsum") else (1, -2):
        compare(name, x, dim)
        if name not in SCANS + PAIRS:
            compare(name, x, dim, True)
    if name == "cumsum":
        compare(name, x, -2, reverse=True)


@pytest.mark.parametrize("name", TOTALS + EXTREMES + PLACES)
def test_all_elements(name):
    for shape in ((1,), (1000,), (7, 11)):
        x = tensors.values(torch.int32, shape, products=name == "prod")
        compare(name, x)
    if name in EXTREMES:
        assert own(name)(x, keepdim=True).shape == (1, 1)


def test_several_dimensions():
    x = tensors.values(torch.float32, (3, 5, 4, 2))
    for dim in ((0, 1), (0, 2), (-1, 0), [1, 3], (0, 1, 2, 3), ()):
        compare("sum", x, dim)
        compare("sum", x, dim, True)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.T,
        lambda x: x[:, ::2],
        lambda x: x[1:, 3:4],
        lambda x: x[2],
        lambda x: x[:, 1],
        lambda x: x[:1].expand(4, 6),
        lambda x: x[:, :, None].expand(4, 6, 2).permute(2, 0, 1),
    ],
)
def test_any_layout(view):
    x = view(tensors.values(torch.float32, (4, 6)))
    for name in ("sum", "argmax", "cumsum"):
        compare(name, x, 0)
        compare(name, x, -1)
    for name in ("sum", "argmax"):
        compare(name, x)


def test_special_values():
    tensors.check_special_values("cpu", [torch.float32])


def test_zeros_of_both_signs():
    tensors.check_zeros_of_both_signs("cpu")


def test_no_elements_and_no_dimensions():
    tensors.check_shapes_of_nothing("cpu", ("sum", "argmin", "cumsum"))
    tensors.check_no_dimensions("cpu", [torch.float32])


@pytest.mark.parametrize(
    ("name", "kind", "wanted"),
    [
        ("sum", torch.int32, torch.int16),
        ("prod", torch.int8, torch.float32),
        ("cumsum", torch.float32, torch.int32),
        ("cumsum", torch.float32, torch.float64),
        ("cumprod", torch.bool, torch.int8),
    ],
    ids=str,
)
def test_the_type_of_the_result(name, kind, wanted):
    x = tensors.values(kind, (20,), products=True)
    compare(name, x, 0, dtype=wanted)
    out = torch.empty(0, dtype=wanted)
    assert own(name)(x, 0, out=out) is out
    tensors.assert_same(out, tensors.expected(name, x, 0, dtype=wanted))


def test_sums_of_halves_are_of_elements_that_these_do_not_hold():
    x = torch.tensor([70000.0, -70000, 1])
    for kind in (torch.float64, torch.int32):
        assert functions.sum(x.to(kind), dtype=torch.float16) == 1


def test_outputs_are_written():
    x = tensors.values(torch.float32, (4, 6))
    memory = torch.zeros(8, 6)
    out = memory[::2]
    assert functions.cumsum(x, 0, out=out) is out
    assert torch.equal(memory[::2], x.cumsum(0)) and not memory[1::2].any()
    out = torch.empty(4, 1)
    assert torch.equal(functions.sum(x, 1, True, out=out), x.sum(1, True))
    place = torch.empty((), dtype=torch.int64)
    assert functions.argmin(x, out=place) is place and int(place) == int(x.argmin())
    both = torch.empty(4, 6), torch.empty(4, 6, dtype=torch.int64)
    found = functions.cummax(x, 1, out=both)
    assert found.values is both[0] and found.indices is both[1]
    tensors.assert_same(found, tensors.expected("cummax", x, 1))
    y = x.clone()
    assert functions.cumsum(y, 1, out=y) is y and torch.equal(y, x.cumsum(1))


def test_a_result_is_none_of_the_inputs_memory():
    for name in ALL:
        x = torch.tensor(2.0)
        found = own(name)(x, 0)
        found = found[0] if isinstance(found, tuple) else found
        assert found.data_ptr() != x.data_ptr()


X = torch.ones(2, 3)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: functions.cumsum(X, 2), bifold.InvalidArgument),
        (lambda: functions.cumsum(X[0], 1), bifold.InvalidArgument),
        (lambda: functions.cumsum(X, 0.0), bifold.WrongType),
        (lambda: functions.cumsum(X[0], True), bifold.WrongType),
        (lambda: functions.cumsum([1.0], 0), bifold.WrongType),
        (lambda: functions.prod(np.ones(3), 0), bifold.WrongType),
        (lambda: functions.prod(X, (0, 1)), bifold.WrongType),
        (lambda: functions.argmax(X, "x"), bifold.WrongType),
        (lambda: functions.sum(X, (0, 0)), bifold.InvalidArgument),
        (lambda: functions.sum(X, (0, -2)), bifold.InvalidArgument),
        (lambda: functions.sum(X, dtype=torch.complex32), bifold.InvalidArgument),
        (lambda: functions.sum(X, dtype=torch.bool), bifold.InvalidArgument),
        (lambda: functions.sum(X.to(torch.complex64), dtype=torch.float32), bifold.InvalidArgument),
        (lambda: functions.cummax(X.to(torch.complex64), 0), bifold.InvalidArgument),
        (lambda: functions.amax(X[:0], 0), bifold.InvalidArgument),
        (lambda: functions.argmin(X[:0]), bifold.InvalidArgument),
        (lambda: functions.sum(X.to_sparse()), bifold.Unsupported),
        (lambda: functions.cumsum(X, 0, out=torch.empty(2)), bifold.InvalidArgument),
        (lambda: functions.amax(X, 0, out=torch.empty(3).long()), bifold.InvalidArgument),
        (lambda: functions.sum(X, 0, out=np.empty(3)), bifold.WrongType),
        (lambda: functions.cumsum(X, 0, out=X[:1].expand(2, 3)), bifold.InvalidArgument),
        (
            lambda: functions.sum(X, 0, out=torch.empty(3, requires_grad=True)),
            bifold.InvalidArgument,
        ),
    ],
)
def test_what_does_not_fit_is_a_typed_error(call, error):
    with pytest.raises(error):
        call()


def test_tensors_of_the_cpu_are_taken_where_that_is_said(device):
    with functions.use_cpu(None):
        with pytest.raises(bifold.InvalidArgument, match="use_cpu"):
            functions.sum(torch.ones(3))
        with functions.use_cpu(device.info.selector):
            assert functions.sum(torch.ones(3)) == 3
        with pytest.raises(bifold.InvalidArgument, match="use_cpu"):
            functions.cumsum(torch.ones(3), 0)
    with pytest.raises(bifold.WrongType):
        functions.use_cpu(3)
    place, _ = functions.use_cpu(device.info.selector), functions.use_cpu(None)
    with place:
        assert functions.sum(torch.ones(3)) == 3
    with pytest.raises(bifold.InvalidArgument, match="use_cpu"):
        functions.sum(torch.ones(3))
    functions.use_cpu(device.info.selector)
    assert functions.sum(torch.ones(3)) == 3


@pytest.mark.parametrize(
    "call",
    [
        functions.sum,
        functions.prod,
        lambda x: functions.cumsum(x, 0),
        lambda x: functions.cumsum(x, 0, reverse=True),
        lambda x: functions.cumprod(x, 0),
        lambda x: functions.cumprod(x, 0, reverse=True),
    ],
)
def test_gradients(call):
    for seed in (0, 3, 4):
        tensors.check_gradients(call, tensors.with_zeros((5,), "cpu", seed))


def test_gradients_along_a_dimension():
    x = tensors.with_zeros((2, 3), "cpu")
    for call in (
        lambda x: functions.sum(x, (0, 1)),
        lambda x: functions.prod(x, 1),
    ):
        assert torch.autograd.gradcheck(call, x)


def test_gradients_of_halves():
    tensors.check_narrow_gradients("cpu", torch.bfloat16, ("cumprod",))


def test_gradients_of_little():
    for shape in ((), (0,), (1,), (2, 0)):
        for name in ("sum", "cumprod"):
            x = torch.full(shape, 2.0, requires_grad=True)
            own(name)(x, 0).sum().backward()
            y = torch.full(shape, 2.0, requires_grad=True)
            getattr(torch, name)(y, 0).sum().backward()
            assert torch.equal(x.grad, y.grad)


def test_without_a_gradient_a_tensor_that_requires_one_is_unsupported():
    x = torch.ones(3, requires_grad=True)
    for name in EXTREMES + PAIRS:
        with pytest.raises(bifold.Unsupported, match=f"{name}.*no gradient"):
            own(name)(x, 0)
        with torch.no_grad():
            own(name)(x, 0)
        own(name)(x.detach(), 0)
    for name in PLACES:
        assert not own(name)(x, 0).requires_grad
    with pytest.raises(bifold.InvalidArgument, match="out"):
        functions.sum(x, 0, out=torch.empty(()))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(torch.ones(3), torch.ones(3))
        with pytest.raises(bifold.Unsupported, match="forward"):
            functions.cumsum(dual, 0)


def test_parameters_and_classes_of_tensors():
    class Named(torch.Tensor):
        pass

    x = torch.tensor([1.0, 2.0])
    parameter = torch.nn.Parameter(x)
    with torch.no_grad():
        assert type(functions.cumsum(parameter, 0)) is torch.Tensor
    functions.sum(parameter).backward()
    assert torch.equal(parameter.grad, torch.ones(2))
    found = functions.cumsum(x.as_subclass(Named), 0)
    assert type(found) is Named and found.tolist() == [1, 3]
    with torch.inference_mode():
        assert functions.cumsum(torch.ones(2), 0).tolist() == [1, 2]


def test_repeated_calls_are_made_without_the_package(monkeypatch):
    x = torch.ones(100)

    def calls():
        for name in ALL:
            own(name)(x, 0)
        functions.sum(x.view(10, 10).bfloat16(), 1)

    calls()
    calls()  # Of classes of arrays that are known by now.
    made = []
    monkeypatch.setattr(_calls.Call, "__init__", lambda *_, **__: made.append(1))
    calls()
    assert not made


def test_the_package_does_not_import_pytorch():
    program = "import sys, bifold; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


@registered
@pytest.mark.parametrize("name", ALL)
def test_operators_are_what_pytorch_checks(name):
    operator = getattr(torch.ops.bifold, name).default
    x = tensors.with_zeros((3, 4), "cpu")
    if name in EXTREMES + PAIRS:
        x = x.detach()
    samples = [(x, 1)] if name in SCANS + PAIRS else [(x, [1], True), (x,)]
    samples.append((tensors.values(torch.int16, (3, 4)), *samples[0][1:]))
    for sample in samples:
        torch.library.opcheck(operator, sample)


@registered
def test_compiled_programs_keep_operators():
    def program(x, y):
        scanned = functions.cumsum(x, 0) + functions.cumprod(x, 1, reverse=True)
        extremes = functions.cummax(y, 1)
        places = functions.argmax(y, 1)
        return scanned, functions.sum(x, (0, 1)), functions.amax(y), *extremes, places

    x, y = tensors.values(torch.float32, (2, 3, 4))
    compiled = torch.compile(program, fullgraph=True, backend="aot_eager", dynamic=True)
    for found, wanted in zip(compiled(x, y), program(x, y)):
        tensors.assert_same(found, wanted)
    x = tensors.with_zeros((3, 4), "cpu")
    wanted = torch.autograd.grad(program(x, y)[0].sum(), x)
    for found, own_one in zip(torch.autograd.grad(compiled(x, y)[0].sum(), x), wanted):
        torch.testing.assert_close(found, own_one)


@registered
def test_traces_keep_operators():
    x = torch.ones(3)
    traced = torch.jit.trace(lambda x: functions.cumsum(x, 0), x)
    assert traced(torch.full((3,), 2.0)).tolist() == [2, 4, 6]
    made = torch.fx.experimental.proxy_tensor.make_fx(lambda x: functions.sum(x))(x)
    assert made(torch.full((3,), 2.0)) == 6


@registered
def test_transforms():
    x = tensors.values(torch.float32, (4, 3, 5))
    for name in ALL:
        for dim in (0, 1):
            for at in (0, 2):
                found = torch.vmap(lambda x, name=name, dim=dim: own(name)(x, dim), at)(x)
                wanted = [tensors.expected(name, one, dim) for one in x.unbind(at)]
                if name in PAIRS:
                    tensors.assert_same(found[0].contiguous(), torch.stack([w[0] for w in wanted]))
                    tensors.assert_same(found[1].contiguous(), torch.stack([w[1] for w in wanted]))
                else:
                    tensors.assert_same(found.contiguous(), torch.stack(wanted))
        torch.vmap(lambda x, name=name: own(name)(x, 0))(x[0, 0])
    tensors.assert_same(torch.vmap(functions.sum)(x), x.sum((1, 2)))
    tensors.assert_same(torch.vmap(functions.amax)(x), x.amax((1, 2)))
    tensors.assert_same(torch.vmap(functions.argmin)(x), x.flatten(1).argmin(1))
    line = tensors.with_zeros((6,), "cpu").detach()
    found = torch.func.grad(lambda x: functions.cumprod(x, 0).sum())(line)
    wanted = torch.func.grad(lambda x: torch.cumprod(x, 0).sum())(line)
    torch.testing.assert_close(found, wanted)


@registered
def test_operators_raise_typed_errors():
    with pytest.raises(bifold.InvalidArgument):
        torch.ops.bifold.cumsum(torch.ones(3), 1)
    with pytest.raises(bifold.Unsupported, match="no gradient"):
        torch.ops.bifold.amax(torch.ones(3, requires_grad=True))
    with functions.use_cpu(None), pytest.raises(bifold.InvalidArgument, match="use_cpu"):
        torch.ops.bifold.sum(torch.ones(3))


def test_the_examples_of_the_page(capsys):
    (gradient,) = examples("PyTorch")
    first = examples("First calls")[1].split("\n\n")[0]
    names = {}
    exec(gradient.replace("cuda", "cpu"), names)
    assert capsys.readouterr().out == f"{torch.Size([64, 4096])} {torch.Size([64, 4096])}\n"
    exec(first.replace("cuda", "cpu"), names)
    assert names["places"].tolist() == list(range(1, 1001))
