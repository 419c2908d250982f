"""Memory of the host that foreign libraries export by DLPack."""

import numpy as np
import pytest
from exporters import DlpackExporter

import bifold


@pytest.fixture(autouse=True)
def on_a_device(device):
    """All of these need one."""


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("kind", [1, 3])
def test_tensors_are_read_and_their_deleter_runs_once(versioned, kind):
    x = DlpackExporter(np.arange(10, dtype=np.int32), (kind, 0), versioned=versioned)
    assert bifold.reduce(x) == 45
    assert x.given_back and set(x.streams) == {None}
    y = bifold.inclusive_scan(x)
    assert isinstance(y, np.ndarray)
    np.testing.assert_array_equal(y, np.arange(10).cumsum())
    assert x.given_back


@pytest.mark.parametrize("layout", [np.s_[::-1], np.s_[:, ::2], np.s_[1:, 2:3], np.s_[:0]])
def test_strides_are_honoured(layout):
    array = np.arange(24, dtype=np.int64).reshape(4, 6)[layout]
    assert bifold.reduce(DlpackExporter(array)) == array.sum()
    last = bifold.Operator("last", "b == -1 ? a : b", np.int64(-1))
    if array.size:
        assert bifold.reduce(DlpackExporter(array), last) == array.ravel()[-1]


def test_tensors_are_written():
    target = np.zeros(10, np.int32)
    out = DlpackExporter(target)
    assert bifold.inclusive_scan(np.ones(10, np.int32), out) is out
    np.testing.assert_array_equal(target, np.arange(1, 11))
    assert out.deleted == 1


@pytest.mark.parametrize(("flags", "message"), [(1, "read-only"), (2, "only its copy")])
def test_tensors_that_cannot_be_written_are_refused(flags, message):
    out = DlpackExporter(np.zeros(10, np.int32), flags=flags)
    with pytest.raises(bifold.InvalidArgument, match=message):
        bifold.inclusive_scan(np.ones(10, np.int32), out)
    assert out.deleted == 1


@pytest.mark.parametrize(
    "exporter",
    [
        lambda new: new(np.ones(3, bool)),
        lambda new: new(np.ones(3, np.clongdouble)),
        lambda new: new(np.ones(3, np.int32), major=2),
    ],
)
def test_tensors_that_are_refused_are_given_back_once(exporter):
    x = exporter(type("New", (DlpackExporter,), {}))  # Not known to NumPy's way.
    with pytest.raises(bifold.InvalidArgument):
        bifold.reduce(x)
    assert x.given_back


def test_a_call_that_fails_gives_its_tensors_back_once():
    x, out = DlpackExporter(np.ones(3)), DlpackExporter(np.ones(4))
    with pytest.raises(bifold.InvalidArgument, match="out has shape"):
        bifold.inclusive_scan(x, out)
    assert x.given_back and out.given_back


def test_a_used_capsule_is_refused():
    x = DlpackExporter(np.ones(3))
    capsule = x.__dlpack__(max_version=(1, 0))
    x.__dlpack__ = None

    class Again:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **_):
            return capsule

    again = Again()
    assert bifold.reduce(again) == 3
    with pytest.raises(bifold.InvalidArgument, match="not yet used"):
        bifold.reduce(again)
    assert x.deleted == 1


def test_an_output_whose_elements_share_memory_is_refused():
    one = np.lib.stride_tricks.as_strided(np.zeros(1, np.int32), (3,), (0,))
    for out in (DlpackExporter(one), one):
        with pytest.raises(bifold.InvalidArgument, match="share their memory"):
            bifold.inclusive_scan(np.ones(3, np.int32), out)
    assert bifold.reduce(DlpackExporter(one)) == 0


def test_a_view_that_negates_its_memory_is_refused():
    x = DlpackExporter(np.ones(3))
    x.is_neg = lambda: True
    with pytest.raises(bifold.InvalidArgument, match="resolve_neg"):
        bifold.reduce(x)
    assert x.deleted == 0


@pytest.mark.parametrize("refusal", [BufferError, RuntimeError])
def test_what_a_producer_refuses_is_an_invalid_argument(refusal):
    class Refusing(DlpackExporter):
        def __dlpack__(self, **_):
            raise refusal("not today")

    with pytest.raises(bifold.InvalidArgument, match="not today"):
        bifold.reduce(Refusing(np.ones(3)))


def test_other_kinds_of_devices_are_refused_by_name():
    with pytest.raises(bifold.InvalidArgument, match="kind 10"):
        bifold.reduce(DlpackExporter(np.ones(3), (10, 0)))
