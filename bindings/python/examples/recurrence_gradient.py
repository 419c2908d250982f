"""A linear recurrence and its gradients: a recurrence that runs backward in time.

python3 recurrence_gradient.py

The layer is h[t] = gates[t] * h[t - 1] + tokens[t] for each of several channels, and the loss is
the sum of weights * h. What the loss makes of a change of h[t] is g[t] = weights[t] + gates[t + 1]
* g[t + 1], a recurrence in reverse.
"""

import numpy as np
from numpy.typing import NDArray

import bifold

Reals = NDArray[np.float64]

STEPS, CHANNELS = 200, 3


def forward(gates: Reals, tokens: Reals) -> Reals:
    h: Reals = bifold.linear_recurrence(gates, tokens, axis=0)
    return h


def gradients(gates: Reals, h: Reals, weights: Reals) -> tuple[Reals, ...]:
    """Of the loss, by the gates and by the tokens."""
    later = np.vstack([gates[1:], np.zeros((1, CHANNELS))])
    of_tokens = bifold.linear_recurrence(later, weights, axis=0, reverse=True)
    before = np.vstack([np.zeros((1, CHANNELS)), h[:-1]])
    return of_tokens * before, of_tokens


def by_differences(
    gates: Reals, tokens: Reals, weights: Reals, step: float = 1e-6
) -> tuple[Reals, ...]:
    """The same at step 100 of each channel, by central differences."""
    found = []
    for changed in (gates, tokens):
        losses = []
        for sign in (1, -1):
            kept = changed[100].copy()
            changed[100] += sign * step
            losses.append((weights * forward(gates, tokens)).sum(axis=0))
            changed[100] = kept
        found.append((losses[0] - losses[1]) / (2 * step))
    return tuple(found)


def main() -> None:
    random = np.random.default_rng(0)
    gates = random.uniform(0.8, 1.0, (STEPS, CHANNELS))
    tokens, weights = random.normal(size=(2, STEPS, CHANNELS))
    exact = gradients(gates, forward(gates, tokens), weights)
    near = by_differences(gates, tokens, weights)
    for name, one, other in zip(("gates", "tokens"), exact, near):
        off = np.abs(one[100] / other - 1).max()
        print(
            f"{name}: gradients agree with differences: {'yes' if off < 1e-6 else f'off by {off}'}"
        )


if __name__ == "__main__":
    main()
