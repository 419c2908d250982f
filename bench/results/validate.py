#!/usr/bin/env python3
"""Checks files of runs by bench/schema/run.schema.json, and that those kept here are what they say.

  validate.py                      every file of this folder; those in standard/ have to be whole
                                   suites that agree in every bit, too
  validate.py FILE...              these files
  validate.py --run bifold-bench   what the tool writes now

Exit status 77: python3-jsonschema is not there.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("SKIPPED: no jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = json.loads((HERE.parent / "schema" / "run.schema.json").read_text())


def strict(pairs):
    """An object whose names are all different: JSON readers differ in what they make of others."""
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError(f"a name occurs twice among {names[:5]}...")
    return dict(pairs)


def problems(path):
    try:
        document = json.loads(path.read_text(), object_pairs_hook=strict)
    except ValueError as error:
        return [f"{path}: {error}"]
    found = []
    for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(document):
        pointer = "/" + "/".join(str(part) for part in error.absolute_path)
        found.append(f"{path}: {pointer}: {error.message[:200]}")
    if found:
        return found
    selectors = {device["selector"] for device in document["devices"]}
    for i, group in enumerate(document.get("groups", [])):
        if group["verified"] and group["digest"] != group["one_device_digest"]:
            found.append(f"{path}: /groups/{i}/digest: is not one device's")
        if sum(rank["elements"] for rank in group["ranks"]) != group["n"]:
            found.append(f"{path}: /groups/{i}/ranks: have other elements than n together")
    for i, result in enumerate(document["results"]):
        if result["device"] not in selectors:
            found.append(f"{path}: /results/{i}/device: '{result['device']}' is not in /devices")
    if HERE / "standard" in path.resolve().parents:
        found += problems_of_standard(path, document)
    return found


def problems_of_standard(path, document):
    """What a run has to be to stand in the folder `standard`, beside those of other machines."""
    found = []
    settings = document["settings"]
    if not re.fullmatch(r"[a-z0-9.-]+\.json", path.name):
        found.append(f"{path}: a name of lower case, digits, dots and dashes is expected")
    if document["command"] != "run" or not settings.get("whole_suite"):
        found.append(f"{path}: /settings: is no whole suite")
    if not document.get("complete", False):
        found.append(f"{path}: /complete: the run was interrupted")
    for i, result in enumerate(document["results"]):
        if result["outcome"] in ("wrong", "failed"):
            found.append(f"{path}: /results/{i}: {result['outcome']}: {result['reason']}")
        elif result["outcome"] == "timed" and "digest" not in result:
            found.append(f"{path}: /results/{i}: has no digest")
    return found


def disagreements(paths):
    """Results of standard runs whose bits are not those of another file: order v1 forbids that."""
    known, found = {}, []
    for path in paths:
        if HERE / "standard" not in path.resolve().parents:
            continue
        document = json.loads(path.read_text())
        for result in document["results"]:
            if "digest" not in result:
                continue
            key = (document["settings"]["data_seed"], *(result.get(name) for name in (
                "data", "algorithm", "kind", "variant", "order", "type", "operator", "n")),
                   tuple(result.get("lines", {}).values()))
            first, digest = known.setdefault(key, (path, result["digest"]))
            if digest != result["digest"]:
                found.append(f"{path}: other bits than in {first}: {key[2:]}")
    return found


def write_now(tool, folder):
    """Small documents of every kind that the schema is about."""
    cheap = ["--seconds", "0.001", "--samples", "1", "--no-progress"]
    runs = {
        "run": ["run", "--size", "1000", "--type", "i32,f32,triple"],
        "lines": ["run", "--lines", "70x33", "--type", "f32"],
        "suite-lines": ["run", "--suite", "quick", "--lines", "33x70", "--type", "f32"],
        "skipped": ["run", "--size", "10", "--type", "f32", "--op", "bit_and,plus"],
        "suite": ["run", "--suite", "quick", "--size", "1000", "--type", "f32"],
        "gallery": ["gallery", "--paper", "oancea", "--max-size", "1000"],
    }
    groups = {
        "groups": ["run", "--devices", "opencl:cpu,opencl:cpu", "--size", "1000"],
        "skipped-groups": ["run", "--devices", "opencl:cpu", "--size", "10", "--type", "f32",
                           "--op", "bit_and,plus"],
    }
    runs = {name: arguments + ["--device", "opencl:cpu"] for name, arguments in runs.items()}
    paths = []
    for name, arguments in (runs | groups).items():
        path = folder / f"{name}.json"
        subprocess.run([tool, *arguments, *cheap, "--json", path], check=True,
                       stdout=subprocess.DEVNULL)
        paths.append(path)
    return paths


def main(arguments):
    with tempfile.TemporaryDirectory() as folder:
        if arguments[:1] == ["--run"]:
            paths = write_now(arguments[1], pathlib.Path(folder))
        elif arguments:
            paths = [pathlib.Path(argument) for argument in arguments]
        else:
            paths = [path for path in sorted(HERE.rglob("*.json"))]
        found = [problem for path in paths for problem in problems(path)]
        found += [] if found else disagreements(paths)
    for problem in found:
        print(problem)
    print(f"{len(paths)} files, {len(found)} problems")
    return int(bool(found) or not paths)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
