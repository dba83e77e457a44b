"""The queue over ranks: threads of one process, and processes of MPI."""

from __future__ import annotations

import functools
import sys
import threading

import numpy as np
import pytest

import unisycl as sycl
from tests.ranks import programs, queue_checks, random_programs
from tests.ranks.processes import start, well
from tests.runtimes import skip_where_one_kernel_cannot_overlap
from tests.sampling import by_turns
from unisycl.oneapi import ccl
from unisycl.ranks.links import threads
from unisycl.ranks.queue import insides, results

x = sycl.ext.unisycl


def expected() -> dict:
    columns, values = programs.laplacian(9)
    dense = np.zeros((81, 81))
    np.add.at(dense, (np.arange(81)[:, None], columns), values)
    return {"heat": programs.heat_by_numpy(), "nbody": programs.nbody_by_numpy(),
            "matmul": programs.left(23, 31) @ programs.right(31, 17),
            "flow": programs.flow_by_numpy(),
            "conjugate_gradient": np.linalg.solve(dense, np.arange(81) % 5 + 1)}


def compare(found: dict, one: dict) -> None:
    """Compare with NumPy, and with one rank: bit for bit where no order of a reduction matters."""
    for name, want in expected().items():
        assert np.allclose(found[name], want, rtol=1e-9, atol=1e-11), name
        if name != "conjugate_gradient":
            assert np.array_equal(found[name], one[name]), name


@pytest.mark.row("R-1")
@pytest.mark.row("R-2")
@pytest.mark.row("R-3")
@pytest.mark.part("R-4")
def test_any_number_of_ranks_computes_what_one_does(device: sycl.device) -> None:
    one = queue_checks.check_all(x.distr_queue(device))
    compare(one, one)
    skip_where_one_kernel_cannot_overlap(device)
    for size in by_turns(device, (2, 3, 4)):
        for found in ccl.run_threads(size, lambda c: queue_checks.check_all(
                x.distr_queue(device))):
            compare(found, one)
    for found in ccl.run_threads(7, lambda c: queue_checks.check_programs(
            x.distr_queue(device))):
        compare(found, one)


@pytest.mark.row("R-2")
def test_kernels_run_while_a_border_is_awaited() -> None:
    ready = threading.Event()

    def body(comm) -> None:
        q = x.distr_queue("cpu")
        u, v, w = (x.distr_buffer(np.arange(8.0)) for _ in range(3))

        def late(h):
            a = sycl.accessor(u, h, x.one_to_one, sycl.read_write_host_task)

            def double(part):
                if part.rank == 1:  # its border comes when rank 0 is done with what follows
                    assert ready.wait(60)
                a.part()[:] *= 2
            h.host_task((8,), double)

        def needs(h):
            a = sycl.accessor(u, h, x.neighborhood(1), sycl.read_only)
            b = sycl.accessor(v, h, x.one_to_one, sycl.write_only)

            def shift(i):
                b[i] = a[min(int(i) + 1, 7)]
            h.parallel_for(8, shift)

        def beside(h):
            c = sycl.accessor(w, h, x.one_to_one, sycl.read_write)

            def add(i):
                c[i] += 1
            h.parallel_for(8, add)
        q.submit(late)
        border, other = q.submit(needs), q.submit(beside)
        if q.rank == 0:
            other.wait()
            status = border.get_info(sycl.info.event.command_execution_status)
            assert status is not sycl.info.event_command_status.complete
            ready.set()
        assert np.array_equal(q.gather(v), 2 * np.minimum(np.arange(8.0) + 1, 7))
        assert np.array_equal(q.gather(w), np.arange(8.0) + 1)
    ccl.run_threads(2, body)


@pytest.mark.part("R-2")
def test_insides_of_parts_run_before_borders_come(monkeypatch) -> None:
    begun, begin = [], insides.begin

    def noted(h, *rest):
        begun.append([piece.part.extent[0] for piece in rest[-1]])
        return begin(h, *rest)
    monkeypatch.setitem(insides.LEAST, "items", 1)
    monkeypatch.setattr(insides, "begin", noted)
    for found in ccl.run_threads(3, lambda c: programs.heat(x.distr_queue("cpu"))):
        assert np.allclose(found, programs.heat_by_numpy(), rtol=1e-12)
    assert sorted(map(tuple, begun)) == 5 * [(10, 1, 1)] + 5 * [(11, 1)] + 5 * [(12, 1)]
    ccl.run_threads(3, lambda c: queue_checks.check_repeats(x.distr_queue("cpu")))


@pytest.mark.part("R-3")
def test_many_ranks_reduce_by_rounds_to_the_same_bits(monkeypatch) -> None:
    monkeypatch.setattr(results, "FEW", 1)
    values = np.sin(np.arange(200.0))

    def body(comm) -> tuple[float, int]:
        q = x.distr_queue("cpu")
        u, total, most = x.distr_buffer(values), x.distr_buffer(1), x.distr_buffer(1, np.int32)

        def group(h):
            a = sycl.accessor(u, h, x.one_to_one, sycl.read_only)
            fresh = sycl.property.reduction.initialize_to_identity()

            def add(i, found, largest):
                found += a[i]
                largest.combine(np.int32(int(i)))
            h.parallel_for(200, sycl.reduction(total, h, sycl.plus, fresh),
                           sycl.reduction(most, h, sycl.maximum, fresh), add)
        for _ in range(3):
            q.submit(group)
        return float(q.gather(total)[0]), int(q.gather(most)[0])
    for size in (2, 5, 11):
        found = ccl.run_threads(size, body)
        assert len(set(found)) == 1
        assert abs(found[0][0] - values.sum()) < 1e-12
        assert found[0][1] == 199


@pytest.mark.part("R-3")
def test_mappers_may_be_partial_give_numbers_of_numpy_and_be_named_alone() -> None:
    def shifted(by, part, shape):
        low = np.int64(part.start[0])
        return low + by, np.int64(part.end[0]) + by

    def body(comm) -> None:
        q = x.distr_queue("cpu")
        u = x.distr_buffer(np.arange(12.0))
        for mapper in (x.even_split, functools.partial(shifted, 0)):
            def group(h, mapper=mapper):
                a = sycl.accessor(u, h, mapper, sycl.read_write_host_task)
                h.host_task((12,), lambda p: np.add(a.part(), 1, out=a.part()))
            q.submit(group)
        assert np.array_equal(q.gather(u), np.arange(12.0) + 2)
    ccl.run_threads(3, body)


@pytest.mark.part("R-2")
@pytest.mark.parametrize("least", [1, 1 << 22])
def test_a_group_that_raises_behind_its_kernel_has_run_nothing(least: int, monkeypatch) -> None:
    monkeypatch.setitem(insides.LEAST, "items", least)

    def body(comm) -> None:
        q = x.distr_queue("cpu")
        u, v = x.distr_buffer(np.arange(24.0)), x.distr_buffer(np.ones(24))

        def group(h, fails):
            a = sycl.accessor(u, h, x.neighborhood(1), sycl.read_only)
            b = sycl.accessor(v, h, x.one_to_one, sycl.read_write)

            def add(i):
                b[i] += a[max(int(i) - 1, 0)]
            h.parallel_for(24, add)
            if fails:
                raise ValueError("behind it")
        ids = np.arange(24.0)
        for turn in range(3):  # planned, and as planned before
            with pytest.raises(ValueError, match="behind it"):
                q.submit(lambda h: group(h, fails=True))
            q.submit(lambda h: group(h, fails=False))
            want = 1 + (turn + 1) * np.maximum(ids - 1, 0)
            assert np.array_equal(q.gather(v), want)
            q.submit(lambda h: h.fill(sycl.accessor(u, h, sycl.write_only, sycl.no_init), 0.0))
            with pytest.raises(ValueError, match="behind it"):
                q.submit(lambda h: group(h, fails=True))
            assert np.array_equal(q.gather(v), want)

            def refill(h):
                b = sycl.accessor(u, h, x.one_to_one, sycl.write_only, sycl.no_init)

                def ids_of(i):
                    b[i] = int(i)
                h.parallel_for(24, ids_of)
            q.submit(refill)
    ccl.run_threads(3, body)


@pytest.mark.row("R-1")
@pytest.mark.part("R-3")
@pytest.mark.parametrize("seed", [3, 14, 25, 36])
def test_random_programs_find_what_numpy_does(device: sycl.device, seed: int) -> None:
    random_programs.check(seed, 1, device)
    skip_where_one_kernel_cannot_overlap(device)
    random_programs.check(seed, 2 + seed % 3, device, debug=seed % 2 == 0)


@pytest.mark.row("R-1")
@pytest.mark.part("R-4")
def test_processes_compute_what_one_rank_does() -> None:
    done = start(4, "tests/ranks/mpi_queue.py", "cpu")
    assert done.returncode == 0, done.stdout + done.stderr
    assert well(done.stdout) == [0, 1, 2, 3]


@pytest.mark.row("R-5")
def test_ranks_that_submit_different_commands_are_named() -> None:
    def body(comm) -> None:
        q = x.distr_queue("cpu", debug=True)
        u = queue_checks.fill_ids(q, (8,))

        def extra(h):
            a = sycl.accessor(u, h, x.one_to_one, sycl.read_write)

            def only_here(i):
                a[i] += 1
            h.parallel_for(8, only_here)
        if comm.rank() == 1:
            q.submit(extra)
        q.wait()
    with pytest.raises(sycl.exception, match=r"command 2 is on ranks 0, 2: wait; on rank 1: kernel "
                       "'only_here' over 8 0:read_write:one_to_one"):
        ccl.run_threads(3, body, limit=120)


@pytest.mark.row("R-5")
def test_gather_notices_ranks_that_differ_without_debug_mode() -> None:
    def body(comm) -> None:
        q = x.distr_queue("cpu", debug=False)
        u = queue_checks.fill_ids(q, (8 if comm.rank() else 9,))
        q.gather(u)
    with pytest.raises(sycl.exception, match=r"command 1 is on rank 0: kernel 'ids' over 9 .*; on "
                       r"rank 1: kernel 'ids' over 8 "):
        ccl.run_threads(2, body, limit=120)


@pytest.mark.row("R-5")
def test_gather_notices_mappers_that_differ() -> None:
    def body(comm) -> None:
        q, first = x.distr_queue("cpu", debug=False), comm.rank()
        u = queue_checks.fill_ids(q, (8,))

        def own(part):
            return ((part.start[0] + first, part.start[0] + first + 1),)

        def group(h):
            a = sycl.accessor(u, h, own, sycl.read_write_host_task)
            h.host_task((8,), lambda p: a.part().fill(0))
        q.submit(group)
        q.gather(u)
    with pytest.raises(sycl.exception, match=r"command 2 is on rank 0: .*own \(\[0:1\] \[4:5\]\); "
                       r"on rank 1: .*own \(\[1:2\] \[5:6\]\)"):
        ccl.run_threads(2, body, limit=120)


@pytest.mark.part("R-6")
def test_ranks_of_different_versions_and_devices_are_named(monkeypatch) -> None:
    module = sys.modules[x.distr_queue.__module__]
    monkeypatch.setattr(module.importlib.metadata, "version",
                        lambda name: f"1.{threads.here().rank // 2}")

    def versions(comm) -> None:
        x.distr_queue("cpu")
    with pytest.raises(sycl.exception, match=r"ranks run different versions: rank 0: unisycl 1\.0, "
                       r"Python .*; rank 1: unisycl 1\.0, .*; rank 2: unisycl 1\.1, .*install the"):
        ccl.run_threads(3, versions)
    told = []
    monkeypatch.setattr(module.notices, "tell", told.append)

    def devices(comm) -> None:
        x.distr_queue(("cpu", "host")[comm.rank()])
    ccl.run_threads(2, devices)
    assert len(told) == 1
    assert told[0].startswith("ranks have different devices: rank 0: ")


def misses(q) -> None:
    u, v = x.distr_buffer(np.arange(40.0)), x.distr_buffer(40)

    @q.submit
    def _(h):
        source = sycl.accessor(u, h, x.one_to_one, sycl.read_only)
        b = sycl.accessor(v, h, x.one_to_one, sycl.write_only, sycl.no_init)

        def shift(i):
            b[i] = source[(int(i) + 1) % 40]
        h.parallel_for(40, shift)
    q.wait()


@pytest.mark.row("R-7")
def test_a_mapper_that_misses_what_the_kernel_reads_is_found(device: sycl.device) -> None:
    def body(comm) -> str:
        q = x.distr_queue(device, sycl.property.queue.debug("bounds"))
        with pytest.raises(sycl.exception) as found:
            misses(q)
        return str(found.value)
    first, second = ccl.run_threads(2, body)
    assert "work-item id(19)" in first
    assert "index 20 of 'source' is outside the part [0:20]" in first
    assert "work-item id(39)" in second
    assert "index 0 of 'source' is outside the part [20:40]" in second


@pytest.mark.row("R-7")
def test_a_read_of_what_nobody_wrote_is_found_in_debug_mode() -> None:
    q = x.distr_queue("cpu", debug=True)
    u, v = x.distr_buffer(6), x.distr_buffer(6)

    def group(h):
        a = sycl.accessor(u, h, x.one_to_one, sycl.read_only)
        b = sycl.accessor(v, h, x.one_to_one, sycl.write_only, sycl.no_init)

        def copy(i):
            b[i] = a[i]
        h.parallel_for(6, copy)
    with pytest.raises(sycl.exception, match=r"reads elements \[0:6\] of buffer \d+ .* which no"):
        q.submit(group)


@pytest.mark.part("R-6")
def test_a_kernel_that_fails_is_raised_on_its_rank_and_ends_the_others() -> None:
    def body(comm) -> None:
        q = x.distr_queue("cpu")
        u = queue_checks.fill_ids(q, (8,))

        def bad(h):
            a = sycl.accessor(u, h, x.one_to_one, sycl.read_write_host_task)

            def fail(p):
                if p.rank == 1:
                    raise ValueError("no luck")
                a.part()[:] = 1
            h.host_task((8,), fail)
        q.submit(bad)
        q.gather(u)
    with pytest.raises(sycl.exception, match="no luck"):
        ccl.run_threads(3, body, limit=120)


@pytest.mark.row("R-4")
@pytest.mark.parametrize("name", ["data.h5", "data.zarr"])
def test_what_three_ranks_write_two_read(name: str, tmp_path) -> None:
    pytest.importorskip({"h5": "h5py"}.get(name.split(".")[1], "zarr"))
    where = tmp_path / name

    def write(comm) -> None:
        q = x.distr_queue("cpu")
        q.save(where, a=queue_checks.fill_ids(q, (10, 3)), b=queue_checks.fill_ids(q, (2,)))

    def read(comm) -> None:
        q = x.distr_queue("cpu")
        a, b = q.load(where, "a"), q.load(where, "b")
        with q.recording() as seen:
            found = q.gather(a)
        assert len([c for c in seen.commands if c.kind == "send"]) == 2  # a half from each
        assert np.array_equal(found, np.arange(30).reshape(10, 3) + 10000)
        assert q.gather(b).tolist() == [2000, 2001]
        for file, key, text in ((where, "c", "no array 'c'; it has a, b"),
                                (where.with_stem("other"), "a", "other.* cannot be read")):
            with pytest.raises(sycl.exception, match=text):
                q.load(file, key)
    ccl.run_threads(3, write)
    ccl.run_threads(2, read)
    with pytest.raises(sycl.exception, match="files are"):
        x.distr_queue("cpu").save(tmp_path / "data.txt")
