"""Devices, queues, events: what they tell, and how they end."""

import gc
import logging
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
from patience import PATIENCE
from threads import run_threads

import bifold


def test_backends_say_what_is_here_and_why_the_rest_is_not():
    found = {backend.name: backend for backend in bifold.backends()}
    assert set(found) <= {"cuda", "opencl"} and found
    for backend in found.values():
        assert backend.available or backend.reason


def test_devices_open_by_their_selector(device):
    listed = bifold.devices()
    assert device.info in listed
    for info in listed:
        with bifold.open_device(info.selector) as opened:
            assert opened.info == info
            assert info.kind in ("gpu", "cpu", "accelerator")
            assert opened.capabilities.max_group_size > 0


def test_a_device_that_is_not_there_is_unavailable():
    with pytest.raises(bifold.Unavailable) as caught:
        bifold.open_device("opencl:99")
    assert caught.value.category == "unavailable"
    with pytest.raises(bifold.InvalidArgument, match="cache"):
        bifold.open_device("", cache="nowhere")


def test_the_cache_goes_where_it_is_told(device, tmp_path):
    with bifold.open_device(device.info.selector, cache_directory=tmp_path / "kept") as opened:
        with bifold.Queue(opened) as queue:
            bifold.reduce(np.ones(3, np.float32), queue=queue)
    assert list((tmp_path / "kept").rglob("*"))
    with bifold.open_device(
        device.info.selector, cache="memory", cache_directory=tmp_path / "none"
    ) as opened:
        with bifold.Queue(opened) as queue:
            bifold.reduce(np.ones(3, np.float32), queue=queue)
    assert not (tmp_path / "none").exists()


def test_what_is_closed_is_refused_and_may_be_closed_again(device):
    queue = bifold.Queue(device)
    with queue:
        assert not queue.closed
    assert queue.closed
    queue.close()
    for call in (queue.finish, queue.record, lambda: bifold.reduce([1.0], queue=queue)):
        with pytest.raises(bifold.InvalidArgument, match="closed"):
            call()


def test_handles_close_in_any_order(device):
    opened = bifold.open_device(device.info.selector)
    queue = bifold.Queue(opened)
    x = bifold.to_device(np.ones(10, np.int32), queue)
    event = queue.record()
    opened.close()
    assert bifold.reduce(x) == 10
    queue.close()
    x.close()
    event.wait(PATIENCE)
    event.close()


def test_forgotten_handles_are_given_back(device):
    queue = bifold.Queue(device)
    finalizer, seen = queue._finalizer, weakref.ref(queue)
    del queue
    gc.collect()
    assert seen() is None and not finalizer.alive


def test_the_interpreter_ends_with_handles_alive(device, request):
    library = request.config.getoption("--bifold-library")
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
import bifold, numpy
{f"bifold.load_library({library!r})" if library else ""}
bifold.set_log("debug")
queue = bifold.Queue({device.info.selector!r})
x = bifold.to_device(numpy.ones(1000, numpy.int32), queue)
event = bifold.Event()
y = bifold.inclusive_scan(x, done=event)
assert bifold.reduce(numpy.ones(3)) == 3
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr
    assert "Traceback" not in ended.stderr


def test_events(queue):
    empty = bifold.Event()
    assert empty.empty and empty.complete()
    empty.wait(0)
    with pytest.raises(bifold.InvalidArgument, match="empty"):
        _ = empty.handle
    event = queue.record()
    queue.wait_for(event, empty)
    queue.finish(PATIENCE)
    event.wait(PATIENCE)
    assert event.complete() and not event.empty
    with pytest.raises(bifold.InvalidArgument, match="time limit"):
        event.wait(-1)


def test_time_between_events(device):
    with bifold.Queue(device, timing="enabled") as queue:
        x = bifold.to_device(np.ones(100000, np.float32), queue)
        earlier = queue.record()
        bifold.inclusive_scan(x, x)
        later = queue.record()
        queue.finish(PATIENCE)
        assert 0 < bifold.elapsed(earlier, later) < PATIENCE
    with pytest.raises(bifold.InvalidArgument, match="timing"):
        bifold.Queue(device, timing="sometimes")


def test_threads_with_a_queue_each(device):
    def work(seed):
        x = np.random.default_rng(seed).integers(0, 100, 5000).astype(np.int64)
        for _ in range(20):
            assert bifold.reduce(x) == x.sum()
            assert bifold.inclusive_scan(x)[-1] == x.sum()

    run_threads(work)


def test_the_default_queue_is_the_threads_own(device):
    mine, others = bifold.default_queue(), []
    assert bifold.default_queue() is mine
    thread = threading.Thread(target=lambda: others.append(bifold.default_queue()))
    thread.start()
    thread.join()
    assert others[0] is not mine and others[0].device is mine.device


def test_log_messages_reach_pythons_logging(device, caplog):
    bifold.set_log("debug")
    try:
        with caplog.at_level(logging.DEBUG, "bifold"):
            with bifold.open_device(device.info.selector) as opened, bifold.Queue(opened) as queue:
                bifold.reduce(np.ones(3, np.float32), queue=queue)
            assert caplog.records
            caplog.clear()
            bifold.set_log("off")
            with bifold.open_device(device.info.selector) as opened, bifold.Queue(opened) as queue:
                bifold.reduce(np.ones(3, np.float32), queue=queue)
            assert not caplog.records
    finally:
        bifold.set_log("off")
    with pytest.raises(bifold.InvalidArgument, match="level must be"):
        bifold.set_log("loud")


def test_a_tuning_file_that_is_missing_is_named_in_a_warning(device, tmp_path, caplog):
    bifold.set_log("warning")
    try:
        with caplog.at_level(logging.WARNING, "bifold"):
            with bifold.open_device(device.info.selector, tuning_file=tmp_path / "none"):
                pass
    finally:
        bifold.set_log("off")
    assert [record for record in caplog.records if str(tmp_path / "none") in record.message]


def test_a_library_is_loaded_once(tmp_path):
    bifold.version()
    with pytest.raises(ImportError, match="loaded already"):
        bifold.load_library(tmp_path / "libbifold.so")


def test_a_library_that_is_none_is_an_import_error(tmp_path):
    fake = tmp_path / "libbifold.so"
    fake.write_text("not a library")
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
import bifold
try:
    bifold.load_library({str(fake)!r})
except ImportError as failure:
    print(failure)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "cannot be used as libbifold" in ended.stdout, ended.stderr


def test_the_version_is_the_librarys():
    assert bifold.__version__ == bifold.version()
    assert len(bifold.version().split(".")) == 3
