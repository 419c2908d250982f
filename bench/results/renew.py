#!/usr/bin/env python3
"""Runs again, on the machine in front of it, what files of `bifold-bench run` say that they are.

  renew.py TOOL FOLDER FILE...           FOLDER/NAME of each FILE, as TOOL makes it now
  renew.py --print TOOL FOLDER FILE...   only the commands

A file says itself which devices, types, sizes and peers it was asked for, and for how long; so what
is renewed can take the place of what was. Where not all peers are left, --peers NAMES takes others.
Exit status: that of the first run that fails.
"""
import argparse
import json
import pathlib
import shlex
import subprocess
import sys


def command_of(tool, run, peers):
    """The arguments that give a run of the same settings, but for the file to write."""
    if run["command"] != "run":
        raise ValueError(f"it is of `{run['command']}`, not of `run`")
    settings = run["settings"]
    command = [str(tool), "run", "--no-progress"]
    suite = settings.get("suite")
    whole = suite is not None and settings["whole_suite"]
    options = {"--algorithm": "algorithms", "--type": "types"}
    if suite is None:
        options |= {"--op": "operators", "--order": "orders", "--variant": "variants"}
        command += ["--kind", settings["kind"]]
    else:
        command += ["--suite", suite]
    if not whole:
        for option, name in options.items():
            command += [option, ",".join(settings[name])]
        command += ["--seconds", f"{settings['seconds']:g}", "--samples", str(settings["samples"])]
    if settings["devices"] != "all":
        command += ["--device", ",".join(settings["devices"])]
    if settings["sizes"] != "default":
        command += ["--size", ",".join(str(n) for n in settings["sizes"])]
    matrices = settings.get("lines", [])
    if matrices and not whole:
        for option, values in (("--lines", [f"{m['rows']}x{m['columns']}" for m in matrices]),
                               ("--axis", [str(m["axis"]) for m in matrices])):
            command += [option, ",".join(dict.fromkeys(values))]
    if settings.get("offset", 0) > 0:
        command += ["--offset", str(settings["offset"])]
    if settings.get("quick") and suite is None:
        command.append("--quick")
    if run.get("peers"):
        command += ["--peers", peers or ",".join(p["module"] for p in run["peers"])]
        if not settings.get("graphs", True):
            command.append("--no-graphs")
    return command


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--print", action="store_true", dest="only_print")
    parser.add_argument("--peers", help="those to measure beside, instead of the file's own")
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    names = [path.name for path in arguments.files]
    if len(set(names)) < len(names):
        sys.exit("two of the files would have one place in the folder")
    for path in arguments.files:
        try:
            command = command_of(arguments.tool, json.loads(path.read_text()), arguments.peers)
        except (ValueError, KeyError) as error:
            sys.exit(f"{path}: {error}")
        command += ["--json", str(arguments.folder / path.name)]
        print(shlex.join(command), flush=True)
        if arguments.only_print:
            continue
        arguments.folder.mkdir(parents=True, exist_ok=True)
        status = subprocess.run(command, check=False).returncode
        if status != 0:
            sys.exit(status)


if __name__ == "__main__":
    main()
