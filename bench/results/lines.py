"""Tables of reductions and scans of lines, from the medians in a device's set `lines`."""
import pathlib

import medians
from python_calls import CONTENDERS, cell as call_cell
from runs import NAMES
from tables import duration, goals_table, size

ALGORITHMS = ("reduce", "scan")
CUB = "CUB, segments"
# What Python calls, as the record names it.
LIBRARIES = (*CONTENDERS, ("NumPy", "numpy"))
CALLS = (("sums", "reduce"), ("running sums", "scan"))
# The matrices that libraries are compared on.
SHAPES = ((4096, 4096, 1), (4096, 4096, 0), (1 << 20, 16, 1), (16, 1 << 20, 1))
SWEPT = 1 << 26


def matrix_of(row):
    """Rows, columns and axis; None of an array."""
    if not row["lines"]:
        return None
    rows, columns, axis = row["lines"].replace("x", ":").split(":")
    return int(rows), int(columns), int(axis)


class LineRuns:
    """bifold's calls by (backend, algorithm, type, matrix), where an array's matrix is its length;
    peers' by (..., library); and what Python called by (library, algorithm, matrix)."""

    def __init__(self, file):
        self.found, self.peers, self.libraries = {}, {}, {}
        for row in medians.read(file) if pathlib.Path(file).exists() else []:
            if row["set"] != "lines":
                continue
            matrix = matrix_of(row) or int(row["n"])
            if row["variant"] == "Python":
                self.libraries[row["library"], row["algorithm"], matrix] = row
                continue
            key = (row["backend"], row["algorithm"], row["type"], matrix)
            if row["library"] == "bifold":
                self.found[key] = row
            else:
                self.peers[(*key, row["library"])] = row

    def backends(self):
        return [backend for backend in NAMES if any(key[0] == backend for key in self.found)]

    def time(self, *key):
        row = self.found.get(key)
        return float(row["back_to_back_us"]) if row else None

    def share(self, *key):
        row = self.found.get(key)
        return float(row["of_copy"]) if row and row["of_copy"] else None

    def matrices(self, types, n=None):
        return sorted({key[3] for key in self.found if key[2] in types
                       and isinstance(key[3], tuple) and n in (None, key[3][0] * key[3][1])})


def name_of(matrix):
    return f"{size(matrix[0])} x {size(matrix[1])}"


def cell(runs, *key):
    if key not in runs.found:
        return ""
    time, share = runs.time(*key), runs.share(*key)
    return duration(time / 1e6) + (f", {share * 100:.0f} %" if share else "")


def times_table(runs, matrices, types, algorithms=ALGORITHMS):
    """A row for each matrix, a column for each algorithm, type and backend."""
    columns = [(algorithm, t, backend) for algorithm in algorithms for t in types
               for backend in runs.backends()
               if any((backend, algorithm, t, matrix) in runs.found for matrix in matrices)]
    lines = ["| R x C, axis | " + " | ".join(f"{a} {t}, {NAMES[b]}" for a, t, b in columns) + " |",
             "| --- |" + " ---: |" * len(columns)]
    for matrix in matrices:
        cells = [cell(runs, b, a, t, matrix) for a, t, b in columns]
        lines.append(f"| {name_of(matrix)}, {matrix[2]} | " + " | ".join(cells) + " |")
    return lines


def swept_tables(runs):
    lines = []
    for axis in (1, 0):
        matrices = [m for m in runs.matrices(("f32", "i32"), SWEPT)
                    if m[2] == axis and (m[0].bit_length() - 1) % 2 == 0]
        if not matrices:
            continue
        where = "rows (axis 1)" if axis == 1 else "columns (axis 0)"
        lines += [f"**Along {where}**", "", *times_table(runs, matrices, ("f32", "i32")), ""]
    return lines


def other_tables(runs):
    """Other types, the greatest elements, and matrices that are larger."""
    lines = []
    types = [t for t in ("f64", "f16", "u8") if runs.matrices((t,))]
    if types:
        lines += ["**Other types**", "", *times_table(runs, runs.matrices(types), types), ""]
    places = sorted({key[3] for key in runs.found if key[1] == "argmax"})
    if places:
        lines += ["**argmax**", "", *times_table(runs, places, ("f32", "i32"), ("argmax",)), ""]
    large = [m for m in runs.matrices(("f32",)) if m[0] * m[1] > SWEPT]
    if large:
        lines += ["**Larger matrices**", "", *times_table(runs, large, ("f32",)), ""]
    return lines


def peers_of(runs, matrices, types, library):
    return any((b, a, t, m, library) in runs.peers for b in runs.backends() for a in ALGORITHMS
               for t in types for m in matrices)


def shapes_tables(runs):
    """bifold beside peers of its own run, and Python's libraries beside bifold's package."""
    matrices = [m for m in SHAPES if any(key[3] == m for key in runs.found)]
    if not matrices:
        return []
    lines = [*times_table(runs, matrices, ("f32", "i32")), ""]
    for library in (CUB, "std, TBB"):
        if not peers_of(runs, matrices, ("f32", "i32"), library):
            continue
        backend = "cuda" if library == CUB else runs.backends()[0]
        columns = [(a, t) for a in ALGORITHMS for t in ("f32", "i32")]
        lines += [f"**{library}**, its time over bifold's from {NAMES[backend]}", "",
                  "| R x C, axis | " + " | ".join(f"{a} {t}" for a, t in columns) + " |",
                  "| --- |" + " ---: |" * len(columns)]
        for matrix in matrices:
            rows = [runs.peers.get((backend, a, t, matrix, library)) for a, t in columns]
            cells = [f"{float(row['back_to_back_ratio']):.2f}" if row else "" for row in rows]
            lines.append(f"| {name_of(matrix)}, {matrix[2]} | " + " | ".join(cells) + " |")
        lines.append("")
    return lines + libraries_table(runs)


def libraries_table(runs):
    """Microseconds of each call from Python, and of the host's part of it."""
    here = [(name, key) for name, key in LIBRARIES if any(k[0] == key for k in runs.libraries)]
    if not here:
        return []
    versions = {key: next(row["version"] for k, row in runs.libraries.items() if k[0] == key)
                for _, key in here}
    text = ", ".join(f"{name} {versions[key].partition('+')[0]}" for name, key in here
                     if "bifold" not in key)
    lines = [f"**Called from Python**, f32: microseconds of a call among others (of the host); "
             f"{text}", "",
             "| R x C, axis | " + " | ".join(name for name, _ in here) + " |",
             "| --- |" + " ---: |" * len(here)]
    for title, algorithm in CALLS:
        for matrix in sorted({key[2] for key in runs.libraries if key[1] == algorithm},
                             key=shape_place):
            cells = [call_cell(runs.libraries.get((key, algorithm, matrix))) for _, key in here]
            lines.append(f"| {title}, {name_of(matrix)}, {matrix[2]} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def shape_place(matrix):
    return (SHAPES.index(matrix) if matrix in SHAPES else len(SHAPES), matrix)


def lines_in(matrix):
    rows, columns, axis = matrix
    return columns if axis == 0 else rows


def few_long_columns(matrix):
    rows, columns, axis = matrix
    return axis == 0 and 3 <= columns < 128 and rows > columns


def goals(runs):
    """Each with the least measured, what is wanted, and where."""
    def shares(algorithm, types, wanted, which=lambda m: True):
        return [(share, wanted, key) for key in runs.found for share in (runs.share(*key),)
                if key[1] == algorithm and key[2] in types and share is not None
                and isinstance(key[3], tuple) and which(key[3])]

    def swept(matrix):
        return matrix[0] * matrix[1] == SWEPT

    def of_cuda():
        return [(runs.time("cuda", *key[1:]) / runs.time(*key), 0.95, key) for key in runs.found
                if key[0] == "opencl" and ("cuda", *key[1:]) in runs.found
                and isinstance(key[3], tuple) and key[3][0] * key[3][1] > SWEPT]

    def one_line():
        return [(runs.time(*key[:3], length) / runs.time(*key), 0.9, key) for key in runs.found
                if isinstance(key[3], tuple) and lines_in(key[3]) == 1
                for length in (key[3][0] * key[3][1],) if (*key[:3], length) in runs.found]

    def of_library(name, times, which):
        """Their own run's time over bifold's from C++."""
        return [(float(row["back_to_back_us"]) / runs.time("cuda", "scan", "f32", matrix), times,
                 ("cuda", "scan", "f32", matrix))
                for matrix in which for row in (runs.libraries.get((name, "scan", matrix)),)
                if row and ("cuda", "scan", "f32", matrix) in runs.found]

    both = ("f32", "i32")
    yield "reductions of 2^26: 90 % of copying", shares("reduce", both, 0.9, swept)
    yield ("scans of 2^26: 85 % of copying",
           shares("scan", both, 0.85, lambda m: swept(m) and not few_long_columns(m)))
    yield ("scans of 4 to 127 long columns: 65 % of copying",
           shares("scan", both, 0.65, lambda m: swept(m) and few_long_columns(m)))
    yield "reductions of f64, f16, u8: 80 % of copying", shares("reduce", ("f64", "f16", "u8"), 0.8)
    yield "scans of f64, f16, u8: 75 % of copying", shares("scan", ("f64", "f16", "u8"), 0.75)
    yield "argmax: 80 % of copying", shares("argmax", both, 0.8)
    yield "OpenCL from 2^27 on: 0.95 of CUDA", of_cuda()
    yield "one line: 0.9 of the one-array call", one_line()
    yield "running sums: 3 x torch.cumsum", of_library("torch", 3, SHAPES)
    yield "the second and third shape: 25 x torch.cumsum", of_library("torch", 25, SHAPES[1:3])
    yield "the second and third shape: 10 x cupy.cumsum", of_library("cupy", 10, SHAPES[1:3])


def cpu_goals(runs):
    """Sums of lines beside one array of as many elements."""
    yield ("sums of lines: 0.8 of the one-array call",
           [(runs.time(*key[:3], 1 << 24) / runs.time(*key), 0.8, key) for key in runs.found
            if key[1] == "reduce" and key[3] in SHAPES and (*key[:3], 1 << 24) in runs.found])


def place(backend, algorithm, t, matrix):
    return f"{algorithm} {t}, {name_of(matrix)}, axis {matrix[2]}, {NAMES[backend]}"


def device_lines(runs):
    if not runs.found:
        return []
    row = max(runs.found.values(), key=lambda row: row["date"])
    return [f"**{row['device']}** (bifold {row['version']}, {row['date']})", ""]


def line_tables(file):
    """Everything about a GPU's lines."""
    runs = LineRuns(file)
    if not runs.found:
        return []
    return [*device_lines(runs), *goals_table(goals(runs), place), "", *shapes_tables(runs),
            *swept_tables(runs), *other_tables(runs)]


def cpu_line_tables(file):
    """A CPU's: the shapes, and one array of as many elements."""
    runs = LineRuns(file)
    if not runs.found:
        return []
    arrays = [f"{algorithm} {t}: {cell(runs, b, algorithm, t, n)}"
              for b, algorithm, t, n in sorted(runs.found, key=str) if n == 1 << 24]
    text = ["One array of 2^24: " + "; ".join(arrays) + ".", ""] if arrays else []
    return [*device_lines(runs), *text, *goals_table(cpu_goals(runs), place), "",
            *shapes_tables(runs)]
