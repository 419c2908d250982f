#!/usr/bin/env python3
"""Puts what the runs beside peers say into documents, between the markers that these have.

  performance.py docs/performance.md docs/order.md README.md   rewrites the sections
  performance.py --check ...                                   exit status 1 when they are not what
                                                               the files say
"""
import json
import pathlib
import sys

from tables import duration, size

NAMES = {"cuda": "CUDA", "opencl": "OpenCL"}
REGIMES = ("back_to_back", "isolated", "blocking")
GIB = 1 << 30
STRUCTS = {"complex": 8, "triple": 12, "pair": 16}
ALL_TYPES = ("u8", "i8", "u16", "i16", "i32", "u32", "f32", "i64", "u64", "f64", *STRUCTS)


def bytes_of(type_):
    return STRUCTS.get(type_) or int(type_.lstrip("uif")) // 8


def backends_of(run):
    """The backend of each device of a run."""
    return {d["selector"]: d["backend"] for d in run["devices"]}


class Runs:
    """Results of all files by (backend, algorithm, type, n)."""

    def __init__(self, files):
        self.found, self.beside, self.machines = {}, {}, set()
        for path in sorted(files):
            run = json.loads(path.read_text())
            backends = backends_of(run)
            self.machines |= {(d["name"], d["backend"], d["driver"]) for d in run["devices"]}
            for result in run["results"]:
                if result["outcome"] == "timed":
                    key = (backends[result["device"]], result["algorithm"], result["type"],
                           result["n"])
                    self.found[key] = result
                    # Of several runs the last counts, for each peer the last that has it.
                    for peer in result.get("peers", []):
                        if peer["outcome"] == "timed":
                            self.beside[key, peer["name"]] = [
                                peer["regimes"][regime]["ratio"] for regime in REGIMES]

    def time(self, key, regime="back_to_back"):
        return self.found[key]["regimes"][regime]["median_s"]

    def peer(self, name, key, regime="back_to_back"):
        for peer in self.found.get(key, {}).get("peers", []):
            if peer["name"] == name and peer["outcome"] == "timed":
                return peer["regimes"][regime]["median_s"]
        return None

    def cub(self, algorithm, type_, n, regime="back_to_back"):
        return self.peer("CUB", ("cuda", algorithm, type_, n), regime)

    def ratio(self, backend, algorithm, type_, n, regime="back_to_back"):
        theirs = self.cub(algorithm, type_, n, regime)
        key = (backend, algorithm, type_, n)
        return None if theirs is None or key not in self.found else theirs / self.time(key, regime)

    def ratio_in_graphs(self, algorithm, type_, n):
        for peer in self.found.get(("cuda", algorithm, type_, n), {}).get("peers", []):
            if peer["name"] == "CUB" and "graph" in peer.get("regimes", {}):
                return peer["regimes"]["graph"]["ratio"]
        return None

    def sizes(self, backend, algorithm, type_):
        return sorted(n for b, a, t, n in self.found if (b, a, t) == (backend, algorithm, type_))

    def types(self):
        return sorted({t for _, _, t, _ in self.found}, key=ALL_TYPES.index)

    def traffic(self, algorithm, type_, n):
        return n * bytes_of(type_) * (2 if algorithm == "scan" else 1)


def ratio_tables(runs):
    lines = []
    for backend in ("cuda", "opencl"):
        for algorithm in ("reduce", "scan"):
            types = runs.types()
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


def cub_table(runs):
    """All types against CUB, back to back."""
    types = runs.types()
    lines = ["| | n | " + " | ".join(types) + " |", "| --- | --- |" + " ---: |" * len(types)]
    for algorithm in ("reduce", "scan"):
        for backend in ("cuda", "opencl"):
            for n in SHOWN:
                ratios = [runs.ratio(backend, algorithm, t, n) for t in types]
                cells = ["" if r is None else f"{r:.2f}" for r in ratios]
                lines.append(f"| {algorithm}, {backend} | {size(n)} | " + " | ".join(cells) + " |")
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


def against_cub(backend, algorithm, types, wanted, low, high=1 << 62):
    def measure(runs):
        return [(runs.ratio(backend, algorithm, t, n), wanted, f"{t}, n = {size(n)}")
                for t in types for n in runs.sizes(backend, algorithm, t)
                if low <= n <= high and runs.ratio(backend, algorithm, t, n) is not None]
    return measure


def of_limit(backend, algorithm, types, wanted):
    share = "share_of_read" if algorithm == "reduce" else "share_of_copy"

    def measure(runs):
        return [(runs.found[(backend, algorithm, t, n)][share], wanted, f"{t}, n = {size(n)}")
                for t in types if t in runs.types() for n in runs.sizes(backend, algorithm, t)
                if runs.traffic(algorithm, t, n) >= GIB]
    return measure


def of_limit_halves(backend, algorithm, wanted):
    """of_limit of what is accumulated in f32, which has a run of its own."""
    share = "share_of_read" if algorithm == "reduce" else "share_of_copy"

    def measure(_):
        run = json.loads((FOLDER / HALVES_RUN).read_text())
        backends = backends_of(run)
        return [(r[share], wanted, f"{r['type']}, n = {size(r['n'])}") for r in run["results"]
                if (backends[r["device"]], r["algorithm"]) == (backend, algorithm)
                and r["n"] * 2 * (2 if algorithm == "scan" else 1) >= GIB]
    return measure


def of_cuda(algorithm, types, wanted, least_bytes):
    def measure(runs):
        return [(runs.time(("cuda", algorithm, t, n)) / runs.time(("opencl", algorithm, t, n)),
                 wanted, f"{t}, n = {size(n)}")
                for t in types for n in runs.sizes("opencl", algorithm, t)
                if runs.traffic(algorithm, t, n) >= least_bytes]
    return measure


FOLDER = pathlib.Path(__file__).parent
HALVES_RUN = "halves/nvidia-h200-cuda-13.0-opencl-580.json"


def calls(runs, backend, algorithm, low, high):
    return [result for (b, a, _, n), result in runs.found.items()
            if (b, a) == (backend, algorithm) and low <= n <= high]


def middle(values):
    return sorted(values)[len(values) // 2]


def of_empty_launch(backend, algorithm, most):
    """An empty launch's time as a share of a call's of 4 bytes, and the share that is wanted."""
    def measure(runs):
        return [(result["empty_launch_s"] / result["regimes"]["back_to_back"]["median_s"],
                 1 / most, f"{result['type']}, n = {size(result['n'])}")
                for result in calls(runs, backend, algorithm, *SMALL)
                if result["type"] in FOUR]
    return measure


def call_overhead(backend):
    """What a small call takes of the host beyond an empty launch, in us."""
    def measure(runs):
        overheads = [(result["enqueue_s"] - result["empty_enqueue_s"]) * 1e6
                     for algorithm in ("reduce", "scan")
                     for result in calls(runs, backend, algorithm, 0, 1 << 18)]
        over = sum(overhead > 1 for overhead in overheads)
        return [(middle(overheads), f"the median; {over} of {len(overheads)} calls take more than "
                 f"1 us, at most {max(overheads):.2f}")] if overheads else []
    return measure


def back_to_back(path):
    """Times of a run on one device of each backend, whose index says nothing and is left out."""
    run = json.loads((FOLDER / path).read_text())
    return {(r["device"].split(":")[0], r["algorithm"], r["type"], r["n"], r["order"]):
            r["median_s"] for r in run["results"] if r["outcome"] == "timed"}


def off_alignment(backend, algorithm, types):
    def measure(_):
        run = json.loads((FOLDER / f"offset/{backend}.json").read_text())
        return [(r["share_of_aligned"], 0.95, f"{r['type']}, n = {size(r['n'])}")
                for r in run["results"]
                if r["algorithm"] == algorithm and r["type"] in types and r["outcome"] == "timed"]
    return measure


def against_any(algorithm, wanted):
    def measure(_):
        times = back_to_back("order/any-nvidia-h200-cuda-13.0-opencl-580.json")
        return [(times[key[:4] + ("any",)] / times[key], wanted, f"{key[2]}, n = {size(key[3])}")
                for key in times if key[1] == algorithm and key[4] == "v1"]
    return measure


FOUR, EIGHT = ("i32", "u32", "f32"), ("i64", "u64", "f64")
BYTES, HALVES = ("u8", "i8"), ("u16", "i16")
NARROW, ELEMENTS = BYTES + HALVES, BYTES + HALVES + FOUR + EIGHT
SMALL = (1 << 13, 1 << 20)
TARGETS = (
    ("reduce of 4 bytes below 2^13, CUDA: 1.0 x CUB",
     against_cub("cuda", "reduce", FOUR, 1.0, 1, (1 << 13) - 1)),
    ("reduce of 4 bytes, 2^13 to 2^20, CUDA: 2.0 x CUB",
     against_cub("cuda", "reduce", FOUR, 2.0, *SMALL)),
    ("reduce of 4 bytes, n = 5533214, CUDA: 1.45 x CUB",
     against_cub("cuda", "reduce", FOUR, 1.45, 5533214, 5533214)),
    ("reduce of 4 bytes, n = 5533214, OpenCL: 1.2 x CUB",
     against_cub("opencl", "reduce", FOUR, 1.2, 5533214, 5533214)),
    ("reduce of 4 bytes, n = 2^24, CUDA: 1.15 x CUB",
     against_cub("cuda", "reduce", FOUR, 1.15, 1 << 24, 1 << 24)),
    ("reduce of 4 bytes, n = 2^24, OpenCL: 1.1 x CUB",
     against_cub("opencl", "reduce", FOUR, 1.1, 1 << 24, 1 << 24)),
    ("reduce of 1 to 8 bytes from 1 GiB on, CUDA: 1.00 x CUB",
     lambda runs: [m for t in ELEMENTS for m in
                   against_cub("cuda", "reduce", (t,), 1.0,
                               GIB // runs.traffic("reduce", t, 1))(runs)]),
    ("reduce of 1 to 8 bytes from 1 GiB on, CUDA: 98 % of reading",
     of_limit("cuda", "reduce", ELEMENTS, 0.98)),
    ("reduce of 1 to 8 bytes from 1 GiB on, OpenCL: 0.98 of our CUDA",
     of_cuda("reduce", ELEMENTS, 0.98, GIB)),
    ("scan of 4 bytes, 2^13 to 2^20, CUDA: 1.8 x CUB",
     against_cub("cuda", "scan", FOUR, 1.8, *SMALL)),
    ("scan of i32 and u32 from 2^24, CUDA: 1.30 x CUB",
     against_cub("cuda", "scan", ("i32", "u32"), 1.30, 1 << 24)),
    ("scan of f32 in order v1, n = 2^24, CUDA: 1.25 x CUB",
     against_cub("cuda", "scan", ("f32",), 1.25, 1 << 24, 1 << 24)),
    ("scan of f32 in order v1 from 2^28, CUDA: 1.29 x CUB",
     against_cub("cuda", "scan", ("f32",), 1.29, 1 << 28)),
    ("scan of 4 bytes from 2^24, OpenCL: 0.97 of our CUDA",
     of_cuda("scan", FOUR, 0.97, (1 << 24) * 8)),
    ("scan of 8 bytes from 2^24, CUDA: 1.24 x CUB",
     against_cub("cuda", "scan", EIGHT, 1.24, 1 << 24)),
    ("scan of 8 bytes from 2^24, OpenCL: 1.24 x CUB",
     against_cub("opencl", "scan", EIGHT, 1.24, 1 << 24)),
    ("scan of 4 and 8 bytes from 1 GiB on, CUDA: 96 % of copying",
     of_limit("cuda", "scan", FOUR + EIGHT, 0.96)),
    ("scan of 4 and 8 bytes from 1 GiB on, OpenCL: 96 % of copying",
     of_limit("opencl", "scan", FOUR + EIGHT, 0.96)),
    ("scan of 1 and 2 bytes from 1 GiB on, CUDA: 93 % of copying",
     of_limit("cuda", "scan", NARROW, 0.93)),
    ("scan of 1 and 2 bytes from 1 GiB on, OpenCL: 93 % of copying",
     of_limit("opencl", "scan", NARROW, 0.93)),
    ("reduce of f16 and bf16 from 1 GiB on, CUDA: 98 % of reading",
     of_limit_halves("cuda", "reduce", 0.98)),
    ("scan of f16 and bf16 from 1 GiB on, CUDA: 93 % of copying",
     of_limit_halves("cuda", "scan", 0.93)),
    ("scan of f16 and bf16 from 1 GiB on, OpenCL: 93 % of copying",
     of_limit_halves("opencl", "scan", 0.93)),
    ("reduce of 16 bytes from 1 GiB on, CUDA: 1.00 x CUB",
     against_cub("cuda", "reduce", ("pair",), 1.0, 1 << 26)),
    ("reduce of 16 bytes from 1 GiB on, CUDA: 98 % of reading",
     of_limit("cuda", "reduce", ("pair",), 0.98)),
    ("scan of 16 bytes from 1 GiB on, CUDA: 96 % of copying",
     of_limit("cuda", "scan", ("pair",), 0.96)),
    ("scan of 16 bytes from 1 GiB on, OpenCL: 96 % of copying",
     of_limit("opencl", "scan", ("pair",), 0.96)),
    ("scan of 1 byte from 2^29, CUDA: 3.5 x CUB", against_cub("cuda", "scan", BYTES, 3.5, 1 << 29)),
    ("scan of 2 bytes from 2^28, CUDA: 2 x CUB", against_cub("cuda", "scan", HALVES, 2.0, 1 << 28)),
    ("order v1 at 0.99 of any order, reduce from 2^28", against_any("reduce", 0.99)),
    ("order v1 at 0.98 of any order, scan from 2^28", against_any("scan", 0.98)),
    ("empty launch at 1 / 1.4 of a reduce of 4 bytes, 2^13 to 2^20, OpenCL",
     of_empty_launch("opencl", "reduce", 1.4)),
    ("empty launch at 1 / 1.5 of a scan of 4 bytes, 2^13 to 2^20, OpenCL",
     of_empty_launch("opencl", "scan", 1.5)),
    ("one element off alignment, reduce of 4 and 8 bytes, CUDA: 0.95 of aligned",
     off_alignment("cuda", "reduce", FOUR + EIGHT)),
    ("one element off alignment, reduce of 1 and 2 bytes, CUDA: 0.95 of aligned",
     off_alignment("cuda", "reduce", NARROW + ("f16",))),
    ("one element off alignment, scan of 4 and 8 bytes, CUDA: 0.95 of aligned",
     off_alignment("cuda", "scan", FOUR + EIGHT)),
    ("one element off alignment, scan of 1 and 2 bytes, CUDA: 0.95 of aligned",
     off_alignment("cuda", "scan", NARROW + ("f16",))),
    ("one element off alignment, reduce, OpenCL: 0.95 of aligned",
     off_alignment("opencl", "reduce", ELEMENTS + ("f16",))),
    ("one element off alignment, scan, OpenCL: 0.95 of aligned",
     off_alignment("opencl", "scan", ELEMENTS + ("f16",))),
)
# Where less is better, in us.
COSTS = (
    ("host's part of a call up to 2^18 beyond an empty launch, CUDA: 1 us", call_overhead("cuda")),
    ("host's part of a call up to 2^18 beyond an empty launch, OpenCL: 1 us",
     call_overhead("opencl")),
)


def order_table():
    """Scans in order v1, those that take the prefix of any tile, and what the former take more."""
    run = json.loads(
        (FOLDER / "order/prefixes-nvidia-h200-cuda-13.0-opencl-580.json").read_text())
    times = {(r["device"].split(":")[0], r["type"], r["n"], r["variant"]): r["median_s"]
             for r in run["results"] if r["outcome"] == "timed"}
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


def target_table(runs):
    lines = ["| target | worst measured | | reached |", "| --- | ---: | --- | --- |"]
    for name, measure in TARGETS:
        measured = measure(runs)
        if not measured:
            lines.append(f"| {name} | not measured | | no |")
            continue
        value, wanted, where = min(measured)
        # What is shown has three digits, and so has what is judged.
        reached = "yes" if round(value, 3) >= wanted else f"missed by {wanted - value:.3f}"
        lines.append(f"| {name} | {value:.3f} | {where} | {reached} |")
    for name, measure in COSTS:
        for value, where in measure(runs):
            reached = "yes" if round(value, 3) <= 1 else f"missed by {value - 1:.3f}"
            lines.append(f"| {name} | {value:.3f} | {where} | {reached} |")
    return lines


def cpu_table(runs):
    """bifold on a CPU beside what runs there, with the share of copying or reading."""
    lines = ["| | n | bifold | of copying, of reading | std on TBB | Boost.Compute |",
             "| --- | --- | ---: | ---: | ---: | ---: |"]
    for key in sorted(runs.found, key=lambda key: (key[1], key[2], key[3])):
        _, algorithm, type_, n = key
        result, own = runs.found[key], runs.time(key)
        share = result["share_of_read" if algorithm == "reduce" else "share_of_copy"]
        peers = [runs.peer(name, key) for name in ("std, TBB", "Boost.Compute")]
        ratios = " | ".join("" if theirs is None else f"{theirs / own:.2f} x" for theirs in peers)
        cached = " (cache)" if result["in_cache"] else ""
        lines.append(f"| {algorithm} {type_}, `{result['variant_ran']}` | {size(n)} | "
                     f"{own * 1e6:.0f} us | {share * 100:.0f} %{cached} | {ratios} |")
    return lines


def halves_table():
    """Types that are added up in f32, which no peer does: times, and shares of the limits."""
    run = json.loads((FOLDER / HALVES_RUN).read_text())
    backends = backends_of(run)
    found = {(r["algorithm"], r["n"], r["type"], backends[r["device"]]): r
             for r in run["results"] if r["outcome"] == "timed"}
    columns = [(t, backend) for t in ("f16", "bf16") for backend in ("cuda", "opencl")]
    lines = ["| | n | " + " | ".join(f"{t}, {NAMES[b]}" for t, b in columns) + " |",
             "| --- | --- |" + " ---: |" * len(columns)]
    for algorithm, n in sorted({key[:2] for key in found}):
        share = "share_of_read" if algorithm == "reduce" else "share_of_copy"
        cells = []
        for column in columns:
            result = found[(algorithm, n) + column]
            cached = " (cache)" if result["in_cache"] else ""
            cells.append(f"{duration(result['median_s'])}, {result[share] * 100:.0f} %{cached}")
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
    runs = Runs(FOLDER.glob("peers/*.json"))
    sections = {"targets": target_table(runs), "ratios": ratio_tables(runs),
                "others": others_table(runs), "cub": cub_table(runs), "graphs": graph_tables(runs),
                "order": order_table(),
                "halves": halves_table(),
                "cpu": cpu_table(Runs(FOLDER.glob("peers-cpu/*.json")))}
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
