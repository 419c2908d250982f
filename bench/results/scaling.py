"""How calls over several devices scale: the table of medians that are kept of them."""
import medians
from runs import NAMES
from tables import duration, size

TRANSPORTS = {"in_process": "one process", "mpi": "MPI, a process a device"}

class Group:
    """A call over some ranks: "over 2, strong, mpi"."""

    def __init__(self, row):
        ranks, self.scaling, self.transport = row["variant"].split(", ")
        self.ranks, self.row = int(ranks.removeprefix("over ")), row
        n = int(row["n"])
        # What the line of a table has in common: all elements, or those of each rank.
        self.size = n if self.scaling == "strong" else n // self.ranks
        self.line = (row["algorithm"], row["type"], self.size)

    def text(self):
        time = duration(float(self.row["blocking_us"]) / 1e6)
        if self.ranks == 1:
            return time
        return f"{time} ({float(self.row['of_slice']):.2f}; {float(self.row['speedup']):.2f}x)"


def scaling_table(file):
    """Nothing where nothing is kept."""
    if not file.exists():
        return []
    groups = [Group(row) for row in medians.read(file)
              if row["set"] == "scaling" and row["library"] == "bifold"
              and not row["variant"].endswith("any order")]
    lines = []
    kinds = sorted({(g.row["backend"], g.transport, g.scaling) for g in groups})
    for backend, transport, scaling in kinds:
        here = [g for g in groups
                if (g.row["backend"], g.transport, g.scaling) == (backend, transport, scaling)]
        most = max(here, key=lambda g: g.ranks)
        columns = sorted({g.ranks for g in here})
        what = "n" if scaling == "strong" else "n of each"
        lines += [f"**{most.row['device']}, {NAMES[backend]}, {TRANSPORTS[transport]}, "
                  f"{scaling} scaling** "
                  f"(driver {most.row['driver']}; bifold {most.row['version']}, "
                  f"{most.row['date']}): a blocking call (one device's time for a slice over "
                  "it; its speed as a multiple of one device's with all elements)", "",
                  f"| call | {what} | " + " | ".join(f"over {ranks}" for ranks in columns) + " |",
                  "| --- | --- |" + " ---: |" * len(columns)]
        for algorithm, type_, n in sorted({g.line for g in here}):
            cells = {g.ranks: g.text() for g in here if g.line == (algorithm, type_, n)}
            lines.append(f"| {algorithm} {type_} | {size(n)} | "
                         + " | ".join(cells.get(ranks, "") for ranks in columns) + " |")
        lines.append("")
    return lines


def device_time(row, regime):
    return duration(float(row[f"{regime}_us"]) / 1e6) if row.get(f"{regime}_us") else ""


def nccl_table(file):
    """Of plans over NCCL, whose runs only enqueue. Nothing where nothing is kept."""
    rows = [row for row in medians.read(file) if row["set"] == "nccl"] if file.exists() else []
    if not rows:
        return []
    calls = {}
    for row in rows:
        ranks = int(row["variant"].split(", ")[0].removeprefix("over "))
        key = (row["algorithm"], row["type"], int(row["n"]) // ranks)
        calls.setdefault(key, {})[row["library"]] = row
    any_row = rows[0]
    beside = ["one device's slice", "NCCL all-gather", "NCCL all-reduce of the slices' sums"]
    lines = [f"**{any_row['device']}, plans over NCCL** (driver {any_row['driver']}; bifold "
             f"{any_row['version']}, {any_row['date']}): device time of a run, and in a CUDA graph",
             "", "| call | n of each | run | in a graph | " + " | ".join(beside) + " |",
             "| --- | --- |" + " ---: |" * (2 + len(beside))]
    for (algorithm, type_, n), libraries in sorted(calls.items()):
        own = libraries["bifold"]
        cells = [device_time(own, "back_to_back"), device_time(own, "graph")]
        cells += [device_time(libraries[name], "back_to_back") if name in libraries else ""
                  for name in beside]
        lines.append(f"| {algorithm} {type_} | {size(n)} | " + " | ".join(cells) + " |")
    return [*lines, ""]
