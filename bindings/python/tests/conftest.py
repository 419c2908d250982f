"""Which library is tested, and on what."""

import pytest

import bifold

pytest.register_assert_rewrite("repeats", "jax_tests")


def pytest_addoption(parser):
    parser.addoption(
        "--bifold-library", help="the shared library; without it, where the package finds one"
    )


def pytest_configure(config):
    path = config.getoption("--bifold-library")
    if path:
        bifold.load_library(path)


def _all_skipped(reporter):
    return "skipped" in reporter.stats and not reporter.stats.keys() & {"passed", "failed", "error"}


def pytest_sessionfinish(session, exitstatus):
    # Nothing but skipped tests is no success: CTest shows 77 as skipped.
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    # 5: none was even collected.
    if exitstatus in (0, 5) and _all_skipped(reporter):
        session.exitstatus = 77


def pytest_terminal_summary(terminalreporter):
    if _all_skipped(terminalreporter):
        for reason in dict.fromkeys(r.longrepr[2] for r in terminalreporter.stats["skipped"]):
            terminalreporter.write_line("SKIPPED: " + reason.removeprefix("Skipped: "))


@pytest.fixture(scope="session")
def backend():
    """Skips the tests of a backend that has no device, or was left out of the build."""

    def need(name):
        found = {info.name: info for info in bifold.backends()}
        if name not in found or not found[name].available:
            pytest.skip(f"{name}: {found[name].reason if name in found else 'left out'}")

    return need


@pytest.fixture(scope="session")
def device():
    """A device; $BIFOLD_DEVICE may choose it."""
    try:
        return bifold.open_device()
    except bifold.Unavailable as absent:
        pytest.skip(str(absent))


@pytest.fixture
def queue(device):
    with bifold.Queue(device) as made:
        yield made
