"""What the corpus prints of results, and which results of peers it takes for the same."""

from __future__ import annotations

from bench.corpus import table
from bench.corpus.run import Result, differs

PEERS = ["numba", "opencl"]


def result() -> Result:
    return Result("classes.heat", "", wall={"unisycl": [2e-3, 1e-3], "numba": [4e-3, 3e-3]},
                  cpu={"unisycl": [4e-3, 2e-3], "numba": [1e-3, 1e-3]})


def test_ratios_are_the_peers_least_time_over_ours() -> None:
    one = result()
    assert one.ratio("numba", cpu=False) == 3
    assert one.best(cpu=True) == (0.5, "numba")
    assert Result("a", "").best(cpu=True) is None


def test_a_line_has_a_column_for_each_peer_and_the_best() -> None:
    heading, line = table.heading(PEERS), table.line(result(), PEERS)
    assert line.split() == ["classes.heat", "1.000", "2.000", "3.00", "0.50", "3.00", "0.50"]
    assert line.index("3.00") < heading.index("opencl")


def test_what_is_wrong_is_printed_and_counted() -> None:
    bad = Result("classes.heat", "guarded", errors={"numba": "wrong: out"})
    assert "numba: wrong: out" in table.line(bad, PEERS)
    assert "2 forms, 1 with something wrong" in "\n".join(table.summary([result(), bad], PEERS))


def test_the_summary_names_who_is_behind_and_twins() -> None:
    plain, guarded = result(), result()
    guarded.form, guarded.cpu["unisycl"] = "guarded", [8e-3]
    text = "\n".join(table.summary([plain, guarded], PEERS))
    assert "below 0.85 of the best peer by CPU time: 2" in text
    assert "classes.heat                           1.00   0.25" in text


def test_digests_are_compared_within_the_entrys_tolerance() -> None:
    assert differs({"a": [1, 0.5]}, {"a": [1.00001, 0.5]}, 1e-5) == ""
    assert "a:" in differs({"a": [1, 0.5]}, {"a": [1, 0.6]}, 1e-5)
    assert differs({"a": [float("nan"), 0]}, {"a": [1, 0]}, 1.0)
