#!/usr/bin/env python3
"""Keeps the medians of runs: one CSV file a device, which the documents' tables are made from.

  medians.py DEVICE.csv SET RUN.json...   puts the medians of `bifold-bench run --json` into a set
  medians.py DEVICE.csv SET OTHER.csv...  the same of what bench/python_peers/lines.py or arrays.py,
                                          or bifold-nccl-times writes
  medians.py --back-to-back ...           without the other regimes

A row is bifold's call, or a peer's in turns with it; a ratio is the peer's time over bifold's. A
spread is the 90th percentile less the 10th, over the median. Of rows with one key the last counts.
Of calls over several devices, which block, sums are kept; of_slice, speedup and exchange are those
of the document.
Raw runs stay out of the tree.
"""
import csv
import json
import pathlib
import sys

KEY = ("set", "backend", "algorithm", "variant", "type", "n", "lines", "offset", "library")
TIMES = tuple(f"{regime}_{what}" for regime in ("back_to_back", "isolated", "blocking", "graph")
              for what in ("us", "spread", "ratio"))
# `again_ratio` is that of the same call in turns with itself.
OWN = ("variant_ran", "samples", "gb_per_s", "of_copy", "of_read", "in_cache", "of_aligned",
       "again_ratio", "enqueue_us", "empty_enqueue_us", "empty_launch_us")
# Those of calls over several devices, in files that have some.
GROUPS = ("of_slice", "speedup", "exchange_us")
MACHINE = ("device", "driver", "version", "date")
COLUMNS = KEY + TIMES + OWN + GROUPS + MACHINE


def short(value, scale=1):
    return "" if value is None else f"{value * scale:.5g}"


def times_of(regimes):
    cells = {}
    for regime, times in regimes.items():
        cells[f"{regime}_us"] = f"{times['median_s'] * 1e6:.5g}"
        cells[f"{regime}_spread"] = f"{(times['p90_s'] - times['p10_s']) / times['median_s']:.2g}"
        cells[f"{regime}_ratio"] = short(times.get("ratio"))
    return cells


def lines_text(rows, columns, axis):
    """"4096x4096:1": the lines along that axis of a matrix."""
    return f"{rows}x{columns}:{axis}"


def rows_of(run, set_):
    """The rows of a run's document, bifold's call in front of its peers'."""
    devices = {device["selector"]: device for device in run["devices"]}
    versions = {peer.get("name"): peer.get("version") for peer in run.get("peers", [])}
    for result in run["results"]:
        if result["outcome"] != "timed":
            continue
        device = devices[result["device"]]
        call = {"set": set_, "backend": device["backend"], "n": str(result["n"]),
                "offset": str(run["settings"].get("offset", 0)), "device": device["name"],
                "driver": device["driver"], "date": run["time"][:10]}
        call |= {name: result[name] for name in ("algorithm", "variant", "type")}
        if result["operator"] == "argmax":
            call["algorithm"] = "argmax"
        call["lines"] = lines_text(*result["lines"].values()) if "lines" in result else ""
        own = call | {"library": "bifold", "version": run["library_version"],
                      "variant_ran": result["variant_ran"], "samples": str(result["samples"]),
                      "in_cache": "cache" if result["in_cache"] else ""}
        own |= times_of(result.get("regimes", {"back_to_back": result}))
        for column, name in (("gb_per_s", "gb_per_s"), ("of_copy", "share_of_copy"),
                             ("of_read", "share_of_read"), ("of_aligned", "share_of_aligned")):
            own[column] = short(result.get(name))
        own["again_ratio"] = short(result.get("again", {}).get("ratio"))
        for name in ("enqueue", "empty_enqueue", "empty_launch"):
            own[f"{name}_us"] = short(result.get(f"{name}_s"), 1e6)
        yield own
        for peer in result.get("peers", []):
            if peer["outcome"] == "timed":
                yield call | times_of(peer["regimes"]) | {
                    "library": peer["name"], "version": versions[peer["name"]]}


def rows_of_groups(run, set_):
    """The rows of calls over several devices, bifold's in front of its peers'."""
    drivers = {device["selector"]: device["driver"] for device in run["devices"]}
    for group in run.get("groups", []):
        if group["outcome"] != "timed" or group["operator"] != "plus":
            continue
        ranks = group["ranks"]
        names = sorted({rank["name"] for rank in ranks})
        first = ranks[0]["device"]
        call = {"set": set_, "backend": first.split(":")[0], "n": str(group["n"]), "lines": "",
                "offset": "0", "algorithm": group["algorithm"], "type": group["type"],
                "variant": f"over {len(ranks)}, {group['scaling']}, {group['transport']}",
                "device": f"{len(ranks)} x {' and '.join(names)}", "driver": drivers[first],
                "date": run["time"][:10]}
        if group.get("kind") == "exclusive":
            call["algorithm"] = "exclusive scan"
        if group["order"] == "any":
            call["variant"] += ", any order"
        own = call | {"library": "bifold", "version": run["library_version"],
                      "samples": str(group["group"]["samples"]),
                      "of_slice": short(group["share_of_slice"]),
                      "speedup": short(group["speedup"]),
                      "exchange_us": short(group["exchange_s"], 1e6)}
        yield own | times_of({"blocking": group["group"]})
        for peer in group["peers"]:
            if peer["outcome"] == "timed":
                times = peer["group"] | {"ratio": peer["ratio"]}
                yield call | times_of({"blocking": times}) | {"library": peer["name"]}


def rows_of_libraries(path, set_):
    """The rows of libraries that Python calls, bifold among them; or rows that name their columns
    as the files of medians do."""
    names = {"sum": "reduce", "cumsum": "scan"}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if "library" in row:
                yield row | {"set": set_}
                continue
            place = {"n": row.get("n"), "lines": "", "enqueue_us": row.get("host_us")}
            library = row["contender"]
            if "shape" in row:
                rows, columns = (int(size) for size in row["shape"].split("x"))
                place |= {"n": str(rows * columns),
                          "lines": lines_text(rows, columns, row["axis"])}
            if row["arrays"] != library:
                library += f" on {row['arrays']}"
            yield place | {
                "set": set_, "algorithm": names.get(row["call"], row["call"]),
                "variant": "Python", "offset": "0", "library": library,
                "back_to_back_us": row["median_us"], "back_to_back_spread": row["spread"],
                "back_to_back_ratio": row["ratio"] if library != "bifold" else "",
            } | {name: row[name] for name in ("backend", "type", *MACHINE)}


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def key_of(row):
    return tuple(row[name] for name in KEY)


def place_of(row):
    """Where a row stands in its file."""
    rows, _, axis = row["lines"].replace("x", ":").split(":") if row["lines"] else (0, 0, 0)
    return (row["set"], row["backend"], row["algorithm"], row["type"], int(row["n"]), int(rows),
            int(axis), row["variant"], row["library"] != "bifold", row["library"])


def write(path, rows):
    columns = [name for name in COLUMNS
               if name not in GROUPS or any(row.get(name) for row in rows)]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=place_of))


def main(arguments):
    only = arguments[:1] == ["--back-to-back"]
    arguments = arguments[only:]
    if len(arguments) < 3:
        sys.exit(__doc__)
    path, set_ = pathlib.Path(arguments[0]), arguments[1]
    kept = {key_of(row): row for row in (read(path) if path.exists() else [])}
    runs = [json.loads(pathlib.Path(name).read_text()) for name in arguments[2:]
            if not name.endswith(".csv")]
    runs.sort(key=lambda run: run["time"])
    found = [rows(run, set_) for run in runs for rows in (rows_of, rows_of_groups)]
    found += [rows_of_libraries(name, set_) for name in arguments[2:] if name.endswith(".csv")]
    for rows in found:
        for row in rows:
            if only:
                row = {name: cell for name, cell in row.items()
                       if not name.startswith(("isolated", "blocking", "graph"))}
            kept[key_of(row)] = row
    write(path, kept.values())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
