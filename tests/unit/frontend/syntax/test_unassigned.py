"""Names that a path may not have assigned: what is accepted in silence always has a value."""

from __future__ import annotations

import random
import warnings

import numpy as np

import unisycl as sycl
from tests.conformance.language.arithmetic import make
from unisycl.frontend.specialize import specialize

COUNT = 60
ROWS = [(v, w) for v in range(-5, 6) for w in range(-5, 6)]


def condition(rng: random.Random, depth: int) -> str:
    """Return a condition on two numbers and a flag."""
    v, w = rng.sample("vw", 2)
    k, m = (rng.randint(-3, 3) for _ in range(2))
    op, other = (rng.choice(("<", "<=", ">", ">=", "==", "!=")) for _ in range(2))
    match rng.randrange(9 if depth else 5):
        case 0 | 1 | 2:
            return f"{v} {op} {k}"
        case 3:
            return f"{k} {op} {v}"
        case 4:
            return rng.choice((f"{k} {op} {v} {other} {m}", "good", "not good", f"{v} {op} {w}",
                               f"-{v} {op} {k}", f"{v} {op} ~{k}", f"{v} {op} +{k}", v))
        case 5:
            return f"not ({condition(rng, depth - 1)})"
        case 6 | 7:
            return f"({condition(rng, depth - 1)} and {condition(rng, depth - 1)})"
    return f"({condition(rng, depth - 1)} or {condition(rng, depth - 1)})"


def program(seed: int) -> str:
    """Return a kernel that gives a name a value on some paths, and reads it on some."""
    rng = random.Random(seed)
    first, second = condition(rng, 2), condition(rng, 1)
    again = rng.choice((first, f"{first} and {second}", f"not ({second})", condition(rng, 2)))
    lines = ["v, w = x[i], y[i]", f"good = {condition(rng, 1)}", f"if {first}:", "    z = 1"]
    if rng.random() < 0.4:
        lines += [f"elif {second}:", "    z = 2"]
    if rng.random() < 0.3:
        lines += [f"if {second}:", rng.choice(("    v = v + 1", "    w = v", "    good = False",
                                               "    return"))]
    lines += [f"if {again}:", "    out[i] = z"]
    return "\n    ".join(["def kernel(i):", *lines])


def misses(kernel: object) -> bool:
    """Say whether Python finds the name without a value for some numbers."""
    try:
        for i in range(len(ROWS)):
            kernel(i)  # type: ignore[operator]
    except UnboundLocalError:
        return True
    return False


def silent(kernel: object) -> bool:
    """Say whether the kernel is accepted without a word."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            specialize(kernel, "range", 1)
        except sycl.KernelError as error:
            found = {d.id for d in error.diagnostics}
        else:
            return not told
    assert found == {"K031"}
    return False


def test_what_is_accepted_in_silence_always_has_a_value() -> None:
    x, y = (np.array(column) for column in zip(*ROWS, strict=True))
    accepted = 0
    for seed in range(COUNT):
        text = program(seed)
        kernel = make(text, x=x, y=y, out=np.zeros(len(ROWS), np.int64))
        if silent(kernel):
            accepted += 1
            assert not misses(kernel), f"{seed}:\n{text}"
    assert COUNT / 10 < accepted < COUNT * 9 / 10
