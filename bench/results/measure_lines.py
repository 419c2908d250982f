#!/usr/bin/env python3
"""Measures reductions and scans of lines, for the tables of docs/results.md. About five minutes.

  measure_lines.py TOOL FOLDER                     every run, as FOLDER/*.json
  measure_lines.py --device opencl:cpu --thin ...  small matrices, to see that it works
  measure_lines.py --package build/bindings/python ...
                                                   libraries of Python: FOLDER/python.csv

TOOL is bifold-bench, with the peer cub_segmented where there is a CUDA device. Runs follow one
another in the order of their weight. The one that is going on after --minutes is interrupted, and
keeps what it has. A short table is printed last. medians.py keeps what was measured:

  medians.py medians/DEVICE.csv lines FOLDER/*.json FOLDER/python.csv
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import medians

LIBRARIES = pathlib.Path(__file__).resolve().parents[1] / "python_peers" / "lines.py"


def powers(n, step):
    """Matrices of n elements, from one row to one column."""
    rows = [1 << i for i in range(0, n.bit_length(), step)]
    return [f"{r}x{n // r}" for r in rows]


def runs(thin):
    """The options of each run, those that weigh most first."""
    n, step = (1 << 12, 4) if thin else (1 << 26, 2)
    four = [f"{k}x{k}" for k in ((64,) if thin else (4096,))]
    four += ["1024x16", "16x1024"] if thin else [f"{1 << 20}x16", f"16x{1 << 20}"]
    large = ["128x64"] if thin else [f"{1 << 14}x{1 << 13}", f"{1 << 14}x{1 << 14}"]
    few = ["64x64", "1024x4"] if thin else [f"{1 << 13}x{1 << 13}", f"{1 << 20}x64"]
    lengths = ["4096"] if thin else ["2^24", "2^26"]
    both = ["--type", "f32,i32"]
    return {
        "shapes": ["--lines", ",".join(four), *both],
        "f32": ["--lines", ",".join(powers(n, step)), "--type", "f32"],
        "arrays": ["--size", ",".join(lengths), *both],
        "i32": ["--lines", ",".join(powers(n, step)), "--type", "i32"],
        "large": ["--lines", ",".join(large), "--type", "f32"],
        "argmax": ["--lines", ",".join(few), "--type", "f32,i32", "--op", "argmax", "--algorithm",
                   "reduce"],
        "types": ["--lines", ",".join(few), "--type", "f64,f16,u8"],
    }


def libraries_command(arguments):
    """lines.py at its own shapes."""
    command = [sys.executable, str(LIBRARIES), "--device", arguments.device.split(",")[0]]
    if arguments.library:
        command += ["--library", str(arguments.library)]
    thin = ["--shapes", "64x64:1", "64x64:0", "--seconds", "0.002"]
    return command + thin * arguments.thin


def finished(command, log, seconds):
    """The exit status of a run, which is interrupted after that time."""
    with open(log, "w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        try:
            return process.wait(max(seconds, 0))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            return process.wait()


def shape_of(row):
    return row["lines"] or f"{row['n']} elements"


def table(files):
    """Times and shares of copying of both backends, and CUB's time over CUDA's."""
    found = {}
    for file in files:
        for row in medians.rows_of(json.loads(file.read_text()), "lines"):
            key = (row["algorithm"], row["type"], int(row["n"]), shape_of(row))
            found.setdefault(key, {})[row["backend"], row["library"]] = row
    lines = [f"{'':34}{'CUDA us':>10}{'of copy':>9}{'OpenCL us':>11}{'of copy':>9}{'CUB':>8}"]
    for key, rows in found.items():
        cells = f"{key[0]:7}{key[1]:4}{key[3]:23}"
        for backend, width in (("cuda", 10), ("opencl", 11)):
            own = rows.get((backend, "bifold"))
            cells += f"{own['back_to_back_us']:>{width}}" if own else " " * width
            cells += f"{100 * float(own['of_copy']):7.0f} %" if own and own["of_copy"] else " " * 9
        cub = rows.get(("cuda", "CUB, segments"))
        lines.append(cells + (f"{float(cub['back_to_back_ratio']):7.2f}x" if cub else ""))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--device", default="cuda:0,opencl:gpu")
    parser.add_argument("--peers", default="cub_segmented", help="on a CPU: tbb")
    parser.add_argument("--seconds", default="0.02", help="for each contender and regime")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--only", help="some of the runs: " + ",".join(runs(False)))
    parser.add_argument("--package", type=pathlib.Path, help="the folder of bifold's package")
    parser.add_argument("--library", type=pathlib.Path, help="libbifold.so for it")
    parser.add_argument("--thin", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    start, status, files = time.monotonic(), 0, []
    wanted = runs(arguments.thin)
    if arguments.only is not None:
        wanted = {name: wanted[name] for name in arguments.only.split(",") if name}
    if arguments.package:
        environment = os.environ | {"PYTHONPATH": str(arguments.package)}
        with open(arguments.folder / "python.csv", "w") as out:
            done = subprocess.run(libraries_command(arguments), stdout=out, env=environment)
            status |= done.returncode
    deadline = start + 60 * arguments.minutes
    for name, options in wanted.items():
        if time.monotonic() > deadline:
            print(f"{name} is left out: the time is over")
            continue
        file = arguments.folder / f"{name}.json"
        command = [arguments.tool, "run", "--no-progress", "--device", arguments.device, *options,
                   "--peers", arguments.peers, "--no-graphs", "--seconds", arguments.seconds,
                   "--samples", "9", "--json", file]
        code = finished(command, arguments.folder / f"{name}.txt", deadline - time.monotonic())
        print(f"{name}: status {code}, after {time.monotonic() - start:.0f} s", flush=True)
        status |= code
        if file.exists():
            files.append(file)
    print(table(files))
    return int(status != 0)


if __name__ == "__main__":
    sys.exit(main())
