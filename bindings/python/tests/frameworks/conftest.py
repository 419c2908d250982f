"""What tests beside frameworks share."""

import pytest

import bifold


@pytest.fixture
def cpu_tensors(device):
    """A queue of the device computes what bifold.torch is given in the host's memory."""
    functions = pytest.importorskip("bifold.torch")
    with bifold.Queue(device) as queue, functions.use_cpu(queue):
        yield
