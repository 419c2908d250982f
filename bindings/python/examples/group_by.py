"""Group by: what each of many stations has measured.

Readings come in any order. Sorted by station, the readings of one are a run of equal keys, which
`reduce_by_key` reduces by itself: with the bits that the station's readings alone have.
"""

import numpy as np

import bifold

rng = np.random.default_rng(7)
station = rng.integers(0, 1000, 1_000_000)
celsius = (15 + station / 100 + rng.normal(0, 5, station.size)).astype(np.float32)

# bifold has no sort, so NumPy sorts. Each call below waits for the number of stations.
order = np.argsort(station, kind="stable")
queue = bifold.default_queue()
keys = bifold.to_device(station[order], queue)
readings = bifold.to_device(celsius[order], queue)

stations, warmest = bifold.reduce_by_key(keys, readings, "maximum")
_, sums = bifold.reduce_by_key(keys, readings)
_, counts = bifold.run_length_encode(keys)
means = sums.get() / counts.get()
hottest = int(means.argmax())
print(f"{stations.size} stations with at least {counts.get().min()} readings each")
print(f"station {stations.get()[hottest]}: {means[hottest]:.2f} on average")
print(f"the warmest reading is {warmest.get().max():.1f}")
