"""The examples run, and say what they compute."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None

SAID = {
    "first_calls.py": [
        "numpy: total 500500, running sums in <class 'numpy.ndarray'>, greatest at 999",
        "bifold: total 500500, running sums in <class 'bifold.Array'>, greatest at 999",
    ],
    "plans_and_axes.py": [
        "columns: [12 15 18 21]",
        "rows: [ 6 22 38]",
        "greatest of each row: [3 3 3]",
        "summed area: [12 27 45 66]",
        "step 0: 0",
        "step 1: 100000",
        "step 2: 400000",
    ],
    "group_by.py": [
        "1000 stations with at least",
        "station ",
        "the warmest reading is",
    ],
    "recurrence_gradient.py": [
        "gates: gradients agree with differences: yes",
        "tokens: gradients agree with differences: yes",
    ],
    "drift.py": ["sums: off by", "compensated sums: off by", "the running sum ends at 50"],
}


def test_all_of_them_are_known():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_an_example_runs(device, request, tmp_path, name):
    library = request.config.getoption("--bifold-library")
    program = f"""
import sys, runpy
sys.path[:0] = {sys.path!r}
import bifold
{f"bifold.load_library({library!r})" if library else ""}
sys.argv[1:] = ["plot.png"]
runpy.run_path({str(EXAMPLES / name)!r}, run_name="__main__")
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    for said in SAID[name]:
        assert any(line.startswith(said) for line in lines), f"{said} in {lines}"
    if name == "drift.py":
        assert HAS_MATPLOTLIB == (tmp_path / "plot.png").exists()
        assert HAS_MATPLOTLIB != ("no picture" in lines[-1])
