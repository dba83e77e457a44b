"""The table of BLAS: what each routine takes, in the order of oneMKL and of CBLAS, which is one.

Non-goals: who computes. Invariants: a routine is a row; sizes of what it takes follow from its
other arguments by the names that the row gives.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Option:
    """An argument that is one of a few names."""

    name: str
    kind: str


@dataclass(frozen=True)
class Size:
    """A whole number, at least 0."""

    name: str


@dataclass(frozen=True)
class Number:
    """A number of the routine's type; ``real`` where that of complex routines is real."""

    name: str
    real: bool = False


@dataclass(frozen=True)
class Matrix:
    """A matrix and its leading dimension.

    ``rows`` and ``columns`` are sums of sizes; where ``turned`` is an option of the routine that
    asks for the transposed matrix, they are those of what it makes of it. ``square`` names the
    option of the side on which the matrix stands, whose size it has. ``band`` is for bands, which
    have ``rows`` diagonals, and rows of them where rows lie together.
    """

    name: str
    rows: str
    columns: str
    turned: str = ""
    square: str = ""
    band: bool = False
    writes: bool = False

    @property
    def leading(self) -> str:
        """The name of the leading dimension."""
        return f"ld{self.name}"


@dataclass(frozen=True)
class Vector:
    """A vector and its stride; ``size`` is for ``turned`` left as it is, ``other`` else.

    ``order`` says what a negative stride is, by which vectors are gone through from their end:
    passed on (``"any"``), the same as a positive one (``"none"``, where CBLAS would do nothing), or
    refused (``"forward"``).
    """

    name: str
    size: str
    turned: str = ""
    other: str = ""
    writes: bool = False
    order: str = "any"

    @property
    def stride(self) -> str:
        """The name of the stride."""
        return f"inc{self.name}"


@dataclass(frozen=True)
class Memory:
    """Memory without a stride: a packed triangle, parameters, results.

    ``count`` is ``"packed"`` or a number; ``type`` is that of the elements: of the routine
    (``"t"``), its real type (``"r"``), or NumPy's name.
    """

    name: str
    count: str
    type: str = "t"
    writes: bool = False


Argument = Option | Size | Number | Matrix | Vector | Memory


@dataclass(frozen=True)
class Row:
    """One routine.

    Args:
        name: its name.
        types: the letters of its types.
        arguments: what it takes.
        c: the name of CBLAS's, where it is not type and name; ``{t}`` is the letter, ``{r}`` the
            letter and that of the real type (``sc``).
        result: the type of what CBLAS returns; it goes to the last argument.
        cost: about how many operations it takes, of its sizes.
        halves: whether what is read may be of float16 or bfloat16, and what is written of it or of
            float32; numbers are float32 then.
    """

    name: str
    types: str
    arguments: tuple[Argument, ...]
    c: str = "{t}{n}"
    result: str = ""
    cost: str = "n"
    halves: bool = False


T, U, D, S = (Option("trans", "transpose"), Option("upper_lower", "uplo"),
              Option("unit_diag", "diag"), Option("left_right", "side"))
TA, TB = Option("transa", "transpose"), Option("transb", "transpose")
M, N, K = Size("m"), Size("n"), Size("k")
KL, KU = Size("kl"), Size("ku")
ALPHA, BETA = Number("alpha"), Number("beta")
ALPHA_R, BETA_R = Number("alpha", real=True), Number("beta", real=True)
SQUARE = Matrix("a", "n", "n")
SQUARE_W = Matrix("a", "n", "n", writes=True)
BAND = Matrix("a", "k+1", "n", band=True)
PACKED, PACKED_W = Memory("ap", "packed"), Memory("ap", "packed", writes=True)
X, Y = Vector("x", "n"), Vector("y", "n")
X_ANY, X_FORWARD = Vector("x", "n", order="none"), Vector("x", "n", order="forward")
X_W, Y_W = Vector("x", "n", writes=True), Vector("y", "n", writes=True)
A_SIDE = Matrix("a", "", "", square="left_right")
B_MN, C_MN = Matrix("b", "m", "n"), Matrix("c", "m", "n", writes=True)
C_NN = Matrix("c", "n", "n", writes=True)
A_NK, B_NK = Matrix("a", "n", "k", turned="trans"), Matrix("b", "n", "k", turned="trans")
A_MK, B_KN = Matrix("a", "m", "k", turned="transa"), Matrix("b", "k", "n", turned="transb")


def _result(kind: str = "t") -> Memory:
    return Memory("result", "1", kind, writes=True)


_LEVEL1 = (
    Row("asum", "sdcz", (N, X_ANY, _result("r")), "{r}asum", result="r"),
    Row("axpy", "sdcz", (N, ALPHA, X, Y_W)),
    Row("axpby", "sdcz", (N, ALPHA, X, BETA, Y_W)),
    Row("copy", "sdcz", (N, X, Y_W)),
    Row("dot", "sd", (N, X, Y, _result()), result="t"),
    Row("dotc", "cz", (N, X, Y, _result()), "{t}dotc_sub"),
    Row("dotu", "cz", (N, X, Y, _result()), "{t}dotu_sub"),
    Row("sdsdot", "s", (N, Number("sb"), X, Y, _result()), "sdsdot", result="t"),
    Row("dsdot", "s", (N, X, Y, _result("float64")), "dsdot", result="float64"),
    Row("iamax", "sdcz", (N, X_FORWARD, _result("int64")), "i{t}amax", result="int64"),
    Row("iamin", "sdcz", (N, X_FORWARD, _result("int64")), "i{t}amin", result="int64"),
    Row("nrm2", "sdcz", (N, X_ANY, _result("r")), "{r}nrm2", result="r"),
    Row("rot", "sdcz", (N, X_W, Y_W, Number("c", real=True), Number("s", real=True)), "{m}rot"),
    Row("rotg", "sdcz", (Memory("a", "1", writes=True), Memory("b", "1", writes=True),
                         Memory("c", "1", "r", writes=True), Memory("s", "1", writes=True)),
        cost="1"),
    Row("rotm", "sd", (N, X_W, Y_W, Memory("param", "5"))),
    Row("rotmg", "sd", (Memory("d1", "1", writes=True), Memory("d2", "1", writes=True),
                        Memory("x1", "1", writes=True), Number("y1"),
                        Memory("param", "5", writes=True)), cost="1"),
    Row("scal", "sdcz", (N, ALPHA, Vector("x", "n", writes=True, order="none"))),
    Row("swap", "sdcz", (N, X_W, Y_W)),
)

_MV = (ALPHA, SQUARE, X, BETA, Y_W)
_TRIANGLE = (U, T, D, N)

_LEVEL2 = (
    Row("gemv", "sdcz", (T, M, N, ALPHA, Matrix("a", "m", "n"), Vector("x", "n", "trans", "m"),
                         BETA, Vector("y", "m", "trans", "n", writes=True)), cost="m*n"),
    Row("gbmv", "sdcz", (T, M, N, KL, KU, ALPHA, Matrix("a", "kl+ku+1", "n", band=True),
                         Vector("x", "n", "trans", "m"), BETA,
                         Vector("y", "m", "trans", "n", writes=True)), cost="m*kl"),
    Row("ger", "sd", (M, N, ALPHA, Vector("x", "m"), Y, Matrix("a", "m", "n", writes=True)),
        cost="m*n"),
    *(Row(name, "cz", (M, N, ALPHA, Vector("x", "m"), Y, Matrix("a", "m", "n", writes=True)),
          cost="m*n") for name in ("gerc", "geru")),
    *(Row(name, types, (U, N, K, ALPHA, BAND, X, BETA, Y_W), cost="n*k")
      for name, types in (("sbmv", "sd"), ("hbmv", "cz"))),
    *(Row(name, types, (U, N, *_MV), cost="n*n")
      for name, types in (("symv", "sd"), ("hemv", "cz"))),
    *(Row(name, types, (U, N, ALPHA, PACKED, X, BETA, Y_W), cost="n*n")
      for name, types in (("spmv", "sd"), ("hpmv", "cz"))),
    *(Row(name, types, (U, N, alpha, X, SQUARE_W), cost="n*n")
      for name, types, alpha in (("syr", "sd", ALPHA), ("her", "cz", ALPHA_R))),
    *(Row(name, types, (U, N, ALPHA, X, Y, SQUARE_W), cost="n*n")
      for name, types in (("syr2", "sd"), ("her2", "cz"))),
    *(Row(name, types, (U, N, alpha, X, PACKED_W), cost="n*n")
      for name, types, alpha in (("spr", "sd", ALPHA), ("hpr", "cz", ALPHA_R))),
    *(Row(name, types, (U, N, ALPHA, X, Y, PACKED_W), cost="n*n")
      for name, types in (("spr2", "sd"), ("hpr2", "cz"))),
    *(Row(name, "sdcz", (*_TRIANGLE, SQUARE, X_W), cost="n*n") for name in ("trmv", "trsv")),
    *(Row(name, "sdcz", (*_TRIANGLE, K, BAND, X_W), cost="n*k") for name in ("tbmv", "tbsv")),
    *(Row(name, "sdcz", (*_TRIANGLE, PACKED, X_W), cost="n*n") for name in ("tpmv", "tpsv")),
)

_SYM = (S, U, M, N, ALPHA, A_SIDE, B_MN, BETA, C_MN)

LEVEL3 = (
    Row("gemm", "sdcz", (TA, TB, M, N, K, ALPHA, A_MK, B_KN, BETA, C_MN), cost="2*m*n*k",
        halves=True),
    Row("symm", "sdcz", _SYM, cost="2*m*n*m"),
    Row("hemm", "cz", _SYM, cost="2*m*n*m"),
    Row("syrk", "sdcz", (U, T, N, K, ALPHA, A_NK, BETA, C_NN), cost="n*n*k"),
    Row("herk", "cz", (U, T, N, K, ALPHA_R, A_NK, BETA_R, C_NN), cost="n*n*k"),
    Row("syr2k", "sdcz", (U, T, N, K, ALPHA, A_NK, B_NK, BETA, C_NN), cost="2*n*n*k"),
    Row("her2k", "cz", (U, T, N, K, ALPHA, A_NK, B_NK, BETA_R, C_NN), cost="2*n*n*k"),
    *(Row(name, "sdcz", (S, U, TA, D, M, N, ALPHA, A_SIDE, Matrix("b", "m", "n", writes=True)),
          cost="m*n*m") for name in ("trmm", "trsm")),
    Row("gemmt", "sdcz", (U, TA, TB, N, K, ALPHA, Matrix("a", "n", "k", turned="transa"),
                          Matrix("b", "k", "n", turned="transb"), BETA, C_NN), cost="n*n*k"),
)

EXTENSIONS = (
    Row("omatcopy", "sdcz", (T, M, N, ALPHA, Matrix("a", "m", "n"),
                             Matrix("b", "m", "n", turned="trans", writes=True)), cost="m*n"),
    Row("omatadd", "sdcz", (TA, TB, M, N, ALPHA, Matrix("a", "m", "n", turned="transa"), BETA,
                            Matrix("b", "m", "n", turned="transb"), C_MN), cost="m*n"),
)

ROUTINES: dict[str, Row] = {r.name: r for r in (*_LEVEL1, *_LEVEL2, *LEVEL3, *EXTENSIONS)}
"""All rows by their names."""

BATCHED = ("axpy", "copy", "gemv", "syrk", "gemm", "trsm", "omatcopy")
"""Routines with a form for many problems at once."""
MODES = frozenset(r.name for r in LEVEL3 + EXTENSIONS)
"""Routines that take a mode of computing."""
LEVEL1 = frozenset(r.name for r in _LEVEL1)
"""Routines that take no layout."""
