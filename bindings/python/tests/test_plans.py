"""Plans: the results of the functions, what is refused, and what becomes of them."""

import copy
import gc
import pickle

import numpy as np
import pytest
from patience import PATIENCE
from repeats import N, known
from threads import run_threads

import bifold

pytest_plugins = "repeats"
pytestmark = pytest.mark.usefixtures("device")

HOST = np.random.default_rng(7).integers(0, 7, (20, 50), np.int32)


@pytest.fixture(params=["own", "host", "pyopencl"])
def there(request, queue):
    """Makes arrays of a kind; and what brings them back."""
    if request.param == "own":
        return lambda array: bifold.to_device(array, queue), lambda array: array.get()
    if request.param == "host":
        return np.copy, np.asarray
    if queue.device.info.backend != "opencl":
        pytest.skip("PyOpenCL reaches no CUDA memory")
    cl_array = pytest.importorskip("pyopencl.array")
    cl = pytest.importorskip("pyopencl")
    commands = cl.CommandQueue(queue.record().to_opencl().context)
    return lambda array: cl_array.to_device(commands, array), lambda array: array.get()


def test_a_plan_of_a_device_takes_arrays_of_the_host(device):
    plan = bifold.Plan.inclusive_scan(device, "i4")
    assert device is not bifold.default_queue().device

    def work(_):
        x, out = HOST.ravel().copy(), np.empty(HOST.size, np.int32)
        for _ in range(3):
            assert plan(x, out) is out
            np.testing.assert_array_equal(out, x.cumsum())
            out[:] = 0

    work(0)
    run_threads(work)
    named = bifold.Plan.reduce(device.info.selector, "i4")
    assert named(HOST, np.empty(1, np.int32)) == HOST.sum()


def test_plans_give_what_functions_give(queue, there):
    here, back = there
    x, y = here(HOST.ravel()), here(HOST.ravel()[::-1].astype(np.float32))
    halves = here(HOST.ravel().astype(np.float16))
    device, reduce = queue.device, bifold.Plan.reduce
    total = HOST.sum()
    cases = [
        (reduce(queue, "i4"), x, np.int32, total, {}),
        (reduce(queue, "i4", "maximum", out="f8"), x, np.float64, 6, {}),
        (reduce(device, "i4", out="i8"), x, np.int64, total + 5, {"init": 5}),
        (reduce(queue, "i4", map="x * x"), x, np.int32, (HOST * HOST).sum(), {}),
        (reduce(queue, "f2"), halves, np.float16, np.float16(total), {}),
        (
            reduce(queue, "i4", map="x * y", y="f4", out="f4", order="any"),
            x,
            np.float32,
            (HOST.ravel() * HOST.ravel()[::-1]).sum(),
            {"y": y},
        ),
    ]
    for plan, array, dtype, expected, more in cases:
        out = here(np.zeros(1, dtype))
        for _ in range(3):
            assert plan(array, out, **more) is out
            assert back(out)[0] == expected, plan
    running = HOST.ravel().cumsum(dtype=np.int32)
    inclusive, exclusive = bifold.Plan.inclusive_scan, bifold.Plan.exclusive_scan
    scans = [
        (inclusive(queue, "i4"), x, np.int32, running, None),
        (inclusive(queue, "i4", out="i8"), x, np.int64, running + 3, 3),
        (exclusive(queue, "i4"), x, np.int32, running - HOST.ravel(), None),
        (exclusive(queue, "i4", map="1"), x, np.int32, np.arange(N), None),
        (
            inclusive(queue, "i4", reverse=True),
            x,
            np.int32,
            HOST.ravel()[::-1].cumsum()[::-1],
            None,
        ),
        (inclusive(queue, "f2", accumulate="f4"), halves, np.float16, running, None),
    ]
    for plan, array, dtype, expected, init in scans:
        out = here(np.zeros(N, dtype))
        for _ in range(3):
            assert plan(array, out, init) is out
            np.testing.assert_array_equal(back(out), expected.astype(dtype), err_msg=repr(plan))


def test_plans_run_on_arrays_of_any_size(queue, made, there):
    here, back = there
    reduce, scan = bifold.Plan.reduce(queue, "i4"), bifold.Plan.inclusive_scan(queue, "i4")
    one = here(np.zeros(1, np.int32))
    for _ in range(2):
        reduce(here(HOST.ravel()), one)
        scan(here(HOST.ravel()), here(HOST.ravel()))
    made.clear()
    for n in (2, 3, N, 50 * N):
        host = np.ones(n, np.int32)
        x, out = here(host), here(host)
        assert back(reduce(x, one))[0] == n
        np.testing.assert_array_equal(back(scan(x, out)), np.arange(1, n + 1))
    assert not made
    nothing = here(np.zeros(0, np.int32))
    assert back(reduce(nothing, one))[0] == 0 and back(scan(nothing, nothing)).size == 0


def test_plans_of_axes(queue, made):
    x, out = bifold.to_device(HOST, queue), bifold.empty(HOST.shape, np.int32, queue)
    for axis in (0, 1, -1):
        reduce = bifold.Plan.reduce(queue, "i4", axis=axis)
        scan = bifold.Plan.inclusive_scan(queue, "i4", axis=axis)
        results = bifold.empty(HOST.sum(axis).shape, np.int32, queue)
        known(made, lambda r=reduce, o=results: r(x, o))
        np.testing.assert_array_equal(results.get(), HOST.sum(axis))
        known(made, lambda s=scan: s(x, out, init=1))
        np.testing.assert_array_equal(out.get(), 1 + HOST.cumsum(axis))
    kept = bifold.Plan.reduce(queue, "i4", axis=(0, 1), keepdims=True)
    assert kept(x, bifold.empty((1, 1), np.int32, queue)).get() == HOST.sum()
    with pytest.raises(bifold.InvalidArgument, match="shape"):
        kept(x, bifold.empty(1, np.int32, queue))


def test_plans_of_arrays_with_gaps(queue, made):
    x, one = bifold.to_device(HOST, queue), bifold.empty(1, np.int32, queue)
    dense, strided = (bifold.Plan.reduce(queue, "i4", strided=s) for s in (False, True))
    for plan in (dense, strided):
        assert plan(x, one).get() == plan(x[3:7], one).get() + HOST[:3].sum() + HOST[7:].sum()
    known(made, lambda: strided(x, one))
    known(made, lambda: strided(x[0], one))
    assert one.get() == HOST[0].sum()
    assert strided(x[:, ::2], one).get() == HOST[:, ::2].sum()
    assert strided(x.T, one).get() == HOST.sum()
    for view in (x[0, ::2], x[::2, 1]):
        with pytest.raises(bifold.InvalidArgument, match=r"without gaps: strided=True"):
            dense(view, one)


def test_values_on_the_device(queue, made):
    x, out = bifold.to_device(HOST.ravel(), queue), bifold.empty(N, np.int32, queue)
    init, count = bifold.to_device(np.int32([4]), queue), bifold.to_device(np.uint32([30]), queue)
    total = bifold.empty(1, np.int32, queue)
    plan = bifold.Plan.inclusive_scan(queue, "i4", on_device=["init", "total", "count_u32"])
    out.fill(-1)
    known(made, lambda: plan(x, out, init, total=total, count_from=count))
    expected = HOST.ravel().cumsum() + 4
    np.testing.assert_array_equal(out.get()[:30], expected[:30])
    assert (out.get()[30:] == -1).all() and total.get()[0] == expected[29]
    count.set([2])
    plan(x, out, init, total=total, count_from=count)
    assert total.get()[0] == expected[1]
    for more in ({}, {"total": total}, {"init": init, "total": total}):
        with pytest.raises(bifold.InvalidArgument, match="made for count_u32, init, total"):
            plan(x, out, **more)
    wide = bifold.to_device(np.uint64([2]), queue)
    with pytest.raises(bifold.InvalidArgument, match="the call brings count_u64"):
        plan(x, out, init, total=total, count_from=wide)
    plain = bifold.Plan.inclusive_scan(queue, "i4")
    with pytest.raises(bifold.InvalidArgument, match="made for no values"):
        plain(x, out, total=total)


def test_what_a_plan_does_not_take(queue):
    x, one = bifold.to_device(HOST.ravel(), queue), bifold.empty(1, np.int32, queue)
    out, wide = bifold.empty(N, np.int32, queue), bifold.empty(1, np.int64, queue)
    floats = bifold.empty(N, np.float32, queue)
    plan, scan = bifold.Plan.reduce(queue, "i4"), bifold.Plan.inclusive_scan(queue, "i4")
    pairs = bifold.Plan.reduce(queue, "i4", map="x * y", y="i4")
    for message, call in [
        ("x has elements of float32, the plan takes int32", lambda: plan(floats, one)),
        ("out has elements of int64, the plan takes int32", lambda: plan(x, wide)),
        ("y has elements of float32, the plan takes int32", lambda: pairs(x, one, y=floats)),
        ("two arrays: y=", lambda: pairs(x, one)),
        ("takes one array", lambda: plan(x, one, y=x)),
        (r"out has shape \(1000,\)", lambda: plan(x, out)),
        (r"out has shape \(1,\)", lambda: scan(x, one)),
        ("overlap", lambda: scan(x[:10], x[5:15])),
        ("init 1.5 .float. is no element", lambda: plan(x, one, 1.5)),
        ("init", lambda: plan(x, one, "5")),
        (r"^Plan\(\): out must be an array, not None", lambda: plan(x, None)),
        ("workspace must be a bifold.Workspace", lambda: plan(x, one, workspace=x)),
        (
            "on_device must be a list of count_u32",
            lambda: bifold.Plan.reduce(queue, "i4", on_device=["lines"]),
        ),
        ("total", lambda: bifold.Plan.reduce(queue, "i4", on_device=["total"])),
        ("map", lambda: bifold.Plan.reduce(queue, "i4", y="i4")),
        ("Plan.reduce.., Plan.inclusive_scan", lambda: bifold.Plan()),
    ]:
        for _ in range(2):
            with pytest.raises(bifold.InvalidArgument, match=message):
                call()
    with pytest.raises(TypeError, match="'out'"):
        plan(x)
    assert plan(x, one).get() == HOST.sum()


def test_a_plan_of_another_device_is_refused(queue):
    if queue.device.info.backend != "opencl":
        pytest.skip("one context of CUDA is as good as another")
    plan = bifold.Plan.reduce(queue, "i4")
    for _ in range(2):
        with bifold.open_device(queue.device.info.selector) as other, bifold.Queue(other) as on:
            x, one = bifold.to_device(HOST, on), bifold.empty(1, np.int32, on)
            with pytest.raises(bifold.InvalidArgument, match="another device"):
                plan(x, one)
        with pytest.raises(bifold.InvalidArgument, match="closed"):
            plan(x, one)


def test_what_is_closed_is_refused(device, made):
    with bifold.Queue(device) as queue:
        x, one = bifold.to_device(HOST.ravel(), queue), bifold.empty(1, np.int32, queue)
        plan = bifold.Plan.reduce(queue, "i4")
        known(made, lambda: plan(x, one))
    with pytest.raises(bifold.InvalidArgument, match="closed"):
        plan(x, one)
    assert "reduce by plus of int32" in repr(plan) and plan.variant
    plan.close()
    plan.close()
    for call in (lambda: plan(x, one), lambda: plan.variant, lambda: plan.workspace_bytes(1)):
        with pytest.raises(bifold.InvalidArgument, match="this Plan is closed"):
            call()
    assert "reduce by plus of int32" in repr(plan)


def test_plans_outlive_what_they_are_made_of(queue):
    last, square = bifold.Operator("last", "b", dtype="i4"), bifold.Map("x * x")
    plan = bifold.Plan.reduce(queue, "i4", last, map=square)
    last.close(), square.close()
    x, one = bifold.to_device(HOST.ravel(), queue), bifold.empty(1, np.int32, queue)
    for _ in range(3):
        assert plan(x, one).get() == HOST[-1, -1] ** 2


def test_plans_are_told_apart(queue):
    x, one = bifold.to_device(HOST.ravel(), queue), bifold.empty(1, np.int32, queue)
    for constant in range(5):
        plan = bifold.Plan.reduce(queue, "i4", map=f"{constant}")
        assert [plan(x, one).get()[0] for _ in range(3)] == [constant * N] * 3
        plan = None  # The next one may come by its address.


def test_plans_are_let_go(queue, made):
    x, one = bifold.to_device(HOST.ravel(), queue), bifold.empty(1, np.int32, queue)
    plans = [bifold.Plan.reduce(queue, "i4")]
    known(made, lambda: plans[0](x, one))
    owner = plans[0]._finalizer
    plans.clear()
    gc.collect()
    assert not owner.alive


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_plans_and_workspaces_are_neither_copied_nor_pickled(queue, copied):
    memory = bifold.empty(100, np.uint8, queue)
    for one in (bifold.Plan.reduce(queue, "i4"), bifold.Workspace(memory)):
        with pytest.raises(TypeError, match="neither copied nor pickled"):
            copied(one)


def test_threads_share_a_plan(device):
    plan = bifold.Plan.inclusive_scan(device, "i4")

    def work(seed):
        with bifold.Queue(device) as queue:
            host = np.random.default_rng(seed).integers(0, 100, 3000 + seed).astype(np.int32)
            x, out = bifold.to_device(host, queue), bifold.empty(len(host), np.int32, queue)
            for _ in range(30):
                plan(x, out)
            np.testing.assert_array_equal(out.get(), host.cumsum())

    run_threads(work)


def test_completions_and_waits(queue, made):
    x, out = bifold.to_device(HOST.ravel(), queue), bifold.empty(N, np.int32, queue)
    plan, done = bifold.Plan.inclusive_scan(queue, "i4"), bifold.Event()
    for _ in range(3):
        plan(x, out, wait=[bifold.Event(), done], done=done)
    assert len(made) == 1 and not done.empty
    done.wait(PATIENCE)
    np.testing.assert_array_equal(out.get(), HOST.ravel().cumsum())


def test_a_workspace_is_used_instead_of_the_queues_memory(queue, made):
    big = bifold.to_device(np.ones(200_000, np.int32), queue)
    out = bifold.empty(big.size, np.int32, queue)
    plan = bifold.Plan.inclusive_scan(queue, "i4")
    needed = plan.workspace_bytes(big.size)
    assert needed >= plan.workspace_bytes((100, 100)) >= plan.workspace_bytes(1) > 0
    workspace = bifold.Workspace(bifold.empty(needed, np.uint8, queue))
    assert workspace.nbytes == needed and repr(workspace) == f"<bifold.Workspace of {needed} bytes>"

    def scanned(expected, **more):
        out.fill(0)
        plan(big, out, **more)
        assert out.get()[-1] == expected

    for _ in range(3):
        scanned(big.size, workspace=workspace)
    workspace.prepare()
    for init in (0, 5, 0):
        scanned(big.size + init, init=init, workspace=workspace)
    workspace.release()
    workspace.memory.fill(255)
    scanned(big.size, workspace=workspace)
    workspace.memory.fill(255)
    made.clear()
    scanned(big.size)  # The same call but for that.
    assert not made and (workspace.memory.get() == 255).all()
    bifold.inclusive_scan(big, out, workspace=workspace)
    assert out.get()[-1] == big.size
    small = bifold.Workspace(bifold.empty(8, np.uint8, queue))
    over = bifold.Workspace(out)
    made.clear()
    with pytest.raises(bifold.InvalidArgument, match=f"workspace has 8 bytes.*needs {needed}"):
        plan(big, out, workspace=small)
    with pytest.raises(bifold.InvalidArgument, match="workspace overlaps the data"):
        plan(big, out, workspace=over)
    assert not made
    workspace.close()
    for call in (
        lambda: plan(big, out, workspace=workspace),
        workspace.prepare,
        workspace.release,
    ):
        with pytest.raises(bifold.InvalidArgument, match="closed"):
            call()
    assert repr(workspace)


def test_what_is_no_workspace(queue):
    gaps = bifold.empty((10, 10), np.uint8, queue)[:, ::2]
    for message, memory in [
        ("on a device", np.zeros(100, np.uint8)),
        ("no gaps", gaps),
        ("must be an array", None),
    ]:
        with pytest.raises(bifold.InvalidArgument, match=message):
            bifold.Workspace(memory)


def test_a_known_call_takes_no_other_handle_for_a_workspace(queue, made):
    x, one = bifold.to_device(HOST.ravel(), queue), bifold.empty(1, np.int32, queue)
    plan, square = bifold.Plan.reduce(queue, "i4"), bifold.Map("x * x")
    for call in (plan, bifold.reduce_into):
        known(made, lambda call=call: call(x, one))
        for handle in (queue, plan, square):
            with pytest.raises(bifold.WrongType, match="workspace must be a bifold.Workspace"):
                call(x, one, workspace=handle)
    assert one.get()[0] == HOST.sum()


def test_a_workspace_is_prepared_behind_earlier_work_on_its_memory(there, queue):
    here, _ = there
    memory = here(np.zeros(64, np.uint8))
    if queue.device.info.backend != "opencl" or isinstance(memory, np.ndarray):
        pytest.skip("no event of the user's to wait for")
    cl = pytest.importorskip("pyopencl")
    gate = cl.UserEvent(queue.record().to_opencl().context)
    if isinstance(memory, bifold.Array):
        memory.queue = bifold.Queue(queue.device)
        memory.queue.wait_for(gate)
    else:
        memory.add_event(gate)
    workspace = bifold.Workspace(memory)
    workspace.prepare(queue=queue)
    with pytest.raises(bifold.Timeout):
        queue.finish(0.05)
    gate.set_status(cl.command_execution_status.COMPLETE)
    queue.finish(PATIENCE)


def test_memory_of_pyopencl_is_a_workspace(there, queue):
    here, back = there
    x, out = here(HOST.ravel()), here(HOST.ravel())
    if isinstance(x, (np.ndarray, bifold.Array)):
        pytest.skip("no memory of PyOpenCL")
    plan = bifold.Plan.inclusive_scan(x.queue, "i4")
    memory = here(np.full(plan.workspace_bytes(N) // 4 + 2, -1, np.int32))
    with bifold.Workspace(memory[1:]) as workspace:
        for _ in range(3):
            plan(x, out, workspace=workspace)
        workspace.prepare()
        plan(x, out, workspace=workspace)
    np.testing.assert_array_equal(back(out), HOST.ravel().cumsum())
    assert back(memory)[0] == -1


def test_lines_have_workspaces_too(queue):
    x = bifold.to_device(np.ones((64, 3000), np.int32), queue)
    out = bifold.empty(x.shape, np.int32, queue)
    plan = bifold.Plan.inclusive_scan(queue, "i4", axis=1)
    memory = bifold.empty(max(plan.workspace_bytes(x.shape), 1), np.uint8, queue)
    plan(x, out, workspace=bifold.Workspace(memory))
    assert (out.get()[:, -1] == 3000).all()
    with pytest.raises(bifold.InvalidArgument, match="axis 1 of an array of 1"):
        plan.workspace_bytes(5)
    for made in (bifold.Plan.inclusive_scan(queue, "i4"), plan):
        with pytest.raises(bifold.InvalidArgument, match="more elements than 64 bits count"):
            made.workspace_bytes((2**32, 2**33))
