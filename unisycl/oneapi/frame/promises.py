"""What each library promises of its results: when bits are the same again, and how exact they are.

Rows are of a library and of who serves it; a routine with a promise of its own is named. The pages
have this table, and tests read it. Non-goals: who serves (``table``). Invariant: data alone.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Same(enum.Enum):
    """When two runs on one device give the same bits."""

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


_A, _T, _C = Same.always, Same.threads, Same.card
_OWN, _HALVES = "the type of the elements", "the type of the elements; of halves float32"

PROMISES: tuple[Promise, ...] = (
    *(Promise("mkl.blas", p, _T, _HALVES) for p in ("openblas", "openblas64", "mkl")),
    Promise("mkl.blas", "cublas", _C, _HALVES),
    Promise("mkl.blas", "kernels", _A, _HALVES),
    *(Promise("mkl.lapack", p, _T, _OWN) for p in ("openblas", "openblas64", "mkl")),
    Promise("mkl.lapack", "cusolver", _C, _OWN),
    Promise("mkl.dft", "pocketfft", _A, _OWN),
    Promise("mkl.dft", "cufft", _C, _OWN),
    Promise("mkl.dft", "kernels", _A, _OWN),
    Promise("mkl.sparse", "cusparse", _C, _OWN),
    Promise("mkl.sparse", "kernels", _A, _OWN),
    Promise("mkl.vm", "", _A, "as exact as the functions of builtins.md, in every accuracy mode"),
    Promise("mkl.stats", "", _A, "float64 where the device has it, of float32 as well"),
    Promise("mkl.data_fitting", "", _A, "the type of the points"),
    Promise("mkl.rng", "", _A, "the same numbers on every device; laws in the type of the numbers"),
    Promise("dpl", "", _A, "what the operators compute in; they must be associative"),
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
