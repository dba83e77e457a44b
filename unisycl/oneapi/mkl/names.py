"""Names that oneMKL's routines share: options and exceptions.

Non-goals: what the routines do with them. Invariant: an option is one object, equal to itself only,
with the number by which C calls it and the letter by which Fortran does.
"""

from __future__ import annotations

from typing import Any

import unisycl as sycl
from unisycl.oneapi.frame import refusals


class Option:
    """One value of an option, such as ``transpose.trans``."""

    __slots__ = ("kind", "letter", "name", "number")

    def __init__(self, kind: str, name: str, number: int, letter: str) -> None:
        self.kind, self.name, self.number, self.letter = kind, name, number, letter

    def __repr__(self) -> str:
        return f"{self.kind}.{self.name}"

    def __reduce__(self) -> Any:
        return _option, (self.kind, self.name)


def _option(kind: str, name: str) -> Option:
    found: Option = getattr(KINDS[kind], name)
    return found


class transpose:
    """Whether a matrix is used as it is, transposed, or transposed and conjugated."""

    nontrans = N = Option("transpose", "nontrans", 111, "N")
    trans = T = Option("transpose", "trans", 112, "T")
    conjtrans = C = Option("transpose", "conjtrans", 113, "C")


class uplo:
    """Which triangle of a matrix is there."""

    upper = U = Option("uplo", "upper", 121, "U")
    lower = L = Option("uplo", "lower", 122, "L")


class diag:
    """Whether the diagonal of a triangle is taken to be ones."""

    nonunit = N = Option("diag", "nonunit", 131, "N")
    unit = U = Option("diag", "unit", 132, "U")


class side:
    """On which side of the other matrix the special one stands."""

    left = L = Option("side", "left", 141, "L")
    right = R = Option("side", "right", 142, "R")


class layout:
    """In which order the elements of a matrix lie."""

    row_major = R = Option("layout", "row_major", 101, "R")
    col_major = C = Option("layout", "col_major", 102, "C")


class job:
    """What of an eigenvalue or singular-value problem is computed."""

    novec = N = Option("job", "novec", 0, "N")
    vec = V = Option("job", "vec", 1, "V")


class jobsvd:
    """Which singular vectors are computed."""

    novec = N = Option("jobsvd", "novec", 0, "N")
    vectors = A = Option("jobsvd", "vectors", 1, "A")
    somevec = S = Option("jobsvd", "somevec", 2, "S")
    vectorsina = O = Option("jobsvd", "vectorsina", 3, "O")  # noqa: E741 -- oneMKL's name


class generate:
    """Which factor is made explicit."""

    q = Q = Option("generate", "q", 0, "Q")
    p = P = Option("generate", "p", 1, "P")


class index_base:
    """What the first index of sparse matrices is."""

    zero = Option("index_base", "zero", 0, "0")
    one = Option("index_base", "one", 1, "1")


KINDS: dict[str, Any] = {c.__name__: c for c in (
    transpose, uplo, diag, side, layout, job, jobsvd, generate, index_base)}


class invalid_argument(sycl.UsageError):
    """An argument of a routine is wrong (``oneapi::mkl::invalid_argument``)."""

    def __init__(self, text: str) -> None:
        super().__init__(sycl.errc.invalid, text)


def whole(routine: str, what: str, value: Any, least: int = 0) -> int:
    """Return a whole number that a routine was given; refuse others."""
    return refusals.whole(routine, what, value, least, error=invalid_argument)


class uninitialized(sycl.UsageError):
    """Something was not prepared, as a descriptor that is not committed."""

    def __init__(self, text: str) -> None:
        super().__init__(sycl.errc.invalid, text)


class computation_error(sycl.DeviceError):
    """A routine could not compute what it was asked for, as of a singular matrix."""

    def __init__(self, text: str, info: int = 0) -> None:
        super().__init__(sycl.errc.runtime, text)
        self._info = info

    def info(self) -> int:
        """Return what LAPACK calls info: where it happened, counted from 1."""
        return self._info


class batch_error(computation_error):
    """Some problems of a batch could not be computed (``oneapi::mkl::lapack::batch_error``)."""

    def __init__(self, text: str, infos: list[int]) -> None:
        failed = [k for k, i in enumerate(infos) if i]
        super().__init__(text, len(failed))
        self._ids, self._infos = failed, [infos[k] for k in failed]

    def ids(self) -> list[int]:
        """Return which problems, counted from 0."""
        return self._ids

    def infos(self) -> list[int]:
        """Return the info of each of them."""
        return self._infos
