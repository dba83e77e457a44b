"""The list of benchmarks: each is where it says, with what every benchmark must have."""

from __future__ import annotations

import pytest

from bench.bars import BARS, Results
from bench.catalogue import NAMES, expand, load
from bench.harness import OURS


@pytest.mark.parametrize("name", NAMES)
def test_every_benchmark_has_our_implementation(name: str) -> None:
    benchmark = load(name)
    assert OURS in benchmark.implementations
    assert benchmark.implementations[OURS].counted
    assert benchmark.bound in ("", "stream", "fma")
    assert (benchmark.work is None) == (benchmark.unit == "")


def test_a_file_stands_for_all_in_it_unless_a_benchmark_has_that_name() -> None:
    assert expand(["sparse", "gather"]) == ["spmv", "gather", "scatter"]
    assert expand(["matmul"]) == ["matmul"]
    with pytest.raises(KeyError):
        expand(["nothing"])


def test_bars_ask_for_benchmarks_that_exist() -> None:
    asked: set[str] = set()

    class Asking(dict):  # type: ignore[type-arg]
        def get(self, name: str, default: object = None) -> object:
            asked.add(name)
            return default

    for bar in BARS:
        bar.figure(Results(Asking()))
    assert asked - set(NAMES) == set()
    assert len(asked) > 15
