"""Plans over groups: the bits of one call, again and again."""

import numpy as np
import pytest

import bifold

COUNTS = (4096, 10_001, 0, 3)


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


@pytest.fixture
def queues(device):
    return [bifold.Queue(device) for _ in COUNTS]


def drawn(dtype):
    x = np.random.default_rng(3).random(sum(COUNTS)) - 0.5
    return (x if np.dtype(dtype).kind == "f" else 1000 * x).astype(dtype)


def parts_of(x):
    return np.split(x, np.cumsum(COUNTS)[:-1])


def same(left, right):
    return left.dtype == right.dtype and left.tobytes() == right.tobytes()


@pytest.mark.parametrize("dtype", ["f4", "i4"])
def test_reductions_have_the_bits_of_one_call(dtype, queues):
    x = drawn(dtype)
    group = bifold.Group(len(COUNTS))
    plan = bifold.GroupPlan.reduce(group, COUNTS, dtype, init=2, queues=queues)
    whole = bifold.reduce(x, init=x.dtype.type(2))
    for _ in range(2):
        assert same(plan(parts_of(x)), whole)
    on_device = [bifold.to_device(p, q) for p, q in zip(parts_of(x), queues)]
    assert same(plan(on_device), whole)
    # Beside the group's own calls.
    assert same(group.reduce(parts_of(x)), bifold.reduce(x))
    assert same(plan(on_device), whole)


def test_two_arrays_and_results_of_another_dtype(queues):
    x = drawn("f4")
    group = bifold.Group(len(COUNTS))
    plan = bifold.GroupPlan.reduce(
        group, COUNTS, "f4", map="x * y", y="f4", accumulate="f8", out="f4", queues=queues[0]
    )
    out = bifold.empty(1, np.float32)
    bifold.transform_reduce_into(x, out, "x * y", y=x, accumulate="f8")
    parts = parts_of(x)
    assert same(plan(parts, y=parts), out.get()[0])


def test_scans_have_the_bits_of_one_call(queues):
    x = drawn("f4")
    group = bifold.Group(len(COUNTS))
    for kind in ("inclusive_scan", "exclusive_scan"):
        plan = getattr(bifold.GroupPlan, kind)(group, COUNTS, "f4", init=0.5, queues=queues)
        whole = getattr(bifold, kind)(x, init=0.5)
        assert same(np.concatenate(plan(parts_of(x))), whole)
        on_device = [bifold.to_device(p, q) for p, q in zip(parts_of(x), queues)]
        assert plan(on_device, on_device)[0] is on_device[0]
        assert same(np.concatenate([p.get() for p in on_device]), whole)


@pytest.mark.parametrize("dtype", ["f4", "f2", "i1"])
def test_everyday_reductions(dtype, queues):
    x = drawn(dtype)
    group, parts = bifold.Group(len(COUNTS)), parts_of(x)
    for name in ("argmin", "argmax", "minmax"):
        plan = getattr(bifold.GroupPlan, name)(group, COUNTS, dtype, queues=queues)
        assert plan(parts) == getattr(bifold, name)(x)
    count = bifold.GroupPlan.count_if(group, COUNTS, dtype, "x > 0", queues=queues)
    assert count(parts) == bifold.count_if(x, "x > 0")
    if dtype != "f4":
        return
    wanted = ["plus", "maximum", bifold.Reduction("plus", "x * x", 0.5)]
    many = bifold.GroupPlan.reduce_many(group, COUNTS, dtype, wanted, queues=queues)
    assert many(parts) == bifold.reduce_many(x, wanted)


def test_a_group_of_one_takes_the_array_itself(device):
    x = drawn("f4")
    plan = bifold.GroupPlan.inclusive_scan(bifold.Group(1), x.size, "f4")
    assert same(plan(x), bifold.inclusive_scan(x))


def test_what_is_refused(queues):
    group = bifold.Group(2)
    ones = [np.ones(3, "f4"), np.ones(2, "f4")]
    plan = bifold.GroupPlan.reduce(group, (3, 2), "f4", queues=queues[:2])
    with pytest.raises(bifold.InvalidArgument, match="where the plan has 3"):
        plan([ones[1], ones[1]])
    with pytest.raises(bifold.InvalidArgument, match="the elements' type is not the plan's"):
        plan([np.ones(3, "i4"), np.ones(2, "i4")])
    with pytest.raises(bifold.InvalidArgument, match="a reduction has no outputs"):
        plan(ones, ones)
    with pytest.raises(bifold.InvalidArgument, match="x must be a list of 2 arrays"):
        plan([ones[0]])
    # Arrays of another queue are worked on by the plan's.
    assert plan([bifold.to_device(one, queues[2]) for one in ones]) == 5
    with pytest.raises(bifold.InvalidArgument, match="1 counts, where the process has 2 ranks"):
        bifold.GroupPlan.reduce(group, 3, "f4")
    with pytest.raises(bifold.InvalidArgument, match="3 queues"):
        bifold.GroupPlan.reduce(group, (3, 2), "f4", queues=queues[:3])
    with pytest.raises(bifold.Unsupported, match="names i"):
        bifold.GroupPlan.reduce(group, (3, 2), "f4", map="x * i")
    assert plan(ones) == 5
    plan.close()
    with pytest.raises(bifold.InvalidArgument, match="closed"):
        plan(ones)
