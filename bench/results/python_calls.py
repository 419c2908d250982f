"""Tables of calls from Python on one array, from the medians in a device's set `python`."""
import pathlib

import medians
from tables import size

# What a column has, as the record names it.
CONTENDERS = (("PyTorch", "torch"), ("bifold.torch", "bifold.torch on torch"),
              ("bifold on tensors", "bifold on torch"), ("CuPy", "cupy"),
              ("bifold on CuPy's arrays", "bifold on cupy"), ("JAX", "jax"),
              ("bifold on its own", "bifold"))
CALLS = (("Sums", "reduce"), ("Running sums", "scan"))


def short(text):
    number = float(text)
    return f"{number:.3g}" if number < 1000 else f"{number:.0f}"


def cell(row):
    if row is None:
        return ""
    host = f" ({short(row['enqueue_us'])})" if row["enqueue_us"] else ""
    return short(row["back_to_back_us"]) + host


def python_tables(file):
    """Microseconds of each call, and of the host's part of it."""
    rows = [row for row in (medians.read(file) if pathlib.Path(file).exists() else [])
            if row["set"] == "python"]
    if not rows:
        return []
    found = {(row["algorithm"], int(row["n"]), row["library"]): row for row in rows}
    newest = max(rows, key=lambda row: row["date"])
    here = [(name, key) for name, key in CONTENDERS if any(key == k for _, _, k in found)]
    lines = [f"**{newest['device']}**, f32, {newest['date']}: microseconds of a call among others "
             "(of the host)", ""]
    for title, algorithm in CALLS:
        lines += [f"| {title} | " + " | ".join(name for name, _ in here) + " |",
                  "| --- |" + " ---: |" * len(here)]
        for n in sorted({n for a, n, _ in found if a == algorithm}):
            cells = [cell(found.get((algorithm, n, key))) for _, key in here]
            lines.append(f"| {size(n)} | " + " | ".join(cells) + " |")
        lines.append("")
    return lines
