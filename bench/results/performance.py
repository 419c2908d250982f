#!/usr/bin/env python3
"""Puts what the runs beside peers say into documents, between the markers that these have.

  performance.py README.md docs/{performance,results,order,python,distributed}.md
                               rewrites the sections
  performance.py --check ...   exit status 1 when they are not what the files say
"""
import pathlib
import sys

from lines import cpu_line_tables, line_tables
from python_calls import python_tables
from runs import ALL_TYPES, HALVES, NAMES, OTHER_CUB, REGIMES, Runs, middle
from scaling import nccl_table, scaling_table
from tables import duration, size
from targets import WHY, target_table
from timed_calls import SEGMENTS, SELECTIONS, call_tables

FOLDER = pathlib.Path(__file__).parent
MEDIANS = FOLDER / "medians"


def ratio_tables(runs):
    lines = []
    for backend in ("cuda", "opencl"):
        for algorithm in ("reduce", "scan"):
            types = runs.types_beside("CUB")
            lines += [f"**{algorithm}, {backend} against CUB**: back to back (isolated; blocking)",
                      "", "| n | " + " | ".join(types) + " |",
                      "| --- |" + " ---: |" * len(types)]
            for n in runs.sizes(backend, algorithm, types[0]):
                cells = []
                for t in types:
                    r = [runs.ratio(backend, algorithm, t, n, g) for g in REGIMES]
                    cells.append("" if None in r else f"{r[0]:.2f} ({r[1]:.2f}; {r[2]:.2f})")
                lines.append(f"| {size(n)} | " + " | ".join(cells) + " |")
            lines.append("")
    return lines


def graph_tables(runs):
    """Both captured into CUDA graphs, where runs have that; else nothing."""
    ratios = {key[1:]: runs.ratio_in_graphs(*key[1:]) for key in runs.found if key[0] == "cuda"}
    ratios = {key: ratio for key, ratio in ratios.items() if ratio is not None}
    types = [t for t in ALL_TYPES if any(key[1] == t for key in ratios)]
    lines = ["## In CUDA graphs", "", "Calls captured into CUDA graphs, CUB's as well as bifold's: "
             "CUB's time over bifold's.", ""] if ratios else []
    for algorithm in sorted({key[0] for key in ratios}):
        lines += [f"**{algorithm}**", "", "| n | " + " | ".join(types) + " |",
                  "| --- |" + " ---: |" * len(types)]
        for n in sorted({key[2] for key in ratios if key[0] == algorithm}):
            of_n = [ratios.get((algorithm, t, n)) for t in types]
            cells = ["" if ratio is None else f"{ratio:.2f}" for ratio in of_n]
            lines.append(f"| {size(n)} | " + " | ".join(cells) + " |")
        lines.append("")
    return lines


SHOWN = (1 << 12, 1 << 16, 1 << 20, 5533214, 1 << 24, 1 << 28, 1 << 30)


def cub_table(runs, backends=("cuda", "opencl"), cub="CUB"):
    """All types against CUB, back to back."""
    types = runs.types_beside(cub)
    lines = ["| | n | " + " | ".join(types) + " |", "| --- | --- |" + " ---: |" * len(types)]
    for algorithm in ("reduce", "scan"):
        for backend in backends:
            for n in SHOWN:
                ratios = [runs.ratio(backend, algorithm, t, n, cub=cub) for t in types]
                cells = ["" if r is None else f"{r:.2f}" for r in ratios]
                lines.append(f"| {algorithm}, {backend} | {size(n)} | " + " | ".join(cells) + " |")
    return lines


def short_table(runs, n=1 << 28, types=("f32", "i32", "i64", "u8", "f16")):
    """A few types against CUB at one size."""
    lines = [f"| CUB's time over bifold's, n = {size(n)} | " + " | ".join(types) + " |",
             "| --- |" + " ---: |" * len(types)]
    for algorithm in ("reduce", "scan"):
        for backend, name in NAMES.items():
            cells = [f"{runs.ratio(backend, algorithm, t, n):.2f}" for t in types]
            lines.append(f"| {algorithm}, {name} | " + " | ".join(cells) + " |")
    return lines


def others_table(runs):
    """Every other library, each against bifold from the backend that it runs from."""
    peers = (("cuda", "Thrust"), ("opencl", "Boost.Compute"), ("opencl", "CLBlast"),
             ("cuda", "std, TBB"))
    lines = ["| | n | Thrust | Boost.Compute | CLBlast | std on TBB |",
             "| --- | --- | ---: | ---: | ---: | ---: |"]
    for algorithm in ("reduce", "scan"):
        for t in runs.types():
            for n in SHOWN:
                ratios = [runs.beside.get(((backend, algorithm, t, n), name))
                          for backend, name in peers]
                if not any(ratios):
                    continue
                cells = ["" if r is None else "{:.3g} ({:.3g}; {:.3g})".format(*r) for r in ratios]
                lines.append(f"| {algorithm} {t} | {size(n)} | " + " | ".join(cells) + " |")
    return lines


def order_table(runs):
    """Scans in order v1, those that take the prefix of any tile, and what the former take more."""
    times = {(b, t, n, variant): call.number("back_to_back_us") / 1e6
             for (b, algorithm, t, n, variant), call in runs.rows.items() if algorithm == "scan"}
    columns = [(t, device) for t in ("f32", "f64") for device in ("cuda", "opencl")]
    lines = ["| n | " + " | ".join(f"{t}, {NAMES[device]}" for t, device in columns) + " |",
             "| --- |" + " --- |" * len(columns)]
    for n in sorted({key[2] for key in times}):
        cells = []
        for t, device in columns:
            v1, free = (times[(device, t, n, row)] for row in ("production", "lookback_warp"))
            cells.append(f"{duration(v1)}, {duration(free)}: {(v1 / free - 1) * 100:+.1f} %")
        lines.append(f"| {size(n)} | " + " | ".join(cells) + " |")
    return lines


def cpu_table(runs):
    """bifold on a CPU beside what runs there, with the share of copying or reading."""
    lines = ["| | n | bifold | of copying, of reading | std on TBB | Boost.Compute |",
             "| --- | --- | ---: | ---: | ---: | ---: |"]
    for key in sorted(runs.found, key=lambda key: (key[1], ALL_TYPES.index(key[2]), key[3])):
        _, algorithm, type_, n = key
        call, own = runs.found[key], runs.time(key)
        peers = [runs.peer(name, key) for name in ("std, TBB", "Boost.Compute")]
        ratios = " | ".join("" if theirs is None else f"{theirs / own:.2f} x" for theirs in peers)
        cached = " (cache)" if call.cached else ""
        lines.append(f"| {algorithm} {type_}, `{call.variant_ran}` | {size(n)} | "
                     f"{own:.0f} us | {call.share() * 100:.0f} %{cached} | {ratios} |")
    return lines


def noise_table(runs):
    """By what share of its time a call differs from the same one in turns with it."""
    lines = ["| | calls | in the median | of nine in ten, at most | at most |",
             "| --- | ---: | ---: | ---: | ---: |"]
    for backend, name in NAMES.items():
        for words, low, high in (("up to 2^20", 0, 1 << 20), ("above", (1 << 20) + 1, 1 << 62)):
            differences = sorted(abs(call.number("again_ratio") - 1) * 100
                                 for (b, _, _, n), call in runs.found.items()
                                 if b == backend and low <= n <= high and call.row["again_ratio"])
            if differences:
                nine = differences[-(-len(differences) * 9 // 10) - 1]
                lines.append(f"| {name}, {words} | {len(differences)} | {middle(differences):.2f} %"
                             f" | {nine:.2f} % | {differences[-1]:.2f} % |")
    return lines


def halves_table(runs):
    """Types that are added up in f32: times and shares of the limits."""
    found = {(algorithm, n, t, backend): call
             for (backend, algorithm, t, n), call in runs.found.items() if t in HALVES}
    columns = [(t, backend) for t in HALVES for backend in NAMES]
    lines = ["| | n | " + " | ".join(f"{t}, {NAMES[b]}" for t, b in columns) + " |",
             "| --- | --- |" + " ---: |" * len(columns)]
    for algorithm, n in sorted({key[:2] for key in found}):
        cells = []
        for column in columns:
            call = found[(algorithm, n) + column]
            time = duration(call.number("back_to_back_us") / 1e6)
            cells.append(f"{time}, {call.share() * 100:.0f} %" + (" (cache)" * call.cached))
        lines.append(f"| {algorithm} | {size(n)} | " + " | ".join(cells) + " |")
    return lines


def replaced(text, marker, lines):
    begin, end = f"<!-- {marker}: begin -->", f"<!-- {marker}: end -->"
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    body = "\n".join(lines).strip()
    return before + begin + (f"\n\n{body}\n\n" if body else "\n") + end + after


def main(arguments):
    check = "--check" in arguments
    h200, h100 = MEDIANS / "nvidia-h200.csv", MEDIANS / "nvidia-h100.csv"
    pocl = MEDIANS / "pocl-3.1-intel-xeon-2-cores.csv"
    groups = MEDIANS / "nvidia-h200-groups.csv"
    runs = Runs(h200, ("peers", "host", "cub", "offset"), ("rows",))
    newer = Runs(h100, ("cub", "offset"))
    cpu = Runs(pocl, ("peers",))
    sections = {"targets": target_table(runs, WHY), "ratios": ratio_tables(runs),
                "others": others_table(runs), "cub": cub_table(runs), "short": short_table(runs),
                "other-cub": cub_table(runs, ("cuda",), OTHER_CUB),
                "graphs": graph_tables(Runs(h200, ("graphs",))),
                "order": order_table(runs), "halves": halves_table(runs),
                "targets-h100": target_table(newer), "cub-h100": cub_table(newer),
                "halves-h100": halves_table(newer), "noise-h100": noise_table(newer),
                "cpu": cpu_table(cpu), "lines": line_tables(h200),
                "lines-cpu": cpu_line_tables(pocl), "python": python_tables(h200),
                "scaling": scaling_table(groups), "nccl": nccl_table(groups),
                "selections": call_tables(h200, SELECTIONS),
                "segments": call_tables(h200, SEGMENTS)}
    missing, stale = set(sections), 0
    for path in (pathlib.Path(a) for a in arguments if a != "--check"):
        new = text = path.read_text()
        for marker, lines in sections.items():
            if f"<!-- {marker}: begin -->" in text:
                new = replaced(new, marker, lines)
                missing.discard(marker)
        if check and new != text:
            print(f"{path}: run {pathlib.Path(__file__).name} {path}", file=sys.stderr)
            stale += 1
        elif not check:
            path.write_text(new)
    if missing:
        print(f"no document has a place for {', '.join(sorted(missing))}", file=sys.stderr)
    return int(stale > 0 or bool(missing))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
