#!/usr/bin/env python3
"""Puts the runs of bench/results/standard side by side, for docs/results.md.

  comparison.py BIFOLD-BENCH docs/results.md           rewrites the section between the markers, and
                                                 docs/comparison.svg
  comparison.py --check BIFOLD-BENCH docs/results.md   exit status 1 when they are not what the tool
                                                 makes of the files

The figures are those of `bifold-bench compare --csv`.
"""
import collections
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

BEGIN, END = "<!-- comparison: begin -->", "<!-- comparison: end -->"
FOLDER = pathlib.Path(__file__).resolve().parent / "standard"
PICTURE = "comparison.svg"
COLUMNS = [(algorithm, of) for of in ("f32", "i32", "f64") for algorithm in
           ("reduce", "inclusive scan")]
BARS = (("reduce", "#4878b0"), ("inclusive scan", "#d8863b"))
BACKENDS = {"cuda": "CUDA", "opencl": "OpenCL"}
WIDTH, LEFT, ROW, TOP = 900, 250, 44, 56


def compare(tool, folder):
    """The rows of the CSV and the page; nothing where there are not two devices."""
    files = sorted(FOLDER.glob("*.json"))
    done = subprocess.run([tool, "compare", *files, "--csv", folder / "x.csv"],
                          capture_output=True, text=True)
    if done.returncode == 2:
        return None
    with open(folder / "x.csv", newline="") as file:
        return list(csv.DictReader(file))


def power(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def cell(row):
    if row is None or row["outcome"] != "timed":
        return "-" if row is None else row["outcome"]
    share = ""
    if row["limit_gb_per_s"]:
        share = f", {100 * float(row['gb_per_s']) / float(row['limit_gb_per_s']):.0f} %"
    return f"{float(row['gb_per_s']):.0f} GB/s{share}"


def sums_at_one_size(rows):
    """The devices, the largest size that all have, and its rows by device, algorithm and type."""
    sums = [row for row in rows if row["operator"] == "plus" and row["variant"] == "production"
            and not row["axis"]]
    sides = list(dict.fromkeys((row["side"], row["device"], row["backend"]) for row in sums))
    sizes = collections.defaultdict(set)
    for row in sums:
        sizes[int(row["n"])].add(row["side"])
    n = max(n for n, those in sizes.items() if len(those) == len(sides))
    return sides, n, {(row["side"], row["algorithm"], row["type"]): row
                      for row in sums if int(row["n"]) == n}


def table(rows):
    sides, n, found = sums_at_one_size(rows)
    bits = collections.Counter(row["bits"] for row in rows if row["side"] == sides[0][0])
    lines = [f"At n = {power(n)}, sums, in order v1; the share is of each device's own limit. "
             f"Bits: {bits['agree']} configurations agree, {bits['DIFFER']} differ.", "",
             "| device | backend | " + " | ".join(f"{a} {t}" for a, t in COLUMNS) + " |",
             "| --- | --- |" + " ---: |" * len(COLUMNS)]
    for side, device, backend in sides:
        cells = [cell(found.get((side, *column))) for column in COLUMNS]
        lines.append(f"| {side}: {device} | {backend} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def lines_table(rows):
    """Sums along the lines of the suites' matrices, of the devices whose runs have them."""
    found = {(row["side"], row["type"], row["algorithm"], row["rows"], row["columns"],
              row["axis"]): row for row in rows if row["axis"]}
    columns = sorted({key[1:] for key in found})
    if not columns:
        return ""
    names = [f"{algorithm} {t}, {rows} x {across}, axis {axis}"
             for t, algorithm, rows, across, axis in columns]
    lines = ["", "Lines, the share of copying:", "",
             "| device | backend | " + " | ".join(names) + " |",
             "| --- | --- |" + " ---: |" * len(columns)]
    sides = dict.fromkeys((row["side"], row["device"], row["backend"]) for row in found.values())
    for side, device, backend in sides:
        cells = [cell(found.get((side, *column))) for column in columns]
        lines.append(f"| {side}: {device} | {backend} | " + " | ".join(cells) + " |")
    return "\n".join(["", *lines])


def picture(rows):
    """Bars of the rates of f32 on each device, on one linear axis, as SVG."""
    sides, n, found = sums_at_one_size(rows)
    rates = {(side[0], algorithm): float(found[(side[0], algorithm, "f32")]["gb_per_s"])
             for side in sides for algorithm, _ in BARS}
    step = 1000
    most = -(-max(rates.values()) // step) * step
    scale = (WIDTH - LEFT - 90) / most
    bottom = TOP + ROW * len(sides)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 34}" '
             'font-family="sans-serif" font-size="14" fill="#222">',
             f'<rect width="{WIDTH}" height="{bottom + 34}" fill="#fff"/>',
             f'<text x="16" y="24" font-size="16">Sums of f32 in order v1, n = {power(n)}, '
             'GB/s</text>']
    for i, (algorithm, colour) in enumerate(BARS):
        x = WIDTH - 300 + 110 * i
        parts += [f'<rect x="{x}" y="13" width="12" height="12" fill="{colour}"/>',
                  f'<text x="{x + 18}" y="24">{algorithm}</text>']
    for tick in range(0, int(most) + 1, step):
        x = LEFT + tick * scale
        parts += [f'<path d="M{x:.1f} {TOP - 8}V{bottom}" stroke="#ddd"/>',
                  f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{tick}</text>']
    for row, (side, device, backend) in enumerate(sides):
        y = TOP + ROW * row
        name = device.removeprefix("pthread-skylake-avx512-").replace(" 80GB HBM3", "")
        parts.append(f'<text x="{LEFT - 10}" y="{y + 22}" text-anchor="end">{name}, '
                     f'{BACKENDS[backend]}</text>')
        for i, (algorithm, colour) in enumerate(BARS):
            rate = rates[(side, algorithm)]
            parts += [f'<rect x="{LEFT}" y="{y + 17 * i}" width="{max(rate * scale, 1):.1f}" '
                      f'height="15" fill="{colour}"/>',
                      f'<text x="{LEFT + rate * scale + 6:.1f}" y="{y + 17 * i + 12}" '
                      f'font-size="12">{rate:.0f}</text>']
    return "\n".join([*parts, "</svg>\n"])


def main(arguments):
    check = arguments[:1] == ["--check"]
    tool, page = arguments[-2], pathlib.Path(arguments[-1])
    with tempfile.TemporaryDirectory() as name:
        rows = compare(tool, pathlib.Path(name))
    if not rows:
        print("fewer than two runs are kept: there is nothing to compare")
        return 1
    text = page.read_text()
    body = f"![Rates of sums of f32 on each device]({PICTURE})\n\n{table(rows)}{lines_table(rows)}"
    updated = re.sub(f"{BEGIN}.*{END}", lambda _: f"{BEGIN}\n\n{body}\n\n{END}", text, flags=re.S)
    target = page.resolve().parent / PICTURE
    drawn = target.read_text() if target.exists() else ""
    if check and (updated != text or drawn != picture(rows)):
        print(f"{page}: the comparison differs from bench/results/standard; run {sys.argv[0]}")
        return 1
    if not check:
        page.write_text(updated)
        target.write_text(picture(rows))
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
