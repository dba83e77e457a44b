"""Helpers that measure: benchmark, profile, autotune, and the versions."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.api.queue import measuring

ext = sycl.ext.unisycl


@sycl.kernel
def add(i, x):
    x[i] += 1


@sycl.kernel
def add_by_group(it, x):
    x[it.get_global_id(0)] += 1


def test_a_benchmark_counts_every_launch_but_the_first(queue):
    x = np.zeros(64, np.float32)
    found = ext.benchmark(queue, 64, add, x, rounds=4, nbytes=8e3, flops=64)
    assert x.tolist() == [5] * 64
    assert len(found.seconds) == 4
    assert 0 < found.best <= found.median
    assert found.bandwidth == 8e3 / found.best
    assert found.rate == 64 / found.best
    assert str(found).startswith("add: ")
    assert "GB/s" in str(found)
    assert found._repr_html_().count("<rect") == 4
    assert "GB/s" not in str(ext.benchmark(queue, 64, add, x, rounds=1))
    with pytest.raises(sycl.exception, match="give 1 or more"):
        ext.benchmark(queue, 64, add, x, rounds=0)


def test_a_profile_has_a_row_for_each_command_by_its_time(queue):
    x = np.zeros(64, np.float32)
    with ext.profile(queue) as seen:
        for _ in range(3):
            queue.parallel_for(64, add, x)
        queue.submit(lambda h: h.host_task(lambda: None))
    rows = {row[0]: row for row in seen.rows()}
    assert rows["kernel 'add'"][2] == 3
    assert rows["kernel 'add'"][3] > 0
    assert str(seen).splitlines()[0].split() == [
        "command", "device", "times", "total", "ms", "each", "ms", "share"]
    assert seen._repr_html_().count("<tr>") == 1 + len(seen.rows())


def test_a_profile_of_a_block_that_fails_lets_the_error_out(queue):
    with pytest.raises(ZeroDivisionError), ext.profile(queue):
        raise ZeroDivisionError


def test_tuning_tries_each_size_once_and_keeps_the_best(queue, monkeypatch):
    x = np.zeros(256, np.float32)
    monkeypatch.setattr(measuring, "_known", {})
    monkeypatch.setattr(measuring.disk_cache, "load", lambda key: None)
    kept = {}
    monkeypatch.setattr(measuring.disk_cache, "save", kept.__setitem__)
    best = ext.autotune(queue, 256, add_by_group, x, local_sizes=(8, 16, 48), rounds=1)
    assert best in (8, 16)
    assert x.tolist() == [4] * 256  # two sizes, each compiled by one launch and measured by one
    assert [*kept.values()][-1] == str(best).encode()
    assert ext.autotune(queue, 256, add_by_group, x, local_sizes=(8, 16, 48), rounds=1) == best
    assert x.tolist() == [4] * 256
    with pytest.raises(sycl.exception, match="give local_sizes"):
        ext.autotune(queue, 256, add_by_group, x, local_sizes=(7,))


def test_versions_name_the_packages_and_each_device(capsys):
    ext.show_versions()
    told = capsys.readouterr().out
    assert "numpy" in told
    assert told.count("device ") >= len(sycl.device.get_devices())
