"""bifold.torch on a GPU: beside PyTorch's own functions, and in everything that PyTorch does there.

Results are compared exactly where float32 has all sums and products exactly, else with float64.
"""

import random

import pytest

import bifold

torch = pytest.importorskip("torch")
pytest.register_assert_rewrite("tensors")

# ruff: noqa: E402
import tensors
from tensors import ALL, EXTREMES, KINDS, PAIRS, SCANS, TOTALS, compare, own

import bifold.torch as functions

PRODUCTS = ("prod", "cumprod")
pytestmark = tensors.ON_A_GPU


def drawn(kind, shape, name="sum", seed=1):
    return tensors.values(kind, shape, name in PRODUCTS, seed).cuda()


@pytest.mark.parametrize("kind", KINDS + tensors.UNSIGNED, ids=str)
@pytest.mark.parametrize("name", ALL)
def test_every_type(name, kind):
    for shape in ((1,), (2,), (1000,), (100_003,)):
        compare(name, drawn(kind, shape, name), 0)
    compare(name, drawn(kind, (33, 1025), name), 1)
    compare(name, drawn(kind, (129, 65), name), 0)
    if name not in SCANS + PAIRS:
        compare(name, drawn(kind, (77, 99), name))
    else:
        compare(name, drawn(kind, (5, 3000), name), 1, reverse=True)


def layouts(x):
    """Views of a tensor of three dimensions or more."""
    yield x
    yield x.transpose(0, -1)
    yield x[..., ::2]
    yield x[1::3]
    yield x[:, :1].expand(x.shape)
    yield x[..., 1].unsqueeze(-1).expand(x.shape)
    yield x.permute(*range(1, x.dim()), 0)[:, 1:]


@pytest.mark.parametrize("seed", range(12))
def test_random_shapes(seed):
    chosen = random.Random(seed)
    for _ in range(12):
        kind = chosen.choice(KINDS)
        name = chosen.choice(ALL)
        shape = [chosen.choice([2, 3, 5, 17]) for _ in range(chosen.choice([3, 3, 4]))]
        shape[chosen.randrange(3)] = chosen.choice([3, 64, 257, 700])
        x = drawn(kind, tuple(shape), name, seed)
        for view in layouts(x):
            dim = chosen.randrange(-view.dim(), view.dim())
            if name in SCANS + PAIRS:
                compare(name, view, dim, reverse=chosen.random() < 0.5)
            else:
                compare(name, view, dim, chosen.random() < 0.5)
                if name != "prod":
                    compare(name, view)
            if name in ("sum", *EXTREMES):
                dims = chosen.sample(range(view.dim()), 2)
                compare(name, view, dims, chosen.random() < 0.5)


@pytest.mark.parametrize("name", TOTALS + SCANS)
def test_types_of_results(name):
    for kind, wanted in (
        (torch.int32, torch.int16),
        (torch.int8, torch.float32),
        (torch.float32, torch.float64),
        (torch.float16, torch.float32),
        (torch.bfloat16, torch.float64),
        (torch.float32, torch.int32),
        (torch.bool, torch.int8),
        (torch.int64, torch.float16),
    ):
        x = tensors.values(kind, (2, 20), products=True).cuda()
        compare(name, x, 1, dtype=wanted)
        out = torch.empty(0, dtype=wanted, device="cuda")
        assert own(name)(x, 1, out=out) is out
        tensors.assert_same(out, tensors.expected(name, x, 1, dtype=wanted))


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_sums_that_round(kind):
    x = torch.randn(3, 100_000, dtype=torch.float64).to(kind).cuda()
    close = {torch.float32: 1e-5, torch.float64: 1e-13, torch.float16: 2e-3}.get(kind, 1e-2)
    size = x.double().abs().sum(1, True)
    for name in ("sum", "cumsum"):
        found, wanted = own(name)(x, 1), getattr(torch, name)(x.double(), 1)
        assert found.dtype is kind
        bound = close * (wanted.abs() + size.view(-1) ** 0.5 if name == "sum" else size)
        assert ((found.double() - wanted).abs() <= bound).all()


def test_special_values():
    kinds = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
    tensors.check_special_values("cuda", kinds)
    tensors.check_zeros_of_both_signs("cuda")


def test_no_elements_and_no_dimensions():
    tensors.check_shapes_of_nothing("cuda", ALL)
    tensors.check_no_dimensions("cuda", KINDS)


def test_results_have_the_same_bits_each_time():
    x = torch.randn(64, 3001, device="cuda")
    apart = torch.empty(64, 6002, device="cuda")[:, ::2].copy_(x)
    for call in (
        lambda x: functions.sum(x),
        lambda x: functions.sum(x, 1),
        lambda x: functions.cumsum(x, 1),
        lambda x: functions.cumprod(x, 1),
    ):
        first = call(x)
        for _ in range(10):
            assert torch.equal(call(x), first)
        assert torch.equal(call(apart), first)
        torch.use_deterministic_algorithms(True)
        try:
            assert torch.equal(call(x), first)
        finally:
            torch.use_deterministic_algorithms(False)
    assert torch.equal(functions.sum(x, 1)[5], functions.sum(x[5]))
    assert torch.equal(functions.cumsum(x, 1)[5], functions.cumsum(x[5], 0))


def test_outputs_are_written():
    x = drawn(torch.float32, (4, 6))
    memory = torch.zeros(8, 6, device="cuda")
    functions.cumsum(x, 0, out=memory[::2])
    assert torch.equal(memory[::2], x.cumsum(0)) and not memory[1::2].any()
    out = torch.empty(4, 1, device="cuda")
    assert torch.equal(functions.amax(x, 1, True, out=out), x.amax(1, True))
    place = torch.empty((), dtype=torch.int64, device="cuda")
    assert functions.argmin(x, out=place) is place and int(place) == int(x.argmin())
    both = torch.empty(4, 6, device="cuda"), torch.empty(4, 6, dtype=torch.int64, device="cuda")
    tensors.assert_same(functions.cummin(x, 1, out=both), tensors.expected("cummin", x, 1))
    y = x.clone()
    assert functions.cumsum(y, 1, out=y) is y and torch.equal(y, x.cumsum(1))
    with pytest.raises(bifold.InvalidArgument):
        functions.cumsum(x, 0, out=torch.empty(4, 6))
    with pytest.raises(bifold.Error):
        functions.cumsum(x.flatten()[:-1], 0, out=x.flatten()[1:])


def test_gradients():
    for seed in (0, 3, 4):
        x = tensors.with_zeros((5,), "cuda", seed)
        for call in (
            functions.sum,
            functions.prod,
            lambda x: functions.cumsum(x, 0),
            lambda x: functions.cumsum(x, 0, reverse=True),
            lambda x: functions.cumprod(x, 0),
            lambda x: functions.cumprod(x, 0, reverse=True),
        ):
            tensors.check_gradients(call, x)
    x = tensors.with_zeros((2, 3, 2), "cuda")
    for call in (
        lambda x: functions.sum(x, (0, 2), True),
        lambda x: functions.sum(x, 1),
        lambda x: functions.prod(x, 1),
        lambda x: functions.prod(x, 0, True),
        lambda x: functions.cumsum(x, 1),
        lambda x: functions.cumprod(x, 1),
        lambda x: functions.cumprod(x, -1, reverse=True),
    ):
        tensors.check_gradients(call, x)
    for kind in (torch.float16, torch.bfloat16, torch.float32):
        tensors.check_narrow_gradients("cuda", kind, TOTALS + SCANS)


def test_gradients_of_long_products():
    x = torch.rand(4, 5000, dtype=torch.float64, device="cuda") * 0.02 + 0.99
    x[1, 77] = x[2, 1000] = x[2, 3000] = x[3, 0] = 0
    weights = torch.rand_like(x)
    found = []
    for cumprod in (functions.cumprod, torch.cumprod):
        given = x.clone().requires_grad_()
        (cumprod(given, 1) * weights).sum().backward()
        found.append(given.grad)
    torch.testing.assert_close(*found)


@pytest.mark.parametrize("name", ALL)
def test_operators_are_what_pytorch_checks(name):
    operator = getattr(torch.ops.bifold, name).default
    x = tensors.with_zeros((3, 4), "cuda")
    if name in EXTREMES + PAIRS:
        x = x.detach()
    samples = [(x, 1)] if name in SCANS + PAIRS else [(x, [1], True), (x,)]
    samples.append((drawn(torch.int16, (3, 4)), *samples[0][1:]))
    samples.append((drawn(torch.bfloat16, (3, 4)).T, *samples[0][1:]))
    for sample in samples:
        torch.library.opcheck(operator, sample)


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_programs(dynamic):
    def program(x, y):
        scanned = functions.cumsum(x * 2, 0) + functions.cumprod(x, 1, reverse=True)
        extremes = functions.cummax(y + 1, 1)
        places = functions.argmax(y, 1) + functions.argmin(y)
        totals = functions.prod(y, 0, dtype=torch.float64)
        return scanned, functions.sum(x, (0, 1)), functions.amax(y), *extremes, places, totals

    compiled = torch.compile(program, fullgraph=True, dynamic=dynamic)
    for shape in ((2, 33, 40), (2, 70, 11)):
        x, y = drawn(torch.float32, shape, "prod")
        for found, wanted in zip(compiled(x, y), program(x, y)):
            torch.testing.assert_close(found, wanted)
    x = tensors.with_zeros((3, 4), "cuda").detach().float().requires_grad_()
    y = drawn(torch.float32, (3, 4))
    wanted = torch.autograd.grad(program(x, y)[0].sum(), x)
    torch.testing.assert_close(torch.autograd.grad(compiled(x, y)[0].sum(), x), wanted)


def test_transforms():
    x = drawn(torch.float32, (4, 3, 5))
    for name in ("sum", "cumsum", "argmax", "cummin"):
        found = torch.vmap(lambda x, name=name: own(name)(x, 1))(x)
        wanted = own(name)(x, 2)
        for one, other in zip(*((f if isinstance(f, tuple) else (f,)) for f in (found, wanted))):
            assert torch.equal(one, other)
    line = tensors.with_zeros((3, 6), "cuda").detach()
    found = torch.vmap(torch.func.grad(lambda x: functions.cumprod(x, 0).sum()))(line)
    wanted = torch.vmap(torch.func.grad(lambda x: torch.cumprod(x, 0).sum()))(line)
    torch.testing.assert_close(found, wanted)


def test_lines_of_more_than_31_bits():
    if torch.cuda.mem_get_info()[0] < 90 << 30:
        pytest.skip("there is too little memory")
    n = 2**31 + 1000
    x = torch.zeros(n, dtype=torch.int8, device="cuda")
    x[n - 3] = 1
    assert int(functions.argmax(x)) == n - 3
    assert int(functions.sum(x)) == 1
    found = functions.cummax(x, 0)
    assert found.indices[[0, 5, n - 4, n - 3, n - 1]].tolist() == [0, 5, n - 4, n - 3, n - 3]
    assert found.values[-4:].tolist() == [0, 1, 1, 1]


def test_tensors_of_the_cpu_are_refused_and_of_meta_have_shapes():
    with pytest.raises(bifold.InvalidArgument, match="use_cpu"):
        functions.sum(torch.ones(3))
    assert functions.cumsum(torch.ones(3, 4, device="meta"), 0).shape == (3, 4)
    with pytest.raises(bifold.Unsupported):
        functions.sum(torch.eye(3, device="cuda").to_sparse())
