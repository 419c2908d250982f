#!/usr/bin/env python3
"""Puts medians of an H200's calls and a CPU's into docs/results.md, between its result markers.

  tables.py docs/results.md           rewrites the section
  tables.py --check docs/results.md   exit status 1 when the section is not what the files say
"""
import pathlib
import sys

from runs import NAMES, Runs

TYPES = ("f32", "i32")
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def size(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def duration(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def goals_table(measured, place):
    """Of each goal the least of (value, wanted, key), and where that is: place(*key)."""
    lines = ["| goal | the least measured | where | met by |", "| --- | ---: | --- | ---: |"]
    for name, values in measured:
        if not values:
            continue
        least, wanted, key = min(values, key=lambda v: v[0] / v[1])
        met = sum(round(value, 3) >= wanted for value, wanted, _ in values)
        lines.append(f"| {name} | {least:.2f} | {place(*key)} | {met} of {len(values)} |")
    return lines if len(lines) > 2 else []


def cell(call):
    if call is None:
        return ""
    time = duration(call.number("back_to_back_us") / 1e6)
    cached = " (cache)" if call.cached else ""
    return f"{time}, {call.number('gb_per_s'):.0f} GB/s, {100 * call.share():.0f} %{cached}"


def table(runs, backend):
    found = {key: call for key, call in runs.found.items() if key[0] == backend and key[2] in TYPES}
    columns = sorted({key[1:3] for key in found})
    row = max((call.row for call in found.values()), key=lambda row: row["date"])
    lines = [f"**{row['device']}, {NAMES[backend]}** (driver {row['driver']}; bifold "
             f"{row['version']}, {row['date']})", ""]
    lines.append("| n | " + " | ".join(f"{a} {t}" for a, t in columns) + " |")
    lines.append("| --- |" + " --- |" * len(columns))
    for n in sorted({key[3] for key in found}):
        cells = [cell(found.get((backend, *column, n))) for column in columns]
        lines.append(f"| {size(n)} | " + " | ".join(cells) + " |")
    return lines


def section(folder):
    lines = []
    for file, sets in (("nvidia-h200", ("cub",)), ("pocl-3.1-intel-xeon-2-cores", ("alone",))):
        runs = Runs(folder / "medians" / f"{file}.csv", sets)
        for backend in sorted({key[0] for key in runs.found}):
            lines += table(runs, backend) + [""]
    return "\n".join([BEGIN, ""] + lines + [END])


def main(arguments):
    check = arguments[:1] == ["--check"]
    page = pathlib.Path(arguments[-1])
    text = page.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    updated = before + section(pathlib.Path(__file__).parent) + after
    if check:
        if updated != text:
            print(f"{page}: the results section differs from bench/results; run tables.py")
        return int(updated != text)
    page.write_text(updated)
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
