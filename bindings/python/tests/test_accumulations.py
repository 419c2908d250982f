"""Arrays in chunks: of the host, of the device, and of PyOpenCL."""

import numpy as np
import pytest

import bifold


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


@pytest.fixture
def queue(device):
    return bifold.Queue(device)


def drawn(dtype, n):
    x = np.random.default_rng(3).random(n) - 0.5
    return (x if np.dtype(dtype).kind == "f" else 1000 * x).astype(dtype)


def same(left, right):
    return left.dtype == right.dtype and left.tobytes() == right.tobytes()


CUTS = [5, 4096, 5000, 20_000, 20_000]


@pytest.mark.parametrize("dtype", ["f4", "i4"])
def test_sums_have_the_bits_of_one_call(queue, dtype):
    x = drawn(dtype, 50_001)
    total = bifold.Accumulation.reduce(queue, dtype, piece_bytes=16_384)
    for turn, chunk in enumerate(np.split(x, CUTS)):
        assert total.feed(bifold.to_device(chunk, queue) if turn % 2 else chunk) is None
    assert total.count == x.size and total.queue is queue
    assert same(total.value(), bifold.reduce(x, queue=queue))
    # It goes on.
    total.feed(x[::-1])
    assert same(total.value(), bifold.reduce(np.concatenate([x, x[::-1]]), queue=queue))


def test_maps_initial_values_and_results_of_other_dtypes(queue):
    x = drawn("f4", 20_000)
    total = bifold.Accumulation.reduce(
        queue, "f4", init=0.25, map="x * x", accumulate="f8", out="f4"
    )
    for chunk in np.split(x, CUTS[:3]):
        total.feed(chunk)
    whole = bifold.to_device(np.zeros(1, "f4"), queue)
    bifold.transform_reduce_into(x, whole, "x * x", init=0.25, accumulate="f8", queue=queue)
    assert same(total.value(), whole.get()[0])


def test_maps_of_the_index_and_of_a_second_array(queue):
    x = drawn("f4", 20_000)
    y = x[::-1].astype("f8")
    weighted = bifold.Accumulation.reduce(queue, "f4", map="x * (f32)i")
    products = bifold.Accumulation.reduce(queue, "f4", map="x * y", y="f8", out="f8")
    for turn, (a, b) in enumerate(zip(np.split(x, CUTS[:3]), np.split(y, CUTS[:3]))):
        weighted.feed(a)
        if turn % 2:
            a, b = bifold.to_device(a, queue), bifold.to_device(b, queue)
        products.feed(a, y=b)
    assert same(weighted.value(), bifold.transform_reduce(x, "x * (f32)i", queue=queue))
    whole = bifold.transform_reduce(x, "x * y", y=y, dtype="f8", queue=queue)
    assert same(products.value(), whole)
    scan = bifold.Accumulation.inclusive_scan(queue, "f4", map="x * (f32)i")
    parts = [np.empty(len(part), "f4") for part in np.split(x, CUTS[:3])]
    for part, out in zip(np.split(x, CUTS[:3]), parts):
        scan.feed(part, out)
    whole = bifold.transform_inclusive_scan(x, "x * (f32)i", queue=queue)
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    with pytest.raises(bifold.InvalidArgument, match="takes a second array, y="):
        products.feed(x)
    with pytest.raises(bifold.InvalidArgument, match="takes no second array"):
        weighted.feed(x, y=x)
    with pytest.raises(bifold.InvalidArgument, match="y has elements of float32"):
        products.feed(x, y=x)


def test_extremes_have_the_index_in_the_whole_array(queue):
    x = drawn("f4", 20_000)
    least = bifold.Accumulation.argmin(queue, "f4")
    greatest = bifold.Accumulation.argmax(queue, "f4")
    for chunk in np.split(x, CUTS[:3]):
        least.feed(chunk)
        greatest.feed(chunk)
    assert least.value() == bifold.argmin(x) and greatest.value() == bifold.argmax(x)


@pytest.mark.parametrize("kind", ["inclusive_scan", "exclusive_scan"])
def test_scans_leave_the_outputs_of_each_chunk(queue, kind):
    x = drawn("f4", 300_000)
    scan = getattr(bifold.Accumulation, kind)(queue, "f4", init=0.5, piece_bytes=1 << 20)
    outputs = []
    for turn, chunk in enumerate(np.split(x, [3, 100_000, 262_145])):
        if turn == 1:
            outputs.append(scan.feed(bifold.to_device(chunk, queue)).get())
        elif turn == 2:
            place = chunk.copy()
            assert scan.feed(place, place) is place  # In place.
            outputs.append(place)
        else:
            outputs.append(scan.feed(chunk))
    assert same(np.concatenate(outputs), getattr(bifold, kind)(x, init=0.5, queue=queue))
    whole = bifold.inclusive_scan(x, init=0.5, queue=queue)
    assert same(scan.value(), whole[-1])


def test_outputs_with_gaps_and_of_the_host_overlapping(queue):
    x = drawn("i4", 1000)
    out = np.zeros((1000, 2), "i4")
    scan = bifold.Accumulation.inclusive_scan(queue, "i4")
    scan.feed(x[::-1], out[:, 1])
    assert same(out[:, 1].copy(), np.cumsum(x[::-1], dtype="i4")) and not out[:, 0].any()


def test_another_one_goes_on_where_one_was_saved(queue, device):
    x = drawn("f4", 30_000)
    total = bifold.Accumulation.reduce(queue, "f4")
    total.feed(x[:12_345])
    saved = total.save()
    assert isinstance(saved, bytes)
    other = bifold.Accumulation.reduce(device, "f4")
    other.resume(saved)
    other.feed(x[12_345:])
    assert same(other.value(), bifold.reduce(x, queue=queue))
    with pytest.raises(bifold.InvalidArgument, match="damaged"):
        other.resume(saved[:200] + bytes([saved[200] ^ 1]) + saved[201:])
    with pytest.raises(bifold.InvalidArgument, match="of another accumulation"):
        bifold.Accumulation.reduce(queue, "f4", "maximum").resume(saved)


def test_arrays_of_pyopencl(device):
    if device.info.backend != "opencl":
        pytest.skip("the device is none of OpenCL")
    cl = pytest.importorskip("pyopencl")
    from pyopencl import array

    context = cl.create_some_context(interactive=False)
    commands = cl.CommandQueue(context)
    x = drawn("f4", 20_000)
    scan = bifold.Accumulation.inclusive_scan(commands, "f4")
    first = scan.feed(array.to_device(commands, x[:7001]))
    second = array.empty(commands, x.size - 7001, np.float32)
    assert scan.feed(array.to_device(commands, x[7001:]), second) is second
    whole = bifold.inclusive_scan(array.to_device(commands, x)).get()
    assert same(np.concatenate([first.get(), second.get()]), whole)


def test_what_is_refused(queue):
    total = bifold.Accumulation.reduce(queue, "f4")
    scan = bifold.Accumulation.inclusive_scan(queue, "f4")
    ones = np.ones(3, "f4")
    with pytest.raises(bifold.InvalidArgument, match="x has elements of float64"):
        total.feed(np.ones(3))
    with pytest.raises(bifold.InvalidArgument, match="a reduction has no outputs"):
        total.feed(ones, ones)
    with pytest.raises(bifold.InvalidArgument, match="out has 4 elements, the chunk 3"):
        scan.feed(ones, np.empty(4, "f4"))
    with pytest.raises(bifold.InvalidArgument, match="out has elements of int32"):
        scan.feed(ones, np.empty(3, "i4"))
    with pytest.raises(bifold.WrongType, match=r"resume\(\): saved must be bytes"):
        total.resume("text")
    with pytest.raises(bifold.WrongType, match="is not called"):
        bifold.Accumulation(queue)
    assert total.count == 0 and total.value() == 0
    total.close()
    with pytest.raises(bifold.InvalidArgument, match="closed"):
        total.feed(ones)
