"""Texts, enumerations, sets and dicts that are known while compiling, ``**``, functools.cache."""

from __future__ import annotations

import enum
import functools

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
N = 9
K = (np.arange(N) * 31 % 17 - 8).astype(np.int32)
BASES = "ACGT"
SEEDS = frozenset((2, 3, 7))


class Colour(enum.IntEnum):
    RED = 1
    GREEN = 2
    BLUE = 4


class Operation(enum.Enum):
    ADD = "+"
    MULTIPLY = "*"


@functools.cache
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def total(*args, scale=1, **more):
    return (sum(args) + more.get("extra", 0)) * scale + len(more)


def test_texts_and_enumerations(queue):
    def build(k, out, mode):
        def kernel(i):
            out[i, 0] = mode.startswith("fa") + 2 * (mode.upper() == "FAST") + 4 * (mode < "g")
            out[i, 1] = BASES.index("G") + BASES.find("x") + len(BASES[1:3]) + (BASES[-1] == "T")
            for n, base in enumerate(BASES):
                out[i, 2] += n * ord(base) * (base in "AG")
            name, _, rest = "speed=3".partition("=")
            out[i, 3] = int(name == "speed") * 10 + len(rest) + sum(ord(c) for c in "ab")
            for colour in Colour:
                out[i, 4] = out[i, 4] * 3 + colour * k[i]
            out[i, 5] = len(Colour) + Colour["BLUE"] + Colour(2) + (Operation("*") is
                                                                   Operation.MULTIPLY)
            out[i, 6] = sum(n for n, op in enumerate(Operation) if op.name == "MULTIPLY")
        return kernel
    for mode in ("fast", "slow"):
        agree(queue, lambda k, out, mode=mode: build(k, out, mode), N, k=K, out=ints(N, 7))


def test_sets_and_dicts(queue):
    def build(k, out):
        odd = {1, 5, 7}

        def kernel(i):
            out[i, 0] = (k[i] in SEEDS) + 2 * (k[i] in odd) + 4 * len(odd) + 8 * (3 in SEEDS)
            functions = {"next": lambda x: x + 1, "twice": lambda x: 2 * x}
            out[i, 1] = functions["twice"](k[i])
            table = {0: 10, 1: k[i], 2: 30}
            out[i, 2] = table[k[i] % 3]
            extra = sum(table) + sum(table.values())
            out[i, 9] = table.get(k[i], 7)
            out[i, 10] = {1: (1, 2)}.get(k[i] % 3, (k[i], 4))[0]
            out[i, 3] = table.get(9, 5) + len(table) + (k[i] in table) + extra
            for key, value in table.items():
                out[i, 4] += key * value
            out[i, 5] = {0: lambda x: x + 1, 1: lambda x: x * x}[k[i] % 2](k[i])
            options = {"scale": 3, "extra": k[i]}
            out[i, 6] = total(1, k[i], **options) + total(2, other=1)
            out[i, 7] = fibonacci(7)
            with np.errstate(all="ignore"):
                try:
                    out[i, 8] = 4
                finally:
                    out[i, 8] += 1
        return kernel
    agree(queue, build, N, k=K, out=ints(N, 11))


def test_a_set_that_changes_is_another_kernel(queue):
    chosen = {1, 2}
    out = ints(4)

    def kernel(i, out):
        out[i] = i in chosen

    for _ in range(2):
        queue.parallel_for(4, kernel, out).wait()
        assert out.tolist() == [i in chosen for i in range(4)]
        chosen ^= {2, 3}


def test_what_they_cannot_do_is_refused(queue):
    def absent(i, out):
        out[i] = {"a": 1}["b"]

    def texts(i, out):
        out[i] = {"a": 1, "b": 2}["ab"[i]]

    def raising(i, out):
        out[i] = "abc".index("x")

    def leaving(i, out):
        try:
            return
        finally:
            out[i] = 1

    for kernel, said in ((absent, "no key 'b'"), (texts, "strings"), (raising, "substring not"),
                         (leaving, "cannot handle exceptions")):
        with pytest.raises(sycl.exception, match=said):
            queue.parallel_for(2, kernel, ints(2))
