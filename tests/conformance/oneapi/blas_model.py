"""What each routine of BLAS means, on matrices of longer floats, and how matrices lie in memory.

Written apart from the routines: matrices are made whole here, whatever part of them is stored.
"""

from __future__ import annotations

import itertools

import numpy as np

from unisycl.oneapi import mkl
from unisycl.oneapi.mkl.blas import table
from unisycl.oneapi.mkl.blas.arguments import REAL, TYPES

HERMITIAN = {"hemm", "hemv", "hbmv", "hpmv", "her", "her2", "hpr", "hpr2", "herk", "her2k"}
SYMMETRIC = {"symm", "symv", "sbmv", "spmv", "syr", "syr2", "spr", "spr2", "syrk", "syr2k"}
TRIANGULAR = {"trmm", "trsm", "trmv", "trsv", "tbmv", "tbsv", "tpmv", "tpsv"}
LONG = {"s": np.longdouble, "d": np.longdouble, "c": np.clongdouble, "z": np.clongdouble}
SIZES = {"m": 5, "n": 4, "k": 3, "kl": 1, "ku": 2}


def options_of(row: table.Row, letter: str):
    """Yield every choice of options that a routine takes."""
    found = [a for a in row.arguments if isinstance(a, table.Option)]
    for chosen in itertools.product(*(_values(a, row, letter) for a in found)):
        yield dict(zip([a.name for a in found], chosen, strict=True))


def _values(option: table.Option, row: table.Row, letter: str):
    kind = getattr(mkl, option.kind)
    known = {"transpose": ("nontrans", "trans", "conjtrans"), "uplo": ("upper", "lower"),
             "diag": ("nonunit", "unit"), "side": ("left", "right")}[option.kind]
    values = [getattr(kind, n) for n in known]
    if option.name == "trans" and letter in "cz":
        if row.name in ("herk", "her2k"):
            values.remove(kind.trans)
        if row.name in ("syrk", "syr2k"):
            values.remove(kind.conjtrans)
    return values


def op(matrix, option):
    """Return a matrix as an option of transposing says."""
    if option is mkl.transpose.nontrans:
        return matrix
    return matrix.T if option is mkl.transpose.trans else matrix.conj().T


def triangle(shape, options):
    """Return which elements of a matrix are in the stored triangle."""
    i, j = np.indices(shape)
    return i <= j if options["upper_lower"] is mkl.uplo.upper else i >= j


def whole(name, matrix, options, k=None):
    """Return the matrix that a stored triangle, or a band of it, stands for."""
    kept = np.where(triangle(matrix.shape, options), matrix, 0)
    if k is not None:
        i, j = np.indices(matrix.shape)
        kept = np.where(abs(i - j) <= k, kept, 0)
    if name in TRIANGULAR:
        if options["unit_diag"] is mkl.diag.unit:
            np.fill_diagonal(kept, 1)
        return kept
    other = kept.conj().T if name in HERMITIAN else kept.T
    full = kept + other
    diagonal = np.diag(kept)
    np.fill_diagonal(full, diagonal.real if name in HERMITIAN else diagonal)
    return full


# ---------------------------------------------------------------------------- meanings
def expected(row: table.Row, o, v):
    """Return what the routine writes, by the names of its arguments; on dense longer floats."""
    name = row.name
    if name in ("gemm", "gemmt"):
        return {"c": v["alpha"] * op(v["a"], o["transa"]) @ op(v["b"], o["transb"])
                + v["beta"] * v["c"]}
    if name == "omatcopy":
        return {"b": v["alpha"] * op(v["a"], o["trans"])}
    if name == "omatadd":
        return {"c": v["alpha"] * op(v["a"], o["transa"]) + v["beta"] * op(v["b"], o["transb"])}
    if name in ("symm", "hemm"):
        left = o["left_right"] is mkl.side.left
        return {"c": v["alpha"] * (v["a"] @ v["b"] if left else v["b"] @ v["a"])
                + v["beta"] * v["c"]}
    if name in ("syrk", "herk", "syr2k", "her2k"):
        return {"c": _rank(name, o, v)}
    if name in ("trmm", "trsm"):
        a = op(v["a"], o["transa"])
        a = np.linalg.inv(a.astype(complex)) if name == "trsm" else a
        left = o["left_right"] is mkl.side.left
        return {"b": v["alpha"] * (a @ v["b"] if left else v["b"] @ a)}
    if name in ("gemv", "gbmv"):
        return {"y": v["alpha"] * op(v["a"], o["trans"]) @ v["x"] + v["beta"] * v["y"]}
    if name in ("symv", "hemv", "sbmv", "hbmv", "spmv", "hpmv"):
        return {"y": v["alpha"] * v.get("a", v.get("ap")) @ v["x"] + v["beta"] * v["y"]}
    if name[:1] == "t":
        a = op(v.get("a", v.get("ap")), o["trans"])
        return {"x": (np.linalg.inv(a.astype(complex)) if name.endswith("sv") else a) @ v["x"]}
    return _updates(name, v) if name[0] in "gsh" and ("a" in v or "ap" in v) and "x" in v else (
        _vectors(name, v))


def _rank(name, o, v):
    turned = o["trans"] is not mkl.transpose.nontrans
    dagger = (lambda x: x.conj().T) if name in HERMITIAN else (lambda x: x.T)
    a = dagger(v["a"]) if turned else v["a"]
    if name in ("syrk", "herk"):
        return v["alpha"] * a @ dagger(a) + v["beta"] * v["c"]
    b = dagger(v["b"]) if turned else v["b"]
    other = np.conj(v["alpha"]) if name == "her2k" else v["alpha"]
    return v["alpha"] * a @ dagger(b) + other * b @ dagger(a) + v["beta"] * v["c"]


def _updates(name, v):
    key = "a" if "a" in v else "ap"
    x, a, alpha = v["x"], v[key], v["alpha"]
    if name in ("ger", "geru"):
        return {key: a + alpha * np.outer(x, v["y"])}
    if name == "gerc":
        return {key: a + alpha * np.outer(x, v["y"].conj())}
    turn = np.conj if name in HERMITIAN else (lambda z: z)
    if "y" not in v:
        return {key: a + alpha * np.outer(x, turn(x))}
    return {key: a + alpha * np.outer(x, turn(v["y"])) + turn(alpha) * np.outer(v["y"], turn(x))}


def _vectors(name, v):
    x, y = v.get("x"), v.get("y")
    parts = [] if x is None else abs(x.real) + abs(x.imag)
    found = {
        "asum": lambda: {"result": parts.sum()},
        "axpy": lambda: {"y": v["alpha"] * x + y},
        "axpby": lambda: {"y": v["alpha"] * x + v["beta"] * y},
        "copy": lambda: {"y": x},
        "dot": lambda: {"result": x @ y}, "dotu": lambda: {"result": x @ y},
        "dotc": lambda: {"result": x.conj() @ y}, "dsdot": lambda: {"result": x @ y},
        "sdsdot": lambda: {"result": v["sb"] + x @ y},
        "iamax": lambda: {"result": parts.argmax()}, "iamin": lambda: {"result": parts.argmin()},
        "nrm2": lambda: {"result": np.sqrt((abs(x) ** 2).sum())},
        "rot": lambda: {"x": v["c"] * x + v["s"] * y, "y": v["c"] * y - v["s"] * x},
        "scal": lambda: {"x": v["alpha"] * x},
        "swap": lambda: {"x": y, "y": x},
        "rotm": lambda: _modified(x, y, v["param"]),
    }
    return found[name]()


def _modified(x, y, param):
    flag, h11, h21, h12, h22 = param
    if flag == 0:
        h11, h22 = 1, 1
    elif flag == 1:
        h12, h21 = 1, -1
    elif flag == -2:
        return {"x": x, "y": y}
    return {"x": h11 * x + h12 * y, "y": h21 * x + h22 * y}


# ---------------------------------------------------------------------------- memory
def slots(rows, columns, ld, row_major):
    """Return where the elements of a matrix lie."""
    i, j = np.indices((rows, columns))
    return i * ld + j if row_major else i + j * ld


def band_slots(rows, columns, kl, ku, ld, row_major):
    """Return where the elements of a band lie, -1 for those outside."""
    i, j = np.indices((rows, columns))
    inside = (j - i <= ku) & (i - j <= kl)
    at = i * ld + (kl + j - i) if row_major else (ku + i - j) + j * ld
    return np.where(inside, at, -1)


def packed_slots(n, upper, row_major):
    """Return where the elements of a packed triangle lie, -1 for those outside."""
    at = np.full((n, n), -1)
    count = 0
    outer = range(n)
    for first in outer:
        by_rows = (row_major and upper) or (not row_major and not upper)
        inner = range(first, n) if by_rows else range(first + 1)
        for second in inner:
            i, j = (first, second) if row_major else (second, first)
            at[i, j] = count
            count += 1
    return at


def vector_slots(n, step):
    """Return where the elements of a vector lie; a negative stride goes from the end."""
    at = np.arange(n) * abs(step)
    return at[::-1] if step < 0 else at


def numbers(rng, letter, shape):
    """Return numbers of a type, from -1 to 1."""
    found = rng.uniform(-1, 1, shape)
    if letter in "cz":
        found = found + 1j * rng.uniform(-1, 1, shape)
    return found.astype(TYPES[letter])


def real_of(letter):
    """Return the real type of a type."""
    return REAL[letter]
