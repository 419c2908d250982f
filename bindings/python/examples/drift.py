"""A notebook as a script: how far the sum of many small numbers drifts.

Editors show its cells, and `python3 drift.py [plot.png]` runs all of them.
"""

# %% Rounding errors, as random as they come
import importlib.util
import sys

import numpy as np

import bifold

rng = np.random.default_rng(1)
values = rng.uniform(0, 1, (200, 10_000)).astype(np.float32)
x = bifold.to_device(values)

# %% Each row alone, added in order v1: the same bits on every device
sums = bifold.reduce(x, axis=1).get()
exact = values.sum(axis=1, dtype=np.float64)
print(f"sums: off by {np.abs(sums - exact).max():.1e} at most")

# %% The same with the errors of all additions added at the end
compensated = bifold.sum_compensated(x, axis=1)
print(f"compensated sums: off by {np.abs(compensated - exact).max():.1e} at most")

# %% The running sum of the first row
running = bifold.inclusive_scan(x[0]).get()
drift = running - values[0].cumsum(dtype=np.float64)
print(f"the running sum ends at {running[-1]:.1f}")

# %% A picture, where matplotlib is installed
target = sys.argv[1] if len(sys.argv) > 1 else "drift.png"
if importlib.util.find_spec("matplotlib") is None:
    print("no picture: matplotlib is not installed")
else:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    axes.plot(drift)
    axes.set(xlabel="elements", ylabel="error of the running sum", title="Sums of float32")
    figure.savefig(target)
    print("the picture is", target)
