#!/usr/bin/env python3
"""Puts the errors kept in accuracy/ into a document, between its accuracy markers.

  accuracy.py docs/order.md           rewrites the section
  accuracy.py --check docs/order.md   exit status 1 when the section is not what the files say

accuracy/bifold.md is what `bifold-bench accuracy --markdown` wrote, and each accuracy/cub-*.md what
bench/peers/cub_accuracy.cu printed. Their first four columns have to agree: the same inputs.
"""
import pathlib
import sys

BEGIN, END = "<!-- accuracy: begin -->", "<!-- accuracy: end -->"
KEYS = 3  # type, elements, n; then the sum from left to right.


def read(path):
    """The first line, the column titles and the rows by their key of a file."""
    lines = path.read_text().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in lines if line.startswith("|") and not line.startswith("| ---")]
    return lines[0], rows[0], {tuple(row[:KEYS]): row[KEYS:] for row in rows[1:]}


def section(folder):
    _, titles, rows = read(folder / "bifold.md")
    peers = []
    for path in sorted(folder.glob("cub-*.md")):
        head, peer_titles, peer_rows = read(path)
        other = [key for key, cells in rows.items() if peer_rows.get(key, [""])[0] != cells[0]]
        if other:
            sys.exit(f"{path}: other inputs than bifold.md's: {', '.join(other[0])}")
        peers.append((head, peer_titles[KEYS + 1:], peer_rows))
    titles = titles[1:] + [title for _, more, _ in peers for title in more]
    lines = [BEGIN, ""]
    for kind in dict.fromkeys(key[0] for key in rows):
        lines += [f"`{kind}`:", "", "| " + " | ".join(titles) + " |",
                  "| --- |" + " --- |" * (len(titles) - 1)]
        for key, cells in rows.items():
            if key[0] == kind:
                more = [cell for _, _, peer in peers for cell in peer[key][1:]]
                lines.append("| " + " | ".join([*key[1:], *cells, *more]) + " |")
        lines.append("")
    lines += [f"{head}: the columns of CUB.\n" for head, _, _ in peers]
    return "\n".join(lines + [END])


def main(arguments):
    check = arguments[:1] == ["--check"]
    document = pathlib.Path(arguments[-1])
    text = document.read_text()
    before, rest = text.split(BEGIN)
    updated = before + section(pathlib.Path(__file__).parent / "accuracy") + rest.split(END)[1]
    if check:
        if updated != text:
            print(f"{document}: the errors differ from bench/results; run accuracy.py")
        return int(updated != text)
    document.write_text(updated)
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
