#!/usr/bin/env python3
"""Puts the tool's tables into documents, between the markers that name them.

  gallery.py BIFOLD-BENCH FILE...           rewrites the parts between markers
  gallery.py --check BIFOLD-BENCH FILE...   exit status 1 when a file is not what the tool says

  <!-- rows: begin -->            every row of the gallery
  <!-- gallery NAME: begin -->    the tables of a paper, of every run kept here as gallery-*.json;
                                  "legend": what their columns mean

The Markdown itself is the tool's, so that it is the same without Python.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

MARKED = re.compile(r"(<!-- (rows|gallery [\w-]+): begin -->\n).*?(<!-- \2: end -->)", re.DOTALL)


def markdown(tool, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "tables.md"
        subprocess.run([tool, "gallery", *arguments, "--markdown", file], check=True,
                       stdout=subprocess.DEVNULL)
        return file.read_text()


def tables(tool, name):
    """The tables of the paper `name` of every run, each under its device's heading."""
    runs = sorted(pathlib.Path(__file__).parent.glob("gallery-*.json"))
    text = ""
    for run in runs:
        page = markdown(tool, "--from", run, "--paper", "all" if name == "legend" else name)
        if name == "legend":
            return page.split("\n\n", 2)[1]
        found = re.search(r"^## .*\n\n((?:.|\n)*)", page, re.MULTILINE)
        if found:
            body = found[1]
            text += body if not text else "\n" + body[body.index("### "):]
    return text.strip() or "No run is kept yet."


def part(tool, name):
    if name == "rows":
        return markdown(tool, "--list").strip()
    return tables(tool, name.removeprefix("gallery "))


def main(arguments):
    check = arguments[:1] == ["--check"]
    tool, *files = arguments[1:] if check else arguments
    status = 0
    for file in map(pathlib.Path, files):
        text = file.read_text()
        updated = MARKED.sub(lambda m: f"{m[1]}\n{part(tool, m[2])}\n\n{m[3]}", text)
        if updated == text:
            continue
        if check:
            print(f"{file}: differs from what the tool says; run {sys.argv[0]} {tool} {file}")
            status = 1
        else:
            file.write_text(updated)
    return status


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
