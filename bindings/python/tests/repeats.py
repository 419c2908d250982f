"""What tests of repeated calls have in common."""

import numpy as np
import pytest

import bifold
from bifold import _calls

FUNCTIONS = [
    bifold.reduce,
    bifold.reduce_into,
    bifold.inclusive_scan,
    bifold.exclusive_scan,
    bifold.transform_reduce,
    bifold.transform_reduce_into,
    bifold.transform_inclusive_scan,
    bifold.transform_exclusive_scan,
    bifold.argmin,
    bifold.argmax,
    bifold.argmin_into,
    bifold.argmax_into,
    bifold.minmax,
    bifold.count_if,
    bifold.inner_product,
    bifold.sum_compensated,
    bifold.reduce_many,
]
N = 1000


@pytest.fixture(autouse=True)
def nothing_known():
    for function in (*FUNCTIONS, bifold.Plan.__call__):
        function.clear()


@pytest.fixture
def made(monkeypatch):
    """As many entries as the package has made calls, which it does not keep alive."""
    calls, start = [], _calls.Call.__init__

    def counted(self, *arguments, **named):
        calls.append(None)
        start(self, *arguments, **named)

    monkeypatch.setattr(_calls.Call, "__init__", counted)
    return calls


@pytest.fixture
def arrays(queue):
    """Input, output, one result."""
    x = bifold.to_device(np.arange(N, dtype=np.int32), queue)
    return x, bifold.empty(N, np.int32, queue), bifold.empty(1, np.int32, queue)


def known(made, call, times=3):
    """The results of calls of which only the first one reaches the package."""
    results = [call()]
    made.clear()
    results += [call() for _ in range(times)]
    assert not made
    return results
