"""The table of LAPACK: what each routine takes, in the order of oneMKL and of LAPACKE.

Non-goals: who computes. Invariant: matrices lie column by column, as in oneMKL.
"""

from __future__ import annotations

from unisycl.oneapi.mkl.blas.table import Memory, Option, Row, Size

Argument = Option | Size | Memory

UPLO, TRANS, DIAG = (Option("upper_lower", "uplo"), Option("trans", "transpose"),
                     Option("unit_diag", "diag"))
SIDE, JOBZ = Option("left_right", "side"), Option("jobz", "job")
JOBU, JOBVT = Option("jobu", "jobsvd"), Option("jobvt", "jobsvd")
M, N, K, NRHS, ITYPE = Size("m"), Size("n"), Size("k"), Size("nrhs"), Size("itype")


def _lying(name: str, rows: str, columns: str, writes: bool = True) -> tuple[Size, Memory]:
    """Return a leading dimension and its matrix, which is read before it in calls."""
    return Size(f"ld{name}={rows}"), Memory(name, f"{rows}*{columns}", writes=writes)


def _matrix(name: str, rows: str, columns: str, *, writes: bool = True) -> tuple[Argument, ...]:
    ld, memory = _lying(name, rows, columns, writes)
    return memory, ld


def _row(name: str, types: str, *arguments: object, cost: str = "n*n*n") -> Row:
    flat: list[Argument] = []
    for argument in arguments:
        if isinstance(argument, tuple):
            flat += argument
        elif isinstance(argument, Option | Size | Memory):
            flat.append(argument)
    return Row(name, types, tuple(flat), cost=cost)


IPIV = Memory("ipiv", "n", "int64", writes=True)
IPIV_READ = Memory("ipiv", "n", "int64")
IPIV_MN = Memory("ipiv", "min", "int64", writes=True)
TAU, TAU_READ = Memory("tau", "min", writes=True), Memory("tau", "k")
W = Memory("w", "n", "r", writes=True)
A_NN, B_NR = _matrix("a", "n", "n"), _matrix("b", "n", "nrhs")
A_READ = _matrix("a", "n", "n", writes=False)
A_MN = _matrix("a", "m", "n")

ROUTINES: dict[str, Row] = {r.name: r for r in (
    _row("getrf", "sdcz", M, N, A_MN, IPIV_MN, cost="m*n*n"),
    _row("getrs", "sdcz", TRANS, N, NRHS, A_READ, IPIV_READ, B_NR, cost="n*n*nrhs"),
    _row("getri", "sdcz", N, A_NN, IPIV_READ),
    _row("potrf", "sdcz", UPLO, N, A_NN),
    _row("potrs", "sdcz", UPLO, N, NRHS, A_READ, B_NR, cost="n*n*nrhs"),
    _row("potri", "sdcz", UPLO, N, A_NN),
    _row("geqrf", "sdcz", M, N, A_MN, TAU, cost="m*n*n"),
    _row("orgqr", "sd", M, N, K, A_MN, TAU_READ, cost="m*n*k"),
    _row("ungqr", "cz", M, N, K, A_MN, TAU_READ, cost="m*n*k"),
    _row("ormqr", "sd", SIDE, TRANS, M, N, K, _matrix("a", "side", "k", writes=False), TAU_READ,
         _matrix("c", "m", "n"), cost="m*n*k"),
    _row("unmqr", "cz", SIDE, TRANS, M, N, K, _matrix("a", "side", "k", writes=False), TAU_READ,
         _matrix("c", "m", "n"), cost="m*n*k"),
    _row("gesvd", "sdcz", JOBU, JOBVT, M, N, A_MN, Memory("s", "min", "r", writes=True),
         _matrix("u", "m", "jobu"), _matrix("vt", "jobvt", "n"), cost="m*n*n"),
    _row("syevd", "sd", JOBZ, UPLO, N, A_NN, W),
    _row("heevd", "cz", JOBZ, UPLO, N, A_NN, W),
    _row("sygvd", "sd", ITYPE, JOBZ, UPLO, N, A_NN, _matrix("b", "n", "n"), W),
    _row("hegvd", "cz", ITYPE, JOBZ, UPLO, N, A_NN, _matrix("b", "n", "n"), W),
    _row("sytrf", "sdcz", UPLO, N, A_NN, IPIV),
    _row("hetrf", "cz", UPLO, N, A_NN, IPIV),
    _row("trtrs", "sdcz", UPLO, TRANS, DIAG, N, NRHS, A_READ, B_NR, cost="n*n*nrhs"),
    _row("gels", "sdcz", TRANS, M, N, NRHS, A_MN, _matrix("b", "max", "nrhs"), cost="m*n*n"),
)}
"""All rows by their names; ``min`` and ``max`` are those of m and n."""

BATCHED = ("getrf", "getrs", "getri", "potrf", "potrs", "geqrf", "orgqr", "ungqr", "gels")
"""Routines with a form for many problems of one shape, evenly apart in memory."""
