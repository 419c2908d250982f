"""Sums along axes, and a plan that runs again and again on new data.

python3 plans_and_axes.py
"""

from __future__ import annotations

import numpy as np

import bifold


def along_axes(queue: bifold.Queue) -> None:
    image = bifold.to_device(np.arange(12, dtype=np.int32).reshape(3, 4), queue)
    print("columns:", bifold.reduce(image, axis=0).get())
    print("rows:", bifold.reduce(image, axis=1, keepdims=True).get().ravel())
    print("greatest of each row:", bifold.argmax(image, axis=1).index)
    # A summed-area table: its last element is the sum of all.
    table = bifold.inclusive_scan(bifold.inclusive_scan(image, axis=0), axis=1)
    print("summed area:", table.get()[-1])


def again_and_again(queue: bifold.Queue) -> None:
    n = 100_000
    x, norm = bifold.empty(n, np.float32, queue), bifold.empty(1, np.float32, queue)
    # Compiled here, once; calls only enqueue. The workspace is scratch memory that is allocated
    # once, too, as a CUDA graph would want it.
    plan = bifold.Plan.reduce(queue, np.float32, map="x * x")
    scratch = bifold.empty(plan.workspace_bytes(n), np.uint8, queue)
    with plan, bifold.Workspace(scratch) as workspace:
        workspace.prepare()
        for step in range(3):
            x.fill(step)
            plan(x, norm, workspace=workspace)
            print(f"step {step}: {norm.get()[0]:.0f}")


def main() -> None:
    with bifold.Queue() as queue:
        along_axes(queue)
        again_and_again(queue)


main()
