#!/usr/bin/env python3
"""Whether what renew.py runs is what a file says: renew_test.py TOOL RESULTS."""
import json
import pathlib
import subprocess
import sys
import tempfile

TOOL, RESULTS = sys.argv[1], pathlib.Path(sys.argv[2])
SHORT = ["--seconds", "0.0005", "--samples", "2"]
RUNS = {
    "peers": ["--type", "i32,f64", "--algorithm", "scan", "--size", "1000,2^12", "--kind",
              "exclusive", "--peers", "tbb", "--no-graphs"] + SHORT,
    "offset": ["--type", "u8", "--order", "any", "--variant", "chunks,production", "--op",
               "maximum", "--size", "5000", "--offset", "3"] + SHORT,
    "lines": ["--type", "f32", "--lines", "3x50,70x4", "--axis", "1"] + SHORT,
    "suite": ["--suite", "quick", "--type", "f32", "--size", "2^10"] + SHORT,
}


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=False)


def asked_and_measured(path):
    """What a file says of its run, without what differs from one run to the next."""
    document = json.loads(path.read_text())
    return (document["settings"], [p["module"] for p in document.get("peers", [])],
            [(r["algorithm"], r["type"], r["n"], r.get("lines"), r["variant"], r.get("order"),
              r.get("digest"))
             for r in document["results"]])


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, options in RUNS.items():
            made = folder / f"{name}.json"
            first = run(TOOL, "run", "--no-progress", "--device", "opencl:cpu", *options, "--json",
                        made)
            if "no device" in first.stderr + first.stdout:
                print("SKIPPED: no OpenCL CPU device")
                sys.exit(77)
            assert first.returncode == 0, first.stdout + first.stderr
            again = run(RESULTS / "renew.py", TOOL, folder / "new", made)
            assert again.returncode == 0, again.stdout + again.stderr
            assert asked_and_measured(folder / "new" / made.name) == asked_and_measured(made), name
        gallery = sorted(RESULTS.glob("gallery-*.json"))[0]
        refused = run(RESULTS / "renew.py", "--print", TOOL, folder, gallery)
        assert refused.returncode == 1 and "gallery" in refused.stderr, refused.stderr
        refused = run(RESULTS / "renew.py", "--print", TOOL, folder, made, made)
        assert refused.returncode == 1 and "one place" in refused.stderr, refused.stderr
    print(f"{len(RUNS)} runs renewed as they were")


main()
