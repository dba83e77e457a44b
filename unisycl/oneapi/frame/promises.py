"""What each library promises of its results: when bits are the same again, and how exact they are.

Rows are of a library and of who serves it; a routine with a promise of its own is named. The pages
have this table, and tests read it. Non-goals: who serves (``table``). Invariant: data alone.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Same(enum.Enum):
    """When two runs on one device give the same bits."""

    everywhere = "in every run, for any number of threads, and on every device"
    always = "in every run, for any number of threads"
    threads = "in every run with one number of threads"
    card = "on one kind of card, with one version of the library"
    other = "not promised"


@dataclass(frozen=True)
class Promise:
    """What is promised of one library, or of one of its routines.

    Args:
        library: as programs name it.
        provider: who serves it; empty where there is nobody else.
        same: when two runs give the same bits.
        precision: in which type is computed.
        routines: the routines that it is about; empty for all others.
    """

    library: str
    provider: str
    same: Same
    precision: str
    routines: tuple[str, ...] = ()


_E, _A, _T, _C = Same.everywhere, Same.always, Same.threads, Same.card
_OWN, _HALVES = "the type of the elements", "the type of the elements; of halves float32"

_FOUND = (
    "adjacent_find", "all_of", "any_of", "binary_search", "copy", "copy_if", "copy_n", "count",
    "count_if", "equal", "fill", "fill_n", "find", "find_end", "find_first_of", "find_if",
    "find_if_not", "histogram", "includes", "inplace_merge", "iota", "is_partitioned",
    "is_sorted", "is_sorted_until", "lexicographical_compare", "lower_bound", "max_element",
    "merge", "min_element", "minmax_element", "mismatch", "none_of",
    "partial_sort_copy", "partition", "partition_copy", "remove", "remove_copy",
    "remove_copy_if", "remove_if", "replace", "replace_copy", "replace_copy_if", "replace_if",
    "reverse", "reverse_copy", "rotate", "rotate_copy", "search", "search_n", "segmented_sort",
    "segmented_sort_by_key", "set_difference", "set_intersection", "set_symmetric_difference",
    "set_union", "shift_left", "shift_right", "shuffle", "sort", "sort_by_key",
    "stable_partition", "stable_sort", "stable_sort_by_key", "swap_ranges",
    "three_way_partition", "top_k", "unique", "unique_by_key", "unique_by_key_copy",
    "unique_copy", "upper_bound")
_PLACED = ("nth_element", "partial_sort")
_APPLIED = (
    "adjacent_difference", "for_each", "for_each_n", "generate", "generate_n", "transform",
    "transform_if")
_COMBINED = (
    "exclusive_scan", "exclusive_scan_by_segment", "inclusive_scan",
    "inclusive_scan_by_segment", "reduce", "reduce_by_segment", "transform_exclusive_scan",
    "transform_inclusive_scan", "transform_reduce")
_WORDS = (
    "bits", "uniform_bits", "uniform", "uniform_int", "discrete", "bernoulli", "poisson",
    "binomial", "geometric")

PROMISES: tuple[Promise, ...] = (
    *(Promise("mkl.blas", p, _T, _HALVES) for p in ("openblas", "openblas64", "mkl")),
    Promise("mkl.blas", "cublas", _C, _HALVES),
    Promise("mkl.blas", "kernels", _A, _HALVES),
    *(Promise("mkl.lapack", p, _T, _OWN) for p in ("openblas", "openblas64", "mkl")),
    Promise("mkl.lapack", "cusolver", _C, _OWN),
    Promise("mkl.dft", "mkl", _T, _OWN),
    Promise("mkl.dft", "pocketfft", _A, _OWN),
    Promise("mkl.dft", "cufft", _C, _OWN),
    Promise("mkl.dft", "kernels", _A, _OWN),
    Promise("mkl.sparse", "cusparse", _C, _OWN),
    Promise("mkl.sparse", "kernels", _A, _OWN),
    Promise("mkl.vm", "", _A, "as exact as the functions of builtins.md, in every accuracy mode"),
    Promise("mkl.stats", "", _A, "float64 where the device has it, of float32 as well"),
    Promise("mkl.data_fitting", "", _A, "the type of the points"),
    Promise("mkl.rng", "", _E, "the engine's numbers, and what one rounding makes of them", _WORDS),
    Promise("mkl.rng", "", _A, "the type of the numbers, by the functions of builtins.md"),
    Promise("dpl", "", _E, "nothing beyond what predicates and orders compute in", _FOUND),
    Promise("dpl", "", _A, "as those; the places that are asked for are the same everywhere, what "
            "stands at others is not", _PLACED),
    Promise("dpl", "", _A, "what the function computes in, each element by itself", _APPLIED),
    Promise("dpl", "", _A, "what the operators compute in; they must be associative", _COMBINED),
    Promise("dnn", "onednn", _T, "float32; of whole numbers int32"),
    Promise("dnn", "cudnn", _C, "sums in float32; factors in less only by fpmath_mode"),
    Promise("dnn", "kernels", _A, "float32; of whole numbers int32"),
    Promise("dal", "kernels", _A, "float32 if the first table is, else float64; sums in float64"),
    Promise("dal", "sklearn", _A, "float64"),
    Promise("tbb", "", _A, "what the bodies compute in", ("parallel_deterministic_reduce",)),
    Promise("tbb", "", Same.other, "what the bodies compute in; parts depend on the threads"),
    Promise("vpl", "", _A, "pictures: whole numbers and float32; what encoders write is FFmpeg's"),
    Promise("ccl", "", _A, "the same on all ranks; sums of floats depend on how many there are"),
)
"""All promises; a row about some routines stands before the one about the others."""


def promise_of(library: str, provider: str = "", routine: str = "") -> Promise:
    """Return what is promised of a routine; raises ``LookupError`` where nothing is."""
    for row in PROMISES:
        if (row.library, row.provider) == (library, provider) and (
                not row.routines or routine in row.routines):
            return row
    raise LookupError(f"nothing is promised of {library} by '{provider}'")


def lines() -> list[str]:
    """Return the table as pages have it."""
    return [f"| {p.library} | {p.provider or 'ours'}"
            + (f", {', '.join(f'`{r}`' for r in p.routines)}" if p.routines else "")
            + f" | {p.same.value} | {p.precision} |" for p in PROMISES]
