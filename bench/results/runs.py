"""What runs beside peers say, by backend, algorithm, type and number of elements."""
import json

NAMES = {"cuda": "CUDA", "opencl": "OpenCL"}
OTHER_CUB = "CUB, other CCCL"
REGIMES = ("back_to_back", "isolated", "blocking")
GIB = 1 << 30
STRUCTS = {"complex": 8, "triple": 12, "pair": 16}
HALVES = ("f16", "bf16")
ALL_TYPES = ("u8", "i8", "u16", "i16", "i32", "u32", "f32", "i64", "u64", "f64", *STRUCTS, *HALVES)


def bytes_of(type_):
    return STRUCTS.get(type_) or int(type_.lstrip("buif")) // 8


def backends_of(run):
    """The backend of each device of a run."""
    return {d["selector"]: d["backend"] for d in run["devices"]}


def is_beside_cub_alone(run):
    peers = {peer["name"] for result in run["results"] for peer in result.get("peers", [])}
    return bool(peers) and peers <= {"CUB", OTHER_CUB}


def middle(values):
    return sorted(values)[len(values) // 2]


class Runs:
    """Results of all files by (backend, algorithm, type, n), and where the GPU's other runs are:
    off alignment by backend, and of production beside rows that keep to no order, by algorithm."""

    def __init__(self, files, offset=None, rows=None):
        self.found, self.beside = {}, {}
        self.offset, self.rows = offset, rows or {}
        for run in sorted((json.loads(path.read_text()) for path in sorted(files)),
                          key=lambda run: (is_beside_cub_alone(run), run["time"])):
            backends = backends_of(run)
            for result in run["results"]:
                if result["outcome"] == "timed":
                    key = (backends[result["device"]], result["algorithm"], result["type"],
                           result["n"])
                    self.found[key] = result
                    # Of several runs the last counts, for each peer the last that has it; but
                    # those beside CUB alone, whose samples are longer, replace others.
                    for peer in result.get("peers", []):
                        if peer["outcome"] == "timed":
                            self.beside[key, peer["name"]] = [
                                peer["regimes"][regime]["ratio"] for regime in REGIMES]

    def time(self, key, regime="back_to_back"):
        result = self.found[key]
        # What ran beside no peer has no other regime.
        return result.get("regimes", {"back_to_back": result})[regime]["median_s"]

    def peer(self, name, key, regime="back_to_back"):
        for peer in self.found.get(key, {}).get("peers", []):
            if peer["name"] == name and peer["outcome"] == "timed":
                return peer["regimes"][regime]["median_s"]
        return None

    def ratio(self, backend, algorithm, type_, n, regime="back_to_back", cub="CUB"):
        theirs = self.peer(cub, ("cuda", algorithm, type_, n), regime)
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

    def types_beside(self, peer):
        """The types of calls that the peer took turns with."""
        return [t for t in self.types()
                if any(key[2] == t and self.peer(peer, key) is not None for key in self.found)]

    def traffic(self, algorithm, type_, n):
        return n * bytes_of(type_) * (2 if algorithm == "scan" else 1)
