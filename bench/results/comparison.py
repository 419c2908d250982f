#!/usr/bin/env python3
"""Puts the runs of bench/results/standard side by side, for the README.

  comparison.py BIFOLD-BENCH README.md           rewrites the section between the markers, and
                                                 docs/comparison.png where a browser is there
  comparison.py --check BIFOLD-BENCH README.md   exit status 1 when the section is not what the
                                                 tool makes of the files

The figures are those of `bifold-bench compare --csv`, the picture is from its page.
"""
import collections
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BEGIN, END = "<!-- comparison: begin -->", "<!-- comparison: end -->"
FOLDER = pathlib.Path(__file__).resolve().parent / "standard"
PICTURE = "docs/comparison.png"
COLUMNS = [(algorithm, of) for of in ("f32", "i32", "f64") for algorithm in
           ("reduce", "inclusive scan")]
# All but the first chart goes, and what only asks to be clicked.
PICTURE_STYLE = """<style>
header, section:not(#bandwidth-section), .choices, h2 { display: none }
body { padding: 0 } figure { margin: 0; border-radius: 0 } .chart { height: 460px }
</style>"""


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


def table(rows):
    sums = [row for row in rows if row["operator"] == "plus" and row["variant"] == "production"]
    sides = list(dict.fromkeys((row["side"], row["device"], row["backend"]) for row in sums))
    sizes = collections.defaultdict(set)
    for row in sums:
        sizes[int(row["n"])].add(row["side"])
    n = max(n for n, those in sizes.items() if len(those) == len(sides))
    found = {(row["side"], row["algorithm"], row["type"]): row
             for row in sums if int(row["n"]) == n}
    bits = collections.Counter(row["bits"] for row in rows if row["side"] == sides[0][0])
    lines = [f"At n = {power(n)}, sums, in order v1; the share is of each device's own limit. "
             f"Bits: {bits['agree']} configurations agree, {bits['DIFFER']} differ.", "",
             "| device | backend | " + " | ".join(f"{a} {t}" for a, t in COLUMNS) + " |",
             "| --- | --- |" + " ---: |" * len(COLUMNS)]
    for side, device, backend in sides:
        cells = [cell(found.get((side, *column))) for column in COLUMNS]
        lines.append(f"| {side}: {device} | {backend} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(tool, folder, target):
    """The bandwidth chart as a picture, if there is a browser for it."""
    browser = shutil.which("chromium-headless-shell")
    if browser is None:
        print("no chromium-headless-shell: the picture stays as it is")
        return
    page = folder / "page.html"
    files = sorted(FOLDER.glob("*.json"))
    subprocess.run([tool, "compare", *files, "--html", page], stdout=subprocess.DEVNULL)
    page.write_text(page.read_text().replace("</head>", PICTURE_STYLE + "</head>"))
    subprocess.run([browser, "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000",
                    "--blink-settings=preferredColorScheme=1", "--window-size=1000,560",
                    "--hide-scrollbars", f"--screenshot={target}", page.as_uri()], check=True,
                   stderr=subprocess.DEVNULL)


def main(arguments):
    check = arguments[:1] == ["--check"]
    tool, readme = arguments[-2], pathlib.Path(arguments[-1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rows = compare(tool, folder)
        target = readme.resolve().parent / PICTURE
        if rows and not check:
            draw(tool, folder, target)
    body = "No two runs are kept yet." if not rows else table(rows)
    if rows and target.exists():
        body = f"![Bandwidth of sums over their length]({PICTURE})\n\n" + body
    text = readme.read_text()
    updated = re.sub(f"{BEGIN}.*{END}", lambda _: f"{BEGIN}\n\n{body}\n\n{END}", text, flags=re.S)
    if check and updated != text:
        print(f"{readme}: the comparison differs from bench/results/standard; run {sys.argv[0]}")
        return 1
    if updated != text:
        readme.write_text(updated)
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
