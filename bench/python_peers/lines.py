#!/usr/bin/env python3
"""Row and column sums, and running sums, of bifold beside other libraries that Python calls: on a
CUDA device PyTorch, CuPy and JAX, on a CPU NumPy.

  lines.py > medians.csv
  lines.py --device opencl:cpu > medians.csv

bifold is called with its own arrays, with those of CuPy and tensors of PyTorch, and as
bifold.torch. Each call works on an array on the device and is enqueued on the stream of its
library. `median_us` is the time of a call among others: of a batch of them and a wait. `host_us` is
what the host spends on one, of a batch of some tens that nobody waits for. Contenders take turns.
What is not installed is left out. Results are compared with NumPy's in double precision before they
are timed. `ratio` is a contender's time over that of bifold on its own arrays.
"""
import argparse
import csv
import datetime
import importlib
import statistics
import sys
import time

import numpy

SHAPES = ("4096x4096:1", "4096x4096:0", f"{1 << 20}x16:1", f"16x{1 << 20}:1")
CALLS = ("sum", "cumsum")
# Whose arrays a contender takes, and whose call it is.
CONTENDERS = (("bifold", "bifold"), ("torch", "torch"), ("torch", "bifold"),
              ("torch", "bifold.torch"), ("cupy", "cupy"), ("cupy", "bifold"), ("jax", "jax"),
              ("numpy", "numpy"))
COLUMNS = ("shape", "axis", "call", "type", "arrays", "contender", "version", "median_us", "spread",
           "host_us", "ratio", "backend", "device", "driver", "date")
HOST_CALLS = 40  # As many launches are queued without waiting for one.


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return None


class Arrays:
    """Arrays of one library: an input, room for what sums and running sums give, how to wait."""

    def __init__(self, kind, module, host, axis, queue):
        few = host.shape[:axis] + host.shape[axis + 1:]
        if kind == "bifold":
            self.x = module.to_device(host, queue)
            self.total, self.running = (
                module.empty(shape, host.dtype, queue) for shape in (few, host.shape))
            self.wait = queue.finish
            self.get = lambda array: array.get()
        elif kind == "torch":
            self.x = module.from_numpy(host).cuda()
            self.total, self.running = (
                module.empty(shape, device="cuda") for shape in (few, host.shape))
            self.wait = module.cuda.synchronize
            self.get = lambda array: array.cpu().numpy()
        elif kind == "jax":
            self.x = module.device_put(host)
            self.last = None
            self.wait = lambda: self.last is None or self.last.block_until_ready()
            self.get = numpy.asarray
        else:
            self.x = module.asarray(host)
            self.total, self.running = (
                module.empty(shape, host.dtype) for shape in (few, host.shape))
            on_device = kind == "cupy"
            self.wait = (module.cuda.get_current_stream().synchronize if on_device
                         else lambda: None)
            self.get = module.asnumpy if on_device else module.asarray


def calls_of(contender, module, arrays, axis):
    """{what: call}, each of which gives its result."""
    x = arrays.x
    if contender == "bifold":
        return {"sum": lambda: module.reduce_into(x, arrays.total, axis=axis),
                "cumsum": lambda: module.inclusive_scan(x, arrays.running, axis=axis)}
    if contender in ("cupy", "numpy"):
        return {"sum": lambda: module.sum(x, axis, out=arrays.total),
                "cumsum": lambda: module.cumsum(x, axis, out=arrays.running)}
    if contender == "jax":
        def kept(function):
            compiled = module.jit(function, static_argnums=1)

            def call():
                arrays.last = compiled(x, axis)
                return arrays.last
            return call
        return {"sum": kept(module.numpy.sum), "cumsum": kept(module.numpy.cumsum)}
    return {"sum": lambda: module.sum(x, axis), "cumsum": lambda: module.cumsum(x, axis)}


def batch_of(call, wait, seconds):
    """Calls that together take about so long."""
    for calls in (1, 10):
        wait()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        each = (time.perf_counter() - start) / calls
    return max(1, min(1000, int(seconds / each)))


def measure(contenders, samples, seconds):
    """The samples of each contender, in turns, in microseconds."""
    for call, wait in contenders:
        call()
        wait()
    batches = [batch_of(call, wait, seconds) for call, wait in contenders]
    times = [[] for _ in contenders]
    for _ in range(samples):
        for (call, wait), batch, own in zip(contenders, batches, times):
            wait()
            start = time.perf_counter()
            for _ in range(batch):
                call()
            wait()
            own.append((time.perf_counter() - start) / batch * 1e6)
    return times


def spread_of(own):
    """From the first decile of samples to the last one, as a share of the median."""
    deciles = statistics.quantiles(own, n=10) if len(own) > 1 else [own[0]] * 9
    return f"{(deciles[-1] - deciles[0]) / statistics.median(own):.2g}"


def machine_of(info):
    """What each row says of the device."""
    return {"backend": info.backend, "device": info.name, "driver": info.driver,
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat()}


def host_time(call, wait, batches=9):
    """Microseconds of the host for one call."""
    times = []
    for _ in range(batches):
        wait()
        start = time.perf_counter()
        for _ in range(HOST_CALLS):
            call()
        times.append((time.perf_counter() - start) / HOST_CALLS * 1e6)
    wait()
    return statistics.median(times)


def modules_of(library, names):
    """The libraries that are here, bifold among them."""
    bifold = optional("bifold")
    bifold.load_library(library)
    found = {name: optional(name) for name in names}
    return {"bifold": bifold} | {name: module for name, module in found.items() if module}


def made_arrays(modules, host, axis, queue):
    """The arrays of each library that has a device it knows."""
    made = {}
    for kind in dict.fromkeys(kind for kind, _ in CONTENDERS):
        if kind not in modules:
            continue
        try:
            made[kind] = Arrays(kind, modules[kind], host, axis, queue)
        except Exception as error:  # A library without a device, or with one it does not know.
            if kind == "bifold":
                raise
            print(f"{kind} is left out: {error}", file=sys.stderr)
    return made


def rows_of_shape(host, axis, modules, queue, arguments):
    wide = host.astype(numpy.float64)
    expected = {"sum": wide.sum(axis), "cumsum": wide.cumsum(axis)}
    made = made_arrays(modules, host, axis, queue)
    for what in arguments.calls.split(","):
        names, calls = [], []
        for kind, contender in CONTENDERS:
            if kind not in made or contender not in modules:
                continue
            call = calls_of(contender, modules[contender], made[kind], axis)[what]
            if "bifold" in contender:
                numpy.testing.assert_allclose(
                    made[kind].get(call()), expected[what], rtol=1e-4, atol=1e-2)
            names.append((kind, contender))
            calls.append((call, made[kind].wait))
        times = measure(calls, arguments.samples, arguments.seconds)
        ours = statistics.median(times[0])
        for (kind, contender), own, (call, wait) in zip(names, times, calls):
            module = modules[contender.split(".")[0]]
            median = statistics.median(own)
            few = median > 2000  # A host that computes itself takes as long.
            yield {"call": what, "type": "f32", "arrays": kind, "contender": contender,
                   "version": module.__version__, "median_us": f"{median:.4g}",
                   "spread": spread_of(own),
                   "host_us": f"{host_time(call, wait, 2 if few else 9):.3g}",
                   "ratio": f"{median / ours:.3g}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", help="bifold's: cuda, opencl:gpu, opencl:cpu")
    parser.add_argument("--library", help="libbifold.so, where it lies apart from the package")
    parser.add_argument("--shapes", nargs="*", default=SHAPES, help="ROWSxCOLUMNS:AXIS")
    parser.add_argument("--calls", default=",".join(CALLS))
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.02, help="of a sample")
    arguments = parser.parse_args()
    on_cpu = "cpu" in arguments.device
    modules = modules_of(arguments.library,
                         ("numpy",) if on_cpu else ("torch", "bifold.torch", "cupy", "jax"))
    queue = modules["bifold"].Queue(arguments.device)
    machine = machine_of(queue.device.info)
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    out.writeheader()
    random = numpy.random.default_rng(51)
    for text in arguments.shapes:
        shape, axis = text.split(":")
        rows, columns = (int(size) for size in shape.split("x"))
        host = random.standard_normal((rows, columns), dtype=numpy.float32)
        for row in rows_of_shape(host, int(axis), modules, queue, arguments):
            out.writerow({"shape": shape, "axis": axis} | row | machine)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
