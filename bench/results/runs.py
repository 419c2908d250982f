"""What the medians that are kept of a device say, by backend, algorithm, type and length."""
import medians

NAMES = {"cuda": "CUDA", "opencl": "OpenCL"}
OTHER_CUB = "CUB, other CCCL"
REGIMES = ("back_to_back", "isolated", "blocking")
GIB = 1 << 30
STRUCTS = {"complex": 8, "triple": 12, "pair": 16}
HALVES = ("f16", "bf16")
ALL_TYPES = ("u8", "i8", "u16", "i16", "i32", "u32", "f32", "i64", "u64", "f64", *STRUCTS, *HALVES)


def bytes_of(type_):
    return STRUCTS.get(type_) or int(type_.lstrip("buif")) // 8


def middle(values):
    return sorted(values)[len(values) // 2]


class Call:
    """A call of bifold's, and by the name of each library that took turns with it its row."""

    def __init__(self, row):
        self.row, self.peers = row, {}
        self.type, self.n, self.variant = row["type"], int(row["n"]), row["variant"]
        self.variant_ran, self.cached = row["variant_ran"], bool(row["in_cache"])

    def number(self, column):
        """None where that was not measured."""
        return float(self.row[column]) if self.row[column] else None

    def share(self):
        """Of reading or of copying, whichever bounds the call."""
        return self.number("of_read" if self.row["algorithm"] == "reduce" else "of_copy")


class Runs:
    """Production's calls in sets of rows by (backend, algorithm, type, n), later sets instead of
    earlier ones; calls off alignment; calls by (..., variant) of production beside other rows."""

    def __init__(self, file, sets, rows=()):
        self.found, self.beside, self.offset, self.rows = {}, {}, {}, {}
        all_rows = medians.read(file)
        for set_ in sets:
            self.add([row for row in all_rows if row["set"] == set_])
        for row in all_rows:
            if row["set"] in rows:
                self.rows[(row["backend"], row["algorithm"], row["type"], int(row["n"]),
                           row["variant"])] = Call(row)

    def add(self, rows):
        for row in rows:
            key = (row["backend"], row["algorithm"], row["type"], int(row["n"]))
            place = self.offset if row["offset"] != "0" else self.found
            if row["library"] == "bifold":
                place[key] = Call(row)
            else:
                place[key].peers[row["library"]] = row
                self.beside[key, row["library"]] = [float(row[f"{regime}_ratio"] or "nan")
                                                    for regime in REGIMES]

    def time(self, key, regime="back_to_back"):
        return self.found[key].number(f"{regime}_us")

    def peer(self, name, key, regime="back_to_back"):
        """The peer's time in us; None where it took no turns with that call."""
        call = self.found.get(key)
        row = call.peers.get(name) if call else None
        return float(row[f"{regime}_us"]) if row and row[f"{regime}_us"] else None

    def ratio(self, backend, algorithm, type_, n, regime="back_to_back", cub="CUB"):
        theirs = self.peer(cub, ("cuda", algorithm, type_, n), regime)
        key = (backend, algorithm, type_, n)
        if theirs is None or key not in self.found or self.time(key, regime) is None:
            return None
        return theirs / self.time(key, regime)

    def ratio_in_graphs(self, algorithm, type_, n):
        call = self.found.get(("cuda", algorithm, type_, n))
        row = call.peers.get("CUB") if call else None
        return float(row["graph_ratio"]) if row and row["graph_ratio"] else None

    def sizes(self, backend, algorithm, type_):
        return sorted(n for b, a, t, n in self.found if (b, a, t) == (backend, algorithm, type_))

    def types(self):
        return sorted({t for _, _, t, _ in self.found}, key=ALL_TYPES.index)

    def types_beside(self, peer):
        """The types of calls that the peer took turns with."""
        return [t for t in self.types()
                if any(key[2] == t and self.peer(peer, key) is not None for key in self.found)]

    def traffic(self, algorithm, type_, n):
        return n * bytes_of(type_) * (2 if algorithm == "scan" else 1)
