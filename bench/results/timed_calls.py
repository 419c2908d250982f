"""Tables of selections and of sums of segments, from the medians in a device's sets."""
import pathlib

import medians
from runs import NAMES
from tables import duration, goals_table, size

BYTES = {"i32": 4, "f32": 4, "f64": 8, "Float4": 16, "i16": 2, "u8": 1}
TYPES = tuple(BYTES)
MIB = 1 << 20


def shown(type_):
    return "16 bytes" if type_ == "Float4" else type_


class Calls:
    """bifold's calls, and CUB's beside them, by (backend, call, variant, n, type)."""

    def __init__(self, file, of):
        self.found, self.cub = {}, {}
        for row in medians.read(file) if pathlib.Path(file).exists() else []:
            if row["set"] != of:
                continue
            type_ = "Float4" if row["type"].endswith("Float4") else row["type"]
            key = (row["backend"], row["algorithm"], row["variant"], int(row["n"]), type_)
            (self.found if row["library"] == "bifold" else self.cub)[key] = row

    def cell(self, *key):
        row, cub = self.found.get(key), self.cub.get(key)
        if row is None:
            return ""
        time, share = float(row["back_to_back_us"]) / 1e6, float(row["of_copy"])
        text = f"{duration(time)}, {share * 100:.0f} %"
        return text + (f", {float(cub['back_to_back_ratio']):.2f}" if cub else "")

    def shares(self, wanted, least_bytes, holds):
        """What is measured of copying, what is wanted, and where."""
        return [(float(row["of_copy"]), wanted, key) for key, row in self.found.items()
                if key[3] * BYTES[key[4]] >= least_bytes and holds(key)]

    def of_cub(self, backend, least):
        return [(float(row["back_to_back_ratio"]), 1, key) for key, row in self.cub.items()
                if key[0] == backend and key[3] >= least and key in self.found]


def goals_of_selections(runs):
    def shares(calls, wanted):
        return runs.shares(wanted, 64 * MIB,
                           lambda key: key[1] in calls and key[4] in ("i32", "f64", "Float4"))

    one_pass = ("select", "select_flagged", "unique", "partition_reversed")
    yield "4 to 16 bytes, from 64 MiB on: 85 % of copying", shares(one_pass, 0.85)
    yield "`partition`, which reads twice: two thirds of that", shares(("partition",), 0.85 * 2 / 3)
    yield "CUDA: CUB's time", runs.of_cub("cuda", 0)
    yield "OpenCL from 2^22 on: CUB's time", runs.of_cub("opencl", 1 << 22)


def goals_of_segments(runs):
    def shares(variants, wanted):
        return runs.shares(wanted, 512 * MIB, lambda key: key[2] in variants)

    long = ("mean 32", "mean 256", "mean 4096")
    yield "mean lengths from 32 on, 2^28: 85 % of copying", shares(long, 0.85)
    yield "a mean of 4, 2^28: 60 % of copying", shares(("mean 4",), 0.6)
    yield "other lengths, 2^28: 85 % of copying", shares(("power law", "all in one"), 0.85)
    yield "CUDA: CUB's time", runs.of_cub("cuda", 0)


SELECTIONS = ("select", ("select", "select_flagged", "unique", "partition_reversed", "partition"),
              goals_of_selections, "select_times", "it reads and stores takes")
SEGMENTS = ("segments", ("segmented_reduce",), goals_of_segments, "segment_times",
            "values, offsets and results have takes")


def place(backend, call, what, n, type_):
    return f"`{call}`, {what}, {shown(type_)}, {size(n)}, {NAMES[backend]}"


def call_tables(file, of):
    """A row for each call and length, a column for each type."""
    name, calls, goals, program, moved = of
    runs = Calls(file, name)
    lines = [f"A cell has the time of a call back to back, its share of the time that copying what "
             f"{moved}, and CUB's time over its own. Measured by "
             f"[`{program}`](../bench/peers/{program}.cu)."] if runs.found else []
    lines += ["", *goals_table(goals(runs), place), ""] if lines else []
    for backend in NAMES:
        keys = [key for key in runs.found if key[0] == backend]
        if not keys:
            continue
        row = runs.found[keys[0]]
        shown_types = [t for t in TYPES if any(key[4] == t for key in keys)]
        lines += [f"**{row['device']}, {NAMES[backend]}** ({row['date']})", "",
                  "| call | n | " + " | ".join(shown(t) for t in shown_types) + " |",
                  "| --- | --- |" + " --- |" * len(shown_types)]
        for call in calls:
            for variant in sorted({key[2] for key in keys if key[1] == call}, key=order):
                for n in sorted({key[3] for key in keys if key[1:3] == (call, variant)}):
                    cells = [runs.cell(backend, call, variant, n, t) for t in shown_types]
                    lines.append(f"| `{call}`, {variant} | {size(n)} | " + " | ".join(cells) + " |")
        lines.append("")
    return lines


def order(variant):
    """"kept 50 %" by its number, those without one by their names."""
    digits = [word for word in variant.split() if word.isdigit()]
    return (int(digits[0]) if digits else 0, variant)
