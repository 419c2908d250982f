"""Tables of selections, from the medians in a device's set `select`."""
import pathlib

import medians
from runs import NAMES
from tables import duration, size

CALLS = ("select", "select_flagged", "unique", "partition_reversed", "partition")
TYPES = ("i32", "f64", "Float4", "i16", "u8")


def shown(type_):
    return "16 bytes" if type_ == "Float4" else type_


class Selections:
    """bifold's calls, and CUB's beside them, by (backend, call, variant, n, type)."""

    def __init__(self, file):
        self.found, self.cub = {}, {}
        for row in medians.read(file) if pathlib.Path(file).exists() else []:
            if row["set"] != "select":
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


def selection_tables(file):
    """A row for each call and length, a column for each type."""
    runs = Selections(file)
    lines = ["A cell has the time of a call back to back, its share of the time that copying what "
             "it reads and stores takes, and CUB's time over its own."] if runs.found else []
    lines += [""] * bool(lines)
    for backend in NAMES:
        keys = [key for key in runs.found if key[0] == backend]
        if not keys:
            continue
        row = runs.found[keys[0]]
        lines += [f"**{row['device']}, {NAMES[backend]}** ({row['date']})", "",
                  "| call | n | " + " | ".join(shown(t) for t in TYPES) + " |",
                  "| --- | --- |" + " --- |" * len(TYPES)]
        for call in CALLS:
            for variant in sorted({key[2] for key in keys if key[1] == call}, key=order):
                for n in sorted({key[3] for key in keys if key[1:3] == (call, variant)}):
                    cells = [runs.cell(backend, call, variant, n, t) for t in TYPES]
                    lines.append(f"| `{call}`, {variant} | {size(n)} | " + " | ".join(cells) + " |")
        lines.append("")
    return lines


def order(variant):
    """"kept 50 %" by its number."""
    digits = [word for word in variant.split() if word.isdigit()]
    return int(digits[0]) if digits else 0
