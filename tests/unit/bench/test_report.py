"""The tables: rates, shares of the machine's limits, ratios round by round."""

from __future__ import annotations

from bench.bars import Row
from bench.catalogue import load
from bench.harness import OURS, Benchmark, Case, Implementation
from bench.report import describe, limits_line, markdown, rows_of


def nothing() -> Case:
    return Case(lambda: None)


BENCHMARK = Benchmark("a test", {OURS: Implementation(nothing), "peer": Implementation(nothing),
                                 "blas": Implementation(nothing, counted=False)},
                      work=3.0, unit="GB/s", bound="stream")


def test_ratios_are_taken_round_by_round() -> None:
    rows = rows_of(BENCHMARK, {OURS: [[1.0], [2.0]], "peer": [[2.0], [8.0]]})
    assert (rows[OURS].ratios, rows["peer"].ratios) == ([], [2.0, 4.0])
    text = "\n".join(describe("x", BENCHMARK, rows, {}, {}))
    assert "3.00 x (2.00 to 4.00)" in text


def test_a_rate_stands_beside_its_share_of_the_limit() -> None:
    rows = rows_of(BENCHMARK, {OURS: [[1.0]], "blas": [[0.5]]})
    text = describe("x", BENCHMARK, rows, {"peer": "not installed: peer"}, {"stream": 6.0})
    assert text[2].split() == [OURS, "1000.00", "1000.00", "1000.00", "3.0", "50%"]
    assert text[3].endswith("0.50 x (0.50 to 0.50), not counted")
    assert text[4].split() == ["peer", "skipped:", "not", "installed:", "peer"]


def test_limits_that_could_not_be_measured_are_said_to_be_missing() -> None:
    assert "could not" in limits_line({})
    assert "30.0 GB/s" in limits_line({"stream": 30, "fma": 200, "fma by a kernel": 100})


def test_the_table_marks_the_best_peer_and_leaves_out_what_did_not_run() -> None:
    mine = Row(OURS, 0.002, 0.002, 0.002)
    rows = {"mandelbrot": {OURS: mine, "numba": Row("numba", 0.004, 0.004, 0.004, [2.0]),
                           "pocl": Row("pocl", 0.003, 0.003, 0.003, [1.5]),
                           "blas": Row("blas", 0.001, 0.001, 0.001, [0.5], counted=False)},
            "scan": {"numba": Row("numba", 1, 1, 1)}}
    table = markdown({n: load(n) for n in rows}, rows, {})
    assert table[0] == "| benchmark | time | rate | of limit | numba | pocl |"
    assert table[2:] == ["| mandelbrot | 2 ms |  |  | 2.00 | **1.50** |"]
