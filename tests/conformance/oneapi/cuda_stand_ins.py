"""NVIDIA's libraries as others do their work in the host's memory: what is asked, and how."""

from __future__ import annotations

import ctypes
from pathlib import Path

import ml_dtypes
import numpy as np

from tests.conformance.oneapi import dnn_model
from unisycl.oneapi.mkl.blas.table import Memory, Option
from unisycl.oneapi.mkl.lapack import table
from unisycl.oneapi.mkl.providers.clibraries import interface

LETTERS = {0: "s", 1: "d", 4: "c", 5: "z"}
REAL = {"s": "s", "d": "d", "c": "s", "z": "d"}
OPTIONS = {"uplo": "LU", "transpose": "NTC", "job": "NV"}
ROOM, NEAR = 96, 32


class Library:
    """What ``frame.library.Library`` is, with functions in Python."""

    path = Path("libstand_in.so.1")

    def __init__(self) -> None:
        self.calls: list[str] = []

    def plain(self, name, arguments=None, result=None):
        return self._of(name)

    def find(self, name, arguments=None, result=None):
        return self._of(name)

    def _of(self, name):
        made = getattr(self, name, None)
        return made if made is not None else self.other(name)

    def other(self, name):
        return None

    @staticmethod
    def created(out):
        ctypes.cast(out, ctypes.POINTER(ctypes.c_void_p))[0] = 77
        return 0


class Solver(Library):
    """cuSOLVER's interface for 64 bits, by OpenBLAS."""

    cusolverDnCreate = CreateParams = staticmethod(Library.created)

    def cusolverDnSetStream(self, handle, stream):
        assert handle == 77
        return 0

    def other(self, name):
        plain, _, sizes = name[1:].partition("_")
        if name[0] != "X" or plain not in table.ROUTINES:
            return None
        return lambda *args: self.run(plain, bool(sizes), args)

    def run(self, name, sizes, args):
        assert [a.value for a in args[:2]] == [77, 77]
        given = list(args[2:])
        values, letter = [], ""
        for argument in table.ROUTINES[name].arguments:
            if sizes and argument.name == "ipiv":
                continue
            value = given.pop(0)
            if isinstance(argument, Memory) and argument.type in ("t", "r"):
                assert isinstance(value, ctypes.c_int)
                letter = letter or LETTERS[value.value]
                assert LETTERS[value.value] == (letter if argument.type == "t" else REAL[letter])
                value = given.pop(0)
            if isinstance(argument, Option):
                value = chr(value.value) if argument.kind == "jobsvd" else (
                    OPTIONS[argument.kind][value.value])
                values.append(value.encode())
            else:
                assert isinstance(value, ctypes.c_void_p | ctypes.c_int64)
                values.append(value.value)
        if name not in ("getrs", "potrs"):
            assert LETTERS[given.pop(0).value] == letter
            if sizes:
                for out, size in zip(given, (ROOM, NEAR), strict=True):
                    out._obj.value = size
                return 0
            far, far_size, near, near_size = (given.pop(0).value for _ in range(4))
            assert (far_size, near_size) == (ROOM, NEAR)
            for at, size in ((far, ROOM), (near, NEAR)):
                ctypes.memset(at, 255, size)
        (info,) = given
        self.calls.append(name)
        ctypes.c_int.from_address(info.value).value = self.compute(name, letter, values)
        return 0

    def compute(self, name, letter, values):
        name = "heevd" if name == "syevd" and letter in "cz" else name
        kinds = [ctypes.c_int, *(ctypes.c_char if isinstance(a, Option) else ctypes.c_void_p
                                 if isinstance(a, Memory) else ctypes.c_int64
                                 for a in table.ROUTINES[name].arguments)]
        extra = []
        if name == "gesvd":
            assert values[2] >= values[3]  # cuSOLVER's has as many rows as columns at least
            kinds.append(ctypes.c_void_p)
            extra.append(np.empty(values[3] + 1).ctypes.data)
        function = interface("openblas").library.find(f"LAPACKE_{letter}{name}", kinds,
                                                      ctypes.c_int64)
        return function(102, *values, *extra)


def elements(at, count, kind):
    """Return memory at an address as an array."""
    kind = np.dtype(kind)
    raw = (ctypes.c_char * (count * kind.itemsize)).from_address(at.value)
    return np.ndarray(count, kind, raw)


class Sparse(Library):
    """cuSPARSE's generic interface, by NumPy."""

    KINDS = {0: "f", 1: "d", 4: "F", 5: "D"}
    INDICES = {2: np.int32, 3: np.int64}

    def __init__(self) -> None:
        super().__init__()
        self.known = {}

    cusparseCreate = staticmethod(Library.created)

    def cusparseSetStream(self, handle, stream):
        return 0

    def made(self, out, what):
        key = len(self.calls) + 1000
        out._obj.value = key
        self.known[key] = what
        self.calls.append("made")
        return 0

    def other(self, name):
        return self.destroyed if name.startswith("Destroy") or "destroy" in name else None

    def destroyed(self, key):
        del self.known[key.value]
        return 0

    def CreateCsr(self, out, rows, columns, count, *more):
        starts, indices, values, first, second, base, kind = more
        assert first.value == second.value
        index = self.INDICES[first.value]
        return self.made(out, [(rows.value, columns.value), elements(
            starts, rows.value + 1, index) - base.value, elements(
            indices, count.value, index) - base.value, elements(
            values, count.value, self.KINDS[kind.value]), {}])

    def CreateDnVec(self, out, size, at, kind):
        return self.made(out, elements(at, size.value, self.KINDS[kind.value])[:, None])

    def CreateDnMat(self, out, rows, columns, ld, at, kind, order):
        high, wide = (rows.value, columns.value)[::1 if order.value == 2 else -1]
        need = (high - 1) * ld.value + wide
        flat = elements(at, need, self.KINDS[kind.value])
        steps = ld.value * flat.itemsize, flat.itemsize
        seen = np.lib.stride_tricks.as_strided(flat, (high, wide), steps)
        return self.made(out, seen if order.value == 2 else seen.T)

    def SpMatSetAttribute(self, matrix, which, value, size):
        assert size.value == 4
        self.known[matrix.value][-1][which.value] = value._obj.value
        return 0

    def SpSV_createDescr(self, out):
        return self.made(out, "plan")

    def dense(self, matrix):
        shape, starts, indices, values, _ = self.known[matrix.value]
        found = np.zeros(shape, values.dtype)
        np.add.at(found, (np.repeat(np.arange(shape[0]), np.diff(starts)), indices), values)
        return found

    def SpMV_bufferSize(self, *args):
        args[-1]._obj.value = ROOM
        return 0

    SpMM_bufferSize = SpSV_bufferSize = SpMV_bufferSize

    def SpMV(self, handle, way, alpha, matrix, x, beta, y, kind, algorithm, room):
        assert (way.value, algorithm.value) == (0, 3)
        return self.product(alpha, matrix, x, beta, y, kind, room)

    def SpMM(self, handle, way, other, alpha, matrix, x, beta, y, kind, algorithm, room):
        assert (way.value, other.value, algorithm.value) == (0, 0, 12)
        return self.product(alpha, matrix, x, beta, y, kind, room)

    def product(self, alpha, matrix, x, beta, y, kind, room):
        ctypes.memset(room, 255, ROOM)
        a, b = (elements(v, 1, self.KINDS[kind.value])[0] for v in (alpha, beta))
        out = self.known[y.value]
        found = a * (self.dense(matrix) @ self.known[x.value])
        out[...] = found + b * out if b else found
        self.calls.append("product")
        return 0

    def SpSV_analysis(self, *args):
        ctypes.memset(args[-1], 255, ROOM)
        plan, matrix, room = args[-2], args[3], args[-1]
        self.known[plan.value] = [room.value, self.known[matrix.value][3].copy()]
        self.calls.append("analysis")
        return 0

    def SpSV_updateMatrix(self, handle, plan, values, part):
        known = self.known[plan.value]
        known[1] = elements(values, known[1].size, known[1].dtype).copy()
        assert part.value == 0
        return 0

    def SpSV_solve(self, handle, way, alpha, matrix, x, y, kind, algorithm, plan):
        room, values = self.known[plan.value]
        assert (elements(ctypes.c_void_p(room), ROOM, np.uint8) == 255).all()
        assert (values == self.known[matrix.value][3]).all()
        assert way.value < 2 or kind.value > 3  # conjugated only where elements are complex
        upper, unit = (self.known[matrix.value][-1][k] for k in (0, 1))
        a = self.dense(matrix)
        a = np.triu(a) if upper else np.tril(a)
        if unit:
            np.fill_diagonal(a, 1)
        a = (a, a.T, a.conj().T)[way.value]
        self.known[y.value][...] = np.linalg.solve(
            a, elements(alpha, 1, self.KINDS[kind.value])[0] * self.known[x.value])
        self.calls.append("solution")
        return 0


class Dnn(Library):
    """cuDNN's interface of graphs, by NumPy: convolutions and products of one operation."""

    SIZES = {0: 8, 1: 4, 2: 1, 3: 8, 4: 4, 6: 8, 7: 4, 8: 4, 10: 4, 11: 4, 14: 4, 15: 8}
    KINDS = {0: np.dtype("f"), 2: np.dtype(np.float16), 9: np.dtype(ml_dtypes.bfloat16)}
    FORWARD, DATA, WEIGHTS, PRODUCT = 10, 12, 11, 19

    def __init__(self) -> None:
        super().__init__()
        self.known = {}
        self.notes = [[5], []]  # engines: one that is winograd's, a plain one

    cudnnCreate = staticmethod(Library.created)

    def cudnnSetStream(self, handle, stream):
        assert handle == 77
        return 0

    # the older functions, which have pooling
    def cudnnCreatePoolingDescriptor(self, out):
        return self.CreateDescriptor("pool", out)

    def cudnnCreateTensorDescriptor(self, out):
        return self.CreateDescriptor("tensor", out)

    def cudnnDestroyPoolingDescriptor(self, at):
        return 0

    cudnnDestroyTensorDescriptor = cudnnDestroyPoolingDescriptor

    def cudnnSetPoolingNdDescriptor(self, at, *values):
        self.known[at.value][1].update(zip(("mode", "nan", "n", "window", "pad", "step"), values,
                                           strict=True))
        return 0

    def cudnnSetTensorNdDescriptor(self, at, *values):
        self.known[at.value][1].update(zip(("type", "n", "dims", "strides"), values, strict=True))
        return 0

    def cudnnPoolingForward(self, handle, pool, one, source, x, none, result, y):
        assert (handle.value, one._obj.value, none._obj.value) == (77, 1, 0)
        how, *tensors = (self.known[d.value][1] for d in (pool, source, result))
        assert (how["n"] + 2, how["nan"]) == (tensors[0]["n"], 0)
        x, y = (self.laid(t, at.value) for t, at in zip(tensors, (x, y), strict=True))
        window, pad, step = (list(how[k]) for k in ("window", "pad", "step"))
        assert list(y.shape[2:]) == [1 + (n + 2 * p - k) // s for n, k, p, s in zip(
            x.shape[2:], window, pad, step, strict=True)]
        wide = np.pad(x.astype("d"), [(0, 0), (0, 0), *((p, p) for p in pad)],
                      constant_values=np.nan)
        for at in np.ndindex(*y.shape[2:]):
            part = wide[(slice(None), slice(None), *(
                slice(i * s, i * s + k) for i, s, k in zip(at, step, window, strict=True)))]
            flat = part.reshape(*y.shape[:2], -1)
            found = {0: np.nanmax, 1: lambda v, _: np.nansum(v, -1) / v.shape[-1],
                     2: np.nanmean}[how["mode"]](flat, -1)
            y[(slice(None), slice(None), *at)] = found
        self.calls.append(f"pool {how['mode']}")
        return 0

    def laid(self, tensor, address):
        kind = self.KINDS[tensor["type"]]
        dims, steps = list(tensor["dims"]), [s * kind.itemsize for s in tensor["strides"]]
        extent = sum((n - 1) * s for n, s in zip(dims, steps, strict=True)) + kind.itemsize
        raw = (ctypes.c_char * extent).from_address(address)
        return np.ndarray(dims, kind, raw, strides=steps)

    def CreateDescriptor(self, kind, out):
        out._obj.value = key = 1000 + len(self.known)
        self.known[key] = [kind, {}]
        return 0

    def DestroyDescriptor(self, at):
        return 0

    def SetAttribute(self, at, attribute, kind, count, values):
        assert ctypes.sizeof(values) == self.SIZES[kind] * count.value
        self.known[at.value][1][attribute] = [
            self.known[v] if kind == 15 else v for v in values]
        return 0

    def Finalize(self, at):
        kind, has = self.known[at.value]
        if kind == 17:
            return 0 if {900, 901, 902, 903, 906} == set(has) - {907} and has[900] == [16] else 2000
        return 0

    def GetAttribute(self, at, attribute, kind, count, found, into):
        _, has = self.known[at.value]
        if attribute == 202:
            found._obj.value = len(self.notes)
            for key, notes in zip(into or [], self.notes, strict=False):
                self.known[key][1].update(notes=notes, graph=has[201][0])
        elif attribute == 300:
            self.known[into._obj.value][1].update(has)
        elif attribute == 1303:
            found._obj.value = len(has["notes"])
            into[:len(has["notes"])] = has["notes"]
        else:
            assert attribute == 402
            into._obj.value = ROOM
        return 0

    @staticmethod
    def steps(behind, seen):
        for kind, has in behind:
            assert kind == 13
            how = has[750][0][1]
            x, y = seen(751, has), seen(753, has)
            if how[0] == [0]:
                y[...] = x + seen(752, has).astype("d")
            elif how[0] == [100]:
                assert how[2] == [1]
                y[...] = np.where(x > 0, x, how[5][0] * x)
            else:
                assert how[0] == [101]
                y[...] = np.tanh(x)
        return 0

    def Execute(self, handle, plan, pack):
        numbers, at, (room,) = (self.known[pack.value][1][a] for a in (1000, 1001, 1003))
        ctypes.memset(room, 255, ROOM)
        config = self.known[plan.value][1][401][0][1]
        operation, has = config["graph"][1][801][0]
        behind = config["graph"][1][801][1:]
        self.calls.append(f"{operation} with {config['notes']}" + f" and {len(behind)}" * bool(
            behind))
        addresses = dict(zip(numbers, at, strict=True))
        between: dict = {}

        def seen(attribute, has=has):
            has_it = has[attribute][0][1]
            (number,), (kind,), dims, strides = (has_it[a] for a in (906, 901, 902, 903))
            if 907 in has_it:
                return between.setdefault(number, np.zeros(dims, self.KINDS[kind]))
            address, kind = addresses[number], self.KINDS[kind]
            assert address % 16 == 0
            steps = [s * kind.itemsize for s in strides]
            extent = sum((n - 1) * s for n, s in zip(dims, steps, strict=True)) + kind.itemsize
            raw = (ctypes.c_char * extent).from_address(address)
            return np.ndarray(dims, kind, raw, strides=steps)
        if operation == self.PRODUCT:
            a, b, c = (seen(k) for k in (1520, 1521, 1522))
            c[...] = a.astype("d") @ b.astype("d")
            return self.steps(behind, seen)
        first = {10: 700, 12: 706, 11: 712}[operation]
        assert (has[first], has[first + 1]) == ([1.0], [0.0])
        how = has[first + 2][0][1]
        assert (how[100], how[101]) == ([0], [1])
        wide, weights, narrow = (seen(k) for k in {
            10: (704, 703, 705), 12: (710, 709, 711), 11: (716, 715, 717)}[operation])
        assert how[106] == [wide.ndim - 2]
        steps = how[103], [d - 1 for d in how[102]], how[105], how[104]
        groups = wide.shape[1] // weights.shape[1]

        if operation == self.FORWARD:
            narrow[...] = dnn_model.convolution(wide, weights, *steps, groups)
            return self.steps(behind, seen)
        # what each place of a window is of: its own number, 0 in the padding
        places = 1.0 + np.arange(wide[0, 0].size).reshape(1, 1, *wide.shape[2:])
        outs, ins = weights.shape[0] // groups, weights.shape[1]
        found = {k: np.zeros(x.shape) for k, x in (("wide", wide), ("weights", weights))}
        for tap in np.ndindex(*weights.shape[2:]):
            one = np.zeros((1, 1, *weights.shape[2:]))
            one[(0, 0, *tap)] = 1
            at = dnn_model.convolution(places, one, *steps)[0, 0].astype(int).ravel()
            for n, g in np.ndindex(wide.shape[0], groups):
                i, o = slice(g * ins, (g + 1) * ins), slice(g * outs, (g + 1) * outs)
                x = np.hstack([np.zeros((ins, 1)), wide[n, i].reshape(ins, -1)])
                y = narrow[n, o].reshape(outs, -1).astype("d")
                found["weights"][(o, slice(None), *tap)] += y @ x[:, at].T
                back = np.zeros_like(x)
                np.add.at(back.T, at, (weights[(o, slice(None), *tap)].T.astype("d") @ y).T)
                found["wide"][n, i] += back[:, 1:].reshape(ins, *wide.shape[2:])
        if operation == self.DATA:
            wide[...] = found["wide"]
        else:
            weights[...] = found["weights"]
        return 0
