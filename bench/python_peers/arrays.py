#!/usr/bin/env python3
"""Sums and running sums of one array, of bifold from Python beside PyTorch, CuPy and JAX on a CUDA
device.

  arrays.py > medians.csv

bifold is called with its own arrays, with those of CuPy and tensors of PyTorch, and as
bifold.torch. Outputs exist, or are made by whoever makes them. `median_us` is the time of a call
among others: of a batch of them and a wait. `host_us` is what the host spends on one, of a batch of
some tens that nobody waits for. Contenders take turns; `ratio` is a contender's `median_us` over
that of the quickest of bifold's on its arrays. Results are compared with NumPy's in double
precision before. What is not installed, or has no device, is left out.
"""
import argparse
import csv
import statistics
import sys

import numpy
from lines import host_time, machine_of, measure, modules_of, spread_of

SIZES = (1, 1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28)
CALLS = ("sum", "cumsum")
# Whose arrays a contender takes, and whose call it is.
CONTENDERS = (("bifold", "bifold"), ("torch", "torch"), ("torch", "bifold"),
              ("torch", "bifold.torch"), ("cupy", "cupy"), ("cupy", "bifold"), ("jax", "jax"))
COLUMNS = ("n", "call", "type", "arrays", "contender", "version", "median_us", "spread", "host_us",
           "ratio", "backend", "device", "driver", "date")


class Arrays:
    """Arrays of one library: an input, room for one element and for as many, and how to wait."""

    def __init__(self, kind, modules, host, queue):
        module = modules[kind]
        n = len(host)
        if kind == "bifold":
            self.x = module.to_device(host, queue)
            self.one = module.empty(1, host.dtype, queue)
            self.out = module.empty(n, host.dtype, queue)
            self.wait = queue.finish
            self.get = lambda array: array.get()
        elif kind == "torch":
            self.x = module.from_numpy(host).cuda()
            self.one, self.out = (module.empty(size, device="cuda") for size in (1, n))
            self.wait = module.cuda.synchronize
            self.get = lambda array: array.cpu().numpy()
        elif kind == "cupy":
            self.x = module.asarray(host)
            self.one, self.out = (module.empty(size, host.dtype) for size in (1, n))
            self.wait = module.cuda.get_current_stream().synchronize
            self.get = module.asnumpy
        else:
            self.x = module.device_put(host)
            self.last = None
            self.wait = lambda: self.last is None or self.last.block_until_ready()
            self.get = numpy.asarray


def calls_of(kind, contender, modules, arrays):
    """{what: call}, each of which gives its result."""
    module, x = modules[contender], arrays.x
    if contender == "bifold":
        return {"sum": lambda: module.reduce_into(x, arrays.one),
                "cumsum": lambda: module.inclusive_scan(x, arrays.out)}
    if contender == "cupy":
        zero = arrays.one.reshape(())
        return {"sum": lambda: module.sum(x, out=zero),
                "cumsum": lambda: module.cumsum(x, out=arrays.out)}
    if contender == "jax":
        def kept(function):
            compiled = module.jit(function)

            def call():
                arrays.last = compiled(x)
                return arrays.last
            return call
        return {"sum": kept(module.numpy.sum), "cumsum": kept(module.numpy.cumsum)}
    return {"sum": lambda: module.sum(x), "cumsum": lambda: module.cumsum(x, 0)}


def rows_of_size(n, modules, queue, arguments):
    host = numpy.random.default_rng(52).random(n, dtype=numpy.float32)
    wide = host.astype(numpy.float64)
    expected = {"sum": wide.sum(), "cumsum": wide.cumsum()}
    made = {}
    for kind in dict.fromkeys(kind for kind, _ in CONTENDERS):
        if kind not in modules:
            continue
        try:
            made[kind] = Arrays(kind, modules, host, queue)
        except Exception as error:  # A library without a device, or with one it does not know.
            if kind == "bifold":
                raise
            print(f"{kind} is left out: {error}", file=sys.stderr)
    for what in CALLS:
        names, calls = [], []
        for kind, contender in CONTENDERS:
            if kind in made and contender in modules:
                call = calls_of(kind, contender, modules, made[kind])[what]
                result = numpy.ravel(made[kind].get(call()))
                numpy.testing.assert_allclose(result, numpy.ravel(expected[what]), rtol=1e-4)
                names.append((kind, contender))
                calls.append((call, made[kind].wait))
        times = measure(calls, arguments.samples, arguments.seconds)
        medians = {name: statistics.median(own) for name, own in zip(names, times)}
        for name, own, (call, wait) in zip(names, times, calls):
            kind, contender = name
            own_arrays = [medians[k, c] for k, c in names if k == kind and "bifold" in c]
            ours = min(own_arrays or [medians["bifold", "bifold"]])
            yield {"n": n, "call": what, "type": "f32", "arrays": kind, "contender": contender,
                   "version": getattr(modules[contender.split(".")[0]], "__version__", ""),
                   "median_us": f"{medians[name]:.4g}",
                   "spread": spread_of(own),
                   "host_us": f"{host_time(call, wait):.3g}",
                   "ratio": f"{medians[name] / ours:.3g}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0", help="bifold's, one of CUDA")
    parser.add_argument("--library", help="libbifold.so, where it lies apart from the package")
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.01, help="of a sample")
    arguments = parser.parse_args()
    modules = modules_of(arguments.library, ("torch", "bifold.torch", "cupy", "jax"))
    queue = modules["bifold"].Queue(arguments.device)
    machine = machine_of(queue.device.info)
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    out.writeheader()
    for n in arguments.sizes:
        for row in rows_of_size(n, modules, queue, arguments):
            out.writerow(row | machine)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
