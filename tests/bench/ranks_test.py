#!/usr/bin/env python3
"""Runs `bifold-bench run --ranks` under mpirun, and looks at what the processes write.

  ranks_test.py bifold-bench RESULTS MPIRUN NUMBER_OPTION

RESULTS is the folder bench/results.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

CHEAP = ["run", "--ranks", "--size", "2^12,9001", "--type", "i32,f32", "--seconds", "0.001",
         "--samples", "1"]


def run(command, status=0):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=120)
    if status is not None and (done.returncode == 0) != (status == 0):
        raise SystemExit(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def main(tool, results, mpirun, number):
    results = pathlib.Path(results)
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = folder / "run.json"
        start = [mpirun, number, "2", tool]
        done = run([*start, *CHEAP, "--devices", "opencl:cpu", "--json", path])
        if done.stdout.count("MPI_Allreduce of the slices' sums") != 8:
            wrong.append(f"not one line for each sum:\n{done.stdout}")
        found = run([sys.executable, results / "validate.py", path], status=None)
        if found.returncode not in (0, 77):
            wrong.append(found.stdout)
        groups = json.loads(path.read_text())["groups"]
        if [len(group["ranks"]) for group in groups] != 8 * [1, 2]:
            wrong.append(f"not one and two ranks in turns: {len(groups)} groups")
        for group in groups:
            what = f"{group['algorithm']} of {group['n']} {group['type']}, {len(group['ranks'])}"
            if not group["verified"] or group["digest"] != group["one_device_digest"]:
                wrong.append(f"{what}: {group.get('reason')}")
            elif group["algorithm"] == "reduce" and not group["peers"][0]["verified"]:
                wrong.append(f"{what}: {group['peers'][0]['reason']}")
            sends = group["transport_calls"] > 0 and group["sent_bytes"] > 0
            if sends != (len(group["ranks"]) > 1):
                wrong.append(f"{what}: {group['sent_bytes']} bytes sent")
        # 16 calls and 8 peers; four kinds of sums at two sizes in the document's table.
        kept = folder / "kept.csv"
        run([sys.executable, results / "medians.py", kept, "scaling", path])
        if len(kept.read_text().splitlines()) != 25:
            wrong.append(f"kept of it:\n{kept.read_text()}")
        sys.path.insert(0, str(results))
        from scaling import scaling_table
        table = scaling_table(kept)
        if sum(" 2^12 | " in line or " 9001 | " in line for line in table) != 8:
            wrong.append("\n".join(table))
        # One complaint, from the first process, and no wait for the others.
        done = run([*start, *CHEAP, "--devices", "nosuch:0"], status=2)
        if done.stderr.count("bifold-bench: --devices:") != 1:
            wrong.append(f"a device that is not there:\n{done.stderr}")
        done = run([*start, *CHEAP, "--devices", "opencl:cpu", "--json", folder / "no" / "file"],
                   status=2)
        if done.stderr.count("bifold-bench: --json:") != 1:
            wrong.append(f"a file that cannot be written:\n{done.stderr}")
        # Alone, and without the module.
        run([tool, *CHEAP, "--devices", "opencl:cpu"])
        alone = shutil.copy(tool, folder / "bifold-bench")
        done = run([alone, *CHEAP, "--devices", "opencl:cpu"], status=2)
        if done.returncode != 2 or "--ranks: not built: there is no" not in done.stderr:
            wrong.append(f"without the module:\n{done.stderr}")
    for line in wrong:
        print(line)
    return int(bool(wrong))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
