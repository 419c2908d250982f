#!/usr/bin/env python3
"""Puts an H200's runs beside CUB, and those kept in this folder, into the README, between its
result markers.

  tables.py README.md           rewrites the section
  tables.py --check README.md   exit status 1 when the section is not what the files say
"""
import json
import pathlib
import sys

TYPES = ("f32", "i32")
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def size(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def duration(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def cell(result):
    if result is None:
        return ""
    if result["outcome"] != "timed":
        return result["outcome"]
    share = "share_of_read" if result["algorithm"] == "reduce" else "share_of_copy"
    cached = " (cache)" if result["in_cache"] else ""
    return (f"{duration(result['median_s'])}, {result['gb_per_s']:.0f} GB/s, "
            f"{100 * result[share]:.0f} %{cached}")


def table(run, device):
    rows = [r for r in run["results"]
            if r["device"] == device["selector"] and r["variant"] == "production"]
    columns = sorted({(r["algorithm"], r["type"]) for r in rows})
    name = device["name"] if device["backend"] == "cuda" else f"{device['name']}"
    platform = device["platform"].split(",")[0].strip()
    lines = [f"**{name}, {device['backend']}** ({platform}, driver {device['driver']}; "
             f"bifold {run['library_version']}, {run['time'][:10]})", ""]
    lines.append("| n | " + " | ".join(f"{a} {t}" for a, t in columns) + " |")
    lines.append("| --- |" + " --- |" * len(columns))
    found = {(r["algorithm"], r["type"], r["n"]): r for r in rows}
    for n in sorted({r["n"] for r in rows}):
        cells = [cell(found.get((a, t, n))) for a, t in columns]
        lines.append(f"| {size(n)} | " + " | ".join(cells) + " |")
    return lines


def beside_cub(folder):
    """The runs of these types as one."""
    runs = [json.loads((folder / f"peers/with-cub-{name}.json").read_text()) for name in TYPES]
    return runs[0] | {"results": [result for run in runs for result in run["results"]]}


def section(folder):
    kept = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    lines = []
    for run in [beside_cub(folder)] + [run for run in kept if run["command"] == "run"]:
        for device in run["devices"]:
            lines += table(run, device) + [""]
    return "\n".join([BEGIN, ""] + lines + [END])


def main(arguments):
    check = arguments[:1] == ["--check"]
    readme = pathlib.Path(arguments[-1])
    text = readme.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    updated = before + section(pathlib.Path(__file__).parent) + after
    if check:
        if updated != text:
            print(f"{readme}: the results section differs from bench/results; run tables.py")
        return int(updated != text)
    readme.write_text(updated)
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
