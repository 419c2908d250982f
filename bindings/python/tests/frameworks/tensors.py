"""What tests of bifold.torch have in common, on tensors of any device."""

import math

import pytest
import torch

import bifold.torch

TOTALS = ("sum", "prod")
EXTREMES = ("amax", "amin")
PLACES = ("argmax", "argmin")
SCANS = ("cumsum", "cumprod")
PAIRS = ("cummax", "cummin")
ALL = TOTALS + EXTREMES + PLACES + SCANS + PAIRS
KINDS = [
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
]
UNSIGNED = [getattr(torch, name) for name in ("uint16", "uint32") if hasattr(torch, name)]
REGISTERED = hasattr(torch.library, "register_autograd")
registered = pytest.mark.skipif(
    not REGISTERED, reason=f"PyTorch {torch.__version__} registers no operators as this does"
)


def _computes():
    """Whether there is a GPU, and not the stand-in for its driver."""
    try:
        return torch.cuda.is_available() and int(torch.ones(2, device="cuda").sum()) == 2
    except (RuntimeError, AssertionError):
        return False


ON_A_GPU = [
    pytest.mark.skipif(not _computes(), reason="PyTorch finds no GPU"),
    pytest.mark.skipif(not REGISTERED, reason="PyTorch is older than 2.4"),
]


def values(kind, shape, products=False, seed=1):
    """A tensor of the CPU whose sums, or products, float32 has exactly; many elements are equal."""
    generator = torch.Generator().manual_seed(seed)

    def drawn(low, high):
        return torch.randint(low, high, shape, generator=generator)

    if kind is torch.bool:
        return drawn(0, 2) == 1
    if not kind.is_floating_point:
        low = -3 if kind.is_signed else 0
        return drawn(low, 4).to(kind)
    if products:
        # Of many factors few are no 1, so that products stay within float32.
        factors = torch.tensor([-2, -1, -0.5, 0.5, 2, *([1] * (1 + math.prod(shape) // 100))])
        return factors[drawn(0, len(factors))].to(kind)
    return (drawn(-16, 17).double() / 8).to(kind)


def own(name):
    """A function of bifold.torch."""
    return getattr(bifold.torch, name)


def exact(x):
    """Numbers of which PyTorch computes everything on the CPU, as no version does of all types."""
    if x.dtype is torch.bool:
        return x.to(torch.uint8)
    if x.dtype.is_floating_point:
        return x.double()
    return x.long() if x.dtype in UNSIGNED else x


def expected(name, x, *arguments, reverse=False, dtype=None, **named):
    """What PyTorch computes on the CPU, reversed where it is asked for."""
    given, kind = exact(x.cpu()), x.dtype
    if dtype is not None:
        given = exact(given.to(dtype))
    if reverse:
        given = given.flip(arguments[0])
    found = getattr(torch, name)(given, *arguments, **named)
    if reverse and name in PAIRS:
        last = x.shape[arguments[0]] - 1
        found = found[0].flip(arguments[0]), last - found[1].flip(arguments[0])
    elif reverse:
        found = found.flip(arguments[0])
    if name in PAIRS:
        return found[0].to(kind), found[1]
    if name in PLACES:
        return found
    if name in EXTREMES:
        return found.to(kind)
    if dtype is not None:
        return found.to(dtype)
    return found.to(kind) if kind.is_floating_point else found


def assert_same(found, wanted):
    """Asserts that types, shapes and elements are the same."""
    if isinstance(wanted, tuple):
        assert_same(found.values, wanted[0])
        assert_same(found.indices, wanted[1])
        return
    assert found.dtype is wanted.dtype
    assert found.shape == wanted.shape
    assert found.is_contiguous()
    torch.testing.assert_close(
        exact(found.cpu()), exact(wanted), rtol=0, atol=0, equal_nan=True, check_stride=False
    )


def compare(name, x, *arguments, **named):
    """Calls a function of bifold.torch beside PyTorch's."""
    found = own(name)(x, *arguments, **named)
    assert_same(found, expected(name, x, *arguments, **named))
    results = found if isinstance(found, tuple) else (found,)
    assert all(one.device == x.device for one in results)


def check_special_values(device, kinds):
    """NaN, infinities and equals."""
    nan, inf = float("nan"), float("inf")
    lines = [
        [1, nan, 3, nan, 2, inf],
        [-inf, inf, inf, -inf, nan, 0],
        [0, 0, 2, 2, 2, 1],
        [-1, -1, -2, -2, -1, -1],
        [-inf, -inf, -inf, -inf, -inf, -inf],
    ]
    for kind in kinds:
        for x in torch.tensor(lines, dtype=kind, device=device):
            for name in EXTREMES + PLACES + PAIRS:
                compare(name, x, 0)
            for name in PAIRS:
                compare(name, x, 0, reverse=True)


def check_zeros_of_both_signs(device):
    """Pairs have the last of both zeros; extremes have the greater or the lesser one."""
    x = torch.tensor([0.0, -0.0, 0.0, -0.0], device=device)
    assert torch.signbit(bifold.torch.amin(x)) and not torch.signbit(bifold.torch.amax(x))
    assert (int(bifold.torch.argmin(x)), int(bifold.torch.argmax(x))) == (1, 0)
    for name in PAIRS:
        found = own(name)(x, 0)
        assert found.indices.tolist() == [0, 1, 2, 3]
        assert torch.signbit(found.values).tolist() == [False, True, False, True]


def check_shapes_of_nothing(device, names):
    """Tensors without elements."""
    for shape, dim in (((0,), 0), ((0, 3), 0), ((0, 3), 1), ((3, 0), -1), ((2, 0, 3), 2)):
        x = torch.ones(shape, device=device)
        for name in names:
            if name not in EXTREMES + PLACES or x.shape[dim] > 0:
                compare(name, x, dim)
            if name in TOTALS:
                compare(name, x, dim, True)
    for name in TOTALS:
        compare(name, torch.ones(0, 3, device=device))


def check_no_dimensions(device, kinds):
    """Tensors without dimensions."""
    for kind in kinds:
        x = torch.tensor(1, dtype=kind, device=device)
        for name in ALL:
            compare(name, x, 0)
            compare(name, x, -1)
        for name in TOTALS + EXTREMES + PLACES:
            compare(name, x)


def with_zeros(shape, device, seed=0):
    """Doubles of which some are 0: none, one or several along a line. They want a gradient."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(shape, generator=generator, dtype=torch.float64) + 0.5
    x = torch.where(torch.rand(shape, generator=generator) < 0.25, torch.zeros_like(x), x)
    return x.to(device).requires_grad_()


def check_gradients(call, x):
    """First and second derivatives, beside differences."""
    assert torch.autograd.gradcheck(call, x)
    assert torch.autograd.gradgradcheck(call, x, fast_mode=True)


def check_narrow_gradients(device, kind, names):
    """Those of floating types with less precision, with results in float32."""
    x = with_zeros((6,), device).detach().to(kind).requires_grad_()
    for name in names:
        own(name)(x, 0, dtype=torch.float32).sum().backward()
        wide = x.detach().cpu().double().requires_grad_()
        getattr(torch, name)(wide, 0).sum().backward()
        assert x.grad.dtype is kind
        tolerance = 1e-5 if kind is torch.float32 else 2e-2
        torch.testing.assert_close(x.grad.cpu().double(), wide.grad, rtol=tolerance, atol=tolerance)
        x.grad = None
