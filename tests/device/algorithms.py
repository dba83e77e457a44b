"""Every algorithm of oneDPL over every kind of memory, each way of calling it, against NumPy's.

    python -m tests.device.algorithms [--device cpu] [--count 300] [--kinds numpy,usm] [NAMES]

The kinds are those of ``KINDS``; a library that is missing is said to be. An answer is that of a
call over NumPy's arrays, which the conformance suite compares with NumPy's functions. Printed is
what differs or was refused, and how many combinations there were; the status is 1 if any did.
Non-goals: speed, types of elements.
"""

from __future__ import annotations

import argparse
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.ext.oneapi import experimental as x
from unisycl.oneapi import dpl

Array = np.ndarray
Made = tuple[Any, Callable[[], Array]]


def over(v: Any) -> Any:
    return v > 20


def small(v: Any) -> Any:
    return v < 10


def twice(v: Any) -> Any:
    return v * 2


def rest(a: Any, b: Any) -> Any:
    return a % 7 < b % 7


def total(a: Any, b: Any) -> Any:
    return a + b


def arrays(n: int) -> dict[str, Array]:
    """Return what cases name by a letter."""
    r = np.random.default_rng(5)
    a, b = (r.integers(0, 50, n).astype(np.int32) for _ in range(2))
    zeros = np.zeros(n, np.int32)
    return {
        "a": a, "b": b, "o": zeros, "p": zeros, "q": zeros, "s": np.sort(a), "t": np.sort(b),
        "r": np.repeat(np.arange(n // 3 + 1, dtype=np.int32), 3)[:n], "w": a[5:8].copy(),
        "d": np.zeros(2 * n, np.int32), "k": np.zeros(10, np.int32),
        "l": np.array([0, 3, 20, 50], np.int32), "3": np.zeros(3, np.int32),
        "h": np.concatenate([np.sort(a[:n // 2]), np.sort(a[n // 2:])])}


def cases(n: int) -> dict[str, tuple[str, tuple[Any, ...]]]:
    """Return, of each routine, its arrays by letters and what follows them; two of some."""
    plus, half, cut = sycl.plus, n // 2, [0, 10, n // 2, n]
    return {
        "transform": ("ao", (twice,)), "transform_if": ("ao", (twice, over)),
        "replace_if": ("a", (over, 7)), "replace_copy_if": ("ao", (over, 7)),
        "replace": ("a", (3, 7)), "replace_copy": ("ao", (3, 7)), "for_each": ("a", (twice,)),
        "for_each_n": ("a", (half, twice)), "copy": ("ao", ()), "fill": ("a", (3,)),
        "fill_n": ("a", (half, 3)), "generate": ("a", (twice,)),
        "generate_n": ("a", (half, twice)), "iota": ("a", (5,)), "reverse": ("a", ()),
        "reverse_copy": ("ao", ()), "rotate": ("a", (n // 3,)), "swap_ranges": ("ab", ()),
        "shift_left": ("a", (7,)), "shift_right": ("a", (7,)), "shuffle": ("a", (7,)),
        "adjacent_difference": ("ao", ()), "reduce": ("a", ()), "reduce ": ("a", (0, total)),
        "transform_reduce": ("a", (0, plus, twice)), "inclusive_scan": ("ao", ()),
        "inclusive_scan ": ("ao", (total,)), "exclusive_scan": ("ao", (2,)),
        "transform_inclusive_scan": ("ao", (plus, twice)),
        "transform_exclusive_scan": ("ao", (1, plus, twice)), "count": ("a", (3,)),
        "count_if": ("a", (over,)), "find": ("a", (3,)), "find_if": ("a", (over,)),
        "find_if_not": ("a", (over,)), "find_first_of": ("aw", ()), "any_of": ("a", (over,)),
        "all_of": ("a", (over,)), "none_of": ("a", (over,)), "min_element": ("a", ()),
        "max_element": ("a", ()), "minmax_element": ("a", ()), "min_element ": ("a", (rest,)),
        "equal": ("ab", ()), "mismatch": ("ab", ()), "adjacent_find": ("a", ()),
        "is_sorted": ("a", ()), "is_sorted_until": ("a", ()), "is_partitioned": ("a", (over,)),
        "search": ("aw", ()), "find_end": ("aw", ()), "search_n": ("r", (3, 5)),
        "lexicographical_compare": ("ab", ()), "copy_if": ("ao", (over,)),
        "remove_copy_if": ("ao", (over,)), "remove_copy": ("ao", (3,)), "remove_if": ("a", (over,)),
        "remove": ("a", (3,)), "unique": ("s", ()), "unique_copy": ("so", ()),
        "unique_by_key": ("ra", ()), "unique_by_key_copy": ("raop", ()),
        "partition": ("a", (over,)), "stable_partition": ("a", (over,)),
        "partition_copy": ("aop", (over,)),
        "sort": ("a", ()), "sort ": ("a", (rest,)), "stable_sort": ("a", (operator.gt,)),
        "sort_by_key": ("ab", ()), "stable_sort_by_key": ("ab", (rest,)),
        "partial_sort": ("a", (10,)), "nth_element": ("a", (10,)), "partial_sort_copy": ("ak", ()),
        "segmented_sort": ("a", (cut,)), "segmented_sort_by_key": ("ab", (cut,)),
        "merge": ("std", ()), "inplace_merge": ("h", (half,)), "lower_bound": ("sbo", ()),
        "upper_bound": ("sbo", ()), "binary_search": ("sbo", ()), "set_union": ("std", ()),
        "set_intersection": ("std", ()), "set_difference": ("std", ()),
        "set_symmetric_difference": ("std", ()), "includes": ("st", ()),
        "reduce_by_segment": ("raop", ()), "inclusive_scan_by_segment": ("rao", ()),
        "exclusive_scan_by_segment": ("rao", ())}


def mixed(n: int) -> dict[str, tuple[str, Callable[..., Any]]]:
    """Return the routines whose arrays do not come first, with how they are called."""
    return {
        "copy_n": ("ao", lambda f, q, a, o, **k: f(q, a, n // 2, o, **k)),
        "rotate_copy": ("ao", lambda f, q, a, o, **k: f(q, a, n // 3, o, **k)),
        "top_k": ("akk", lambda f, q, a, o, p, **k: f(q, a, 10, o, p, **k)),
        "histogram": ("ak", lambda f, q, a, o, **k: f(q, a, 10, 0, 50, o, **k)),
        "histogram ": ("al3", lambda f, q, a, e, o, **k: f(q, a, e, o, **k)),
        "three_way_partition": ("aopq", lambda f, q, a, o, p, r, **k: f(
            q, a, (o, p, r), over, small, **k))}


# ------------------------------------------------------------------ kinds of memory
class Foreign:
    """An array that says what DLPack asks, and nothing else."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def __dlpack__(self, **named: Any) -> Any:
        return self.array.__dlpack__(**named)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def of_buffer(q: sycl.queue, a: Array) -> Made:
    b = sycl.buffer(a.copy())

    def back() -> Array:
        with sycl.host_accessor(b, sycl.read_only) as found:
            return np.array(found)

    return b, back


def of_device(q: sycl.queue, a: Array) -> Made:
    p, out = sycl.malloc_device(a.size, a.dtype, q), np.zeros_like(a)
    q.memcpy(p, a.copy(), a.nbytes).wait()

    def back() -> Array:
        q.memcpy(out, p, a.nbytes).wait()
        return out

    return p, back


def of_shared(q: sycl.queue, a: Array) -> Made:
    p = sycl.malloc_shared(a.size + 9, a.dtype, q)
    p[4:4 + a.size] = a
    return p[4:4 + a.size], lambda: np.array(p[4:4 + a.size])


def filled(b: Array, a: Array) -> Made:
    b[:] = a
    return b, lambda: b


def permuted(q: sycl.queue, a: Array) -> Made:
    at = np.random.default_rng(1).permutation(a.size)
    b = np.zeros_like(a)
    b[at] = a
    return dpl.permutation_iterator(b, at), lambda: b[at]


def of_cupy(q: sycl.queue, a: Array) -> Made:
    import cupy  # noqa: PLC0415 - where it is installed
    b = cupy.asarray(a)
    return b, lambda: cupy.asnumpy(b)


def of_torch(q: sycl.queue, a: Array) -> Made:
    import torch  # noqa: PLC0415 - where it is installed
    b = torch.from_numpy(a.copy()).to("cuda" if q.get_device().has(sycl.aspect.gpu) else "cpu")
    return b, lambda: b.cpu().numpy()


KINDS: dict[str, Callable[[sycl.queue, Array], Made]] = {
    "numpy": lambda q, a: filled(np.zeros_like(a), a), "buffer": of_buffer, "usm": of_shared,
    "device": of_device, "strided": lambda q, a: filled(np.zeros(2 * a.size, a.dtype)[::2], a),
    "backwards": lambda q, a: filled(np.zeros_like(a)[::-1], a), "permuted": permuted,
    "reversed": lambda q, a: (lambda b: (dpl.reverse_iterator(b), lambda: b[::-1]))(
        a[::-1].copy()),
    "dlpack": lambda q, a: (lambda b: (Foreign(b), lambda: b))(a.copy()),
    "cupy": of_cupy, "torch": of_torch}
WAYS = {"numpy": ("later", "depends"), "buffer": ("depends", "graph"),
        "usm": ("later", "depends", "graph"), "cupy": ("depends",), "torch": ("depends",)}
"""How routines are called over a kind besides being waited for."""


def called(q: sycl.queue, name: str, given: tuple[Any, ...], how: str) -> Any:
    """Call a routine and return its answer."""
    call, objects = given
    now, later = getattr(dpl, name), getattr(dpl, name + "_async")
    if how == "now":
        return call(now, q, *objects)
    if how == "later":
        return call(later, q, *objects).get()
    if how == "depends":
        go = sycl.ext.unisycl.user_event()
        found = call(later, q, *objects, depends_on=[go])
        go.set()
        return found.get()
    graph = x.command_graph(q)
    with graph.record(q):
        found = call(later, q, *objects)
    return found.get(q.ext_oneapi_graph(graph.finalize()))


def run(q: sycl.queue, name: str, kind: str, how: str, n: int) -> tuple[str, list[Array]]:
    """Return a routine's answer as text, and what stands in its memory then."""
    if name in mixed(n):
        letters, call = mixed(n)[name]
    else:
        letters, more = cases(n)[name]

        def call(f: Any, q: Any, *given: Any, **named: Any) -> Any:
            return f(q, *given, *more, **named)

    made = [KINDS[kind](q, arrays(n)[letter]) for letter in letters]
    answer = called(q, name.strip(), (call, [m[0] for m in made]), how)
    return str(answer), [np.array(m[1]()) for m in made]


def differences(q: sycl.queue, kinds: list[str], n: int, names: list[str]) -> Iterator[str]:
    """Yield a line for each combination that differs or is refused, and "" for each other one."""
    for name in {**cases(n), **mixed(n)}:
        if names and name.strip() not in names:
            continue
        answer, memory = run(q, name, "numpy", "now", n)
        for kind in kinds:
            for how in ("now", *WAYS.get(kind, ())):
                try:
                    found, there = run(q, name, kind, how, n)
                except (sycl.exception, ImportError) as error:
                    yield f"{name} {kind} {how}: {type(error).__name__}: {error}"
                    continue
                same = found == answer and all(map(np.array_equal, there, memory))
                yield "" if same else f"{name} {kind} {how}: {found} instead of {answer}"


def main() -> int:
    """Print what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="routines; all if none is given")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--kinds", default="numpy,buffer,usm,device,strided,backwards,permuted,"
                                           "reversed,dlpack")
    asked = parser.parse_args()
    count = wrong = 0
    for line in differences(sycl.queue(asked.device), asked.kinds.split(","), asked.count,
                            asked.names):
        count, wrong = count + 1, wrong + bool(line)
        if line:
            print(line, flush=True)
    print(f"{asked.device}: {count} combinations, {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
