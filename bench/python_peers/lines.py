#!/usr/bin/env python3
"""Row and column sums, and running sums, of bifold beside other libraries that Python calls: on a
CUDA device PyTorch, CuPy and JAX, on a CPU NumPy.

  lines.py > medians.csv
  lines.py --device opencl:cpu > medians.csv

Each call works on an array on the device and is enqueued on the stream of its library. A sample is
a batch of calls and a wait, so that a time is that of a call among others. Contenders take turns.
What is not installed is left out. Results of bifold's are compared with NumPy's in double precision
before they are timed. Times are in microseconds; `ratio` is a contender's time over bifold's, and
`copy` the device's own copy of the input.
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
CALLS = ("sum", "cumsum", "copy")
COLUMNS = ("shape", "axis", "call", "type", "contender", "version", "median_us", "spread", "ratio",
           "backend", "device", "driver", "date")


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return None


def of_torch(torch, host, axis):
    """Calls of PyTorch, and how to wait for them."""
    x = torch.from_numpy(host).cuda()
    total = torch.empty(x.sum(axis).shape, dtype=x.dtype, device=x.device)
    running = torch.empty_like(x)
    return {
        "sum": lambda: torch.sum(x, axis, out=total),
        "cumsum": lambda: torch.cumsum(x, axis, out=running),
        "copy": lambda: running.copy_(x),
    }, torch.cuda.synchronize


def of_cupy(cupy, host, axis):
    x = cupy.asarray(host)
    total = cupy.empty(host.shape[1 - axis], host.dtype)
    running = cupy.empty_like(x)
    return {
        "sum": lambda: cupy.sum(x, axis, out=total),
        "cumsum": lambda: cupy.cumsum(x, axis, out=running),
        "copy": lambda: cupy.copyto(running, x),
    }, cupy.cuda.get_current_stream().synchronize


def of_jax(jax, host, axis):
    x = jax.device_put(host)
    last = {}

    def call(function):
        compiled = jax.jit(function)

        def run():
            last["result"] = compiled(x)

        return run

    calls = {
        "sum": call(lambda a: jax.numpy.sum(a, axis)),
        "cumsum": call(lambda a: jax.numpy.cumsum(a, axis)),
    }
    return calls, lambda: last["result"].block_until_ready() if last else None


def of_numpy(host, axis):
    total = numpy.empty(host.shape[1 - axis], host.dtype)
    running = numpy.empty_like(host)
    return {
        "sum": lambda: numpy.sum(host, axis, out=total),
        "cumsum": lambda: numpy.cumsum(host, axis, out=running),
        "copy": lambda: numpy.copyto(running, host),
    }, lambda: None


def of_bifold(bifold, host, axis, backend):
    """Calls of bifold on a device of its own, checked."""
    queue = bifold.Queue(backend)
    x = bifold.to_device(host, queue)
    total = bifold.empty((host.shape[1 - axis],), host.dtype, queue)
    running = bifold.empty(host.shape, host.dtype, queue)
    calls = {
        "sum": lambda: bifold.reduce_into(x, total, axis=axis),
        "cumsum": lambda: bifold.inclusive_scan(x, running, axis=axis),
    }
    wide = host.astype(numpy.float64)
    for name, result, expected in (("sum", total, wide.sum(axis)),
                                   ("cumsum", running, wide.cumsum(axis))):
        calls[name]()
        queue.finish()
        numpy.testing.assert_allclose(result.get(), expected, rtol=1e-4, atol=1e-2)
    return calls, queue.finish


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


def versions(library, names):
    """The libraries that are here, bifold first."""
    bifold = importlib.import_module("bifold")
    bifold.load_library(library)
    found = {"bifold": (bifold, bifold.version())}
    for name in names:
        module = optional(name)
        if module is not None:
            found[name] = (module, module.__version__)
    return found


def calls_of(found, host, axis, backend):
    """(contender, call) and how to make it and to wait for it."""
    make = {"torch": of_torch, "cupy": of_cupy, "jax": of_jax,
            "numpy": lambda _, *data: of_numpy(*data)}
    all_calls = {}
    for name, (module, _) in found.items():
        try:
            calls, wait = (of_bifold(module, host, axis, backend) if name == "bifold"
                           else make[name](module, host, axis))
        except AssertionError:
            raise
        except Exception as error:  # A library without a device, or with one it does not know.
            if name == "bifold":
                raise
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        for what, call in calls.items():
            all_calls[name, what] = (call, wait)
    return all_calls


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
    found = versions(arguments.library, ("numpy",) if on_cpu else ("torch", "cupy", "jax"))
    machine = machine_of(found["bifold"][0].open_device(arguments.device).info)
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    out.writeheader()
    random = numpy.random.default_rng(51)
    for text in arguments.shapes:
        shape, axis = text.split(":")
        rows, columns = (int(size) for size in shape.split("x"))
        host = random.standard_normal((rows, columns), dtype=numpy.float32)
        all_calls = calls_of(found, host, int(axis), arguments.device)
        for what in arguments.calls.split(","):
            names = [key for key in all_calls if key[1] == what]
            if not names:
                continue
            times = measure([all_calls[key] for key in names], arguments.samples,
                            arguments.seconds)
            medians = {name: statistics.median(own) for (name, _), own in zip(names, times)}
            for (name, _), own in zip(names, times):
                ours = medians.get("bifold")
                out.writerow({
                    "shape": shape, "axis": axis, "call": what, "type": "f32", "contender": name,
                    "version": found[name][1], "median_us": f"{medians[name]:.4g}",
                    "spread": spread_of(own),
                    "ratio": "" if ours is None else f"{medians[name] / ours:.3g}",
                    } | machine)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
