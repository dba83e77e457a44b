"""Loops as people write them: numbers, words, tables of a program, sorting, few heavy items.

Kernels are written as a user of C++, CUDA or Numba writes them first, before anybody looked at what
the compiler makes of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    ROUNDING64,
    Entry,
    Namespace,
    Operands,
    Step,
    inner,
    parallel,
    prange,
    show,
)
from bench.corpus.shading import plain

F, I = np.float32, np.int32


# primes: trial division


@inner
def is_prime(n: Any) -> Any:
    if n < 2:
        return False
    k = 2
    while k * k <= n:
        if n % k == 0:
            return False
        k += 1
    return True


@sycl.kernel
def primes(i: Any, out: Any) -> None:
    out[i] = is_prime(int(i[0]))


@parallel
def nb_primes(out: Any) -> None:
    for i in prange(len(out)):
        out[i] = is_prime(i)


def make_primes(n: int) -> Operands:
    return Namespace(out=np.zeros(n, np.uint8))


PRIMES = Entry("primes", make_primes, 1 << 17, 301,
               {"": lambda d: [Step(primes, len(d.out), d.out)]},
               plain(lambda d: nb_primes(d.out), "out"), numba=lambda d: nb_primes(d.out))


# collatz: steps until one


@inner
def steps_of(n: Any) -> Any:
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


@sycl.kernel
def collatz(i: Any, out: Any) -> None:
    out[i] = steps_of(int(i[0]) + 1)


@parallel
def nb_collatz(out: Any) -> None:
    for i in prange(len(out)):
        out[i] = steps_of(i + 1)


def make_counts(n: int) -> Operands:
    return Namespace(out=np.zeros(n, I))


COLLATZ = Entry("collatz", make_counts, 1 << 16, 301,
                {"": lambda d: [Step(collatz, len(d.out), d.out)]},
                plain(lambda d: nb_collatz(d.out), "out"), numba=lambda d: nb_collatz(d.out))


# gcd: Euclid's algorithm for all pairs


@inner
def divisor(a: Any, b: Any) -> Any:
    while b:
        a, b = b, a % b
    return a


@sycl.kernel
def gcd(i: Any, out: Any) -> None:
    out[i] = divisor(int(i[0]) + 1, int(i[1]) + 1)


@parallel
def nb_gcd(out: Any) -> None:
    for y in prange(out.shape[0]):
        for x in range(out.shape[1]):
            out[y, x] = divisor(y + 1, x + 1)


def make_square_of_counts(n: int) -> Operands:
    return Namespace(out=np.zeros((n, n), I))


GCD = Entry("gcd", make_square_of_counts, 512, 33,
            {"": lambda d: [Step(gcd, d.out.shape, d.out)]},
            plain(lambda d: nb_gcd(d.out), "out"), numba=lambda d: nb_gcd(d.out))


# find: where a text has a word; each place is tried


@sycl.kernel
def find(i: Any, text: Any, word: Any, out: Any) -> None:
    same = True
    for k in range(word.shape[0]):
        if text[i[0] + k] != word[k]:
            same = False
            break
    out[i] = same


@parallel
def nb_find(text: Any, word: Any, out: Any) -> None:
    for i in prange(len(out)):
        same = True
        for k in range(len(word)):
            if text[i + k] != word[k]:
                same = False
                break
        out[i] = same


def make_text(n: int) -> Operands:
    text = np.random.default_rng(1).integers(97, 100, n, dtype=np.uint8)
    return Namespace(text=text, word=text[n // 2:n // 2 + 8].copy(), out=np.zeros(n - 8, np.uint8))


FIND = Entry("find", make_text, 1 << 20, 301,
             {"": lambda d: [Step(find, len(d.out), d.text, d.word, d.out)]},
             plain(lambda d: nb_find(d.text, d.word, d.out), "out"),
             numba=lambda d: nb_find(d.text, d.word, d.out))


# distances: edit distance of pairs of words, a row of the table in private memory

LETTERS = 32


@sycl.kernel
def distances(i: Any, a: Any, b: Any, out: Any) -> None:
    row = sycl.private_array(I, LETTERS + 1)
    for k in range(LETTERS + 1):
        row[k] = k
    for y in range(LETTERS):
        corner = row[0]
        row[0] = y + 1
        for x in range(LETTERS):
            cost = corner + (a[i, y] != b[i, x])
            corner = row[x + 1]
            row[x + 1] = min(cost, row[x] + 1, corner + 1)
    out[i] = row[LETTERS]


@parallel
def nb_distances(a: Any, b: Any, out: Any) -> None:
    for i in prange(len(out)):
        row = np.empty(LETTERS + 1, I)
        for k in range(LETTERS + 1):
            row[k] = k
        for y in range(LETTERS):
            corner = row[0]
            row[0] = y + 1
            for x in range(LETTERS):
                cost = corner + (a[i, y] != b[i, x])
                corner = row[x + 1]
                row[x + 1] = min(cost, row[x] + 1, corner + 1)
        out[i] = row[LETTERS]


def make_words(n: int) -> Operands:
    r = np.random.default_rng(1)
    return Namespace(a=r.integers(97, 101, (n, LETTERS), dtype=np.uint8),
                     b=r.integers(97, 101, (n, LETTERS), dtype=np.uint8), out=np.zeros(n, I))


DISTANCES = Entry("distances", make_words, 4096, 7,
                  {"": lambda d: [Step(distances, len(d.out), d.a, d.b, d.out)]},
                  plain(lambda d: nb_distances(d.a, d.b, d.out), "out"),
                  numba=lambda d: nb_distances(d.a, d.b, d.out))


# knapsack: one launch for each thing


@sycl.kernel
def knapsack(w: Any, before: Any, after: Any, weight: Any, value: Any) -> None:
    best = before[w]
    if w[0] >= weight:
        taken = before[w[0] - weight] + value
        if taken > best:
            best = taken
    after[w] = best


@parallel
def nb_knapsack(before: Any, after: Any, weight: Any, value: Any) -> None:
    for w in prange(len(before)):
        best = before[w]
        if w >= weight:
            taken = before[w - weight] + value
            if taken > best:
                best = taken
        after[w] = best


def make_things(n: int) -> Operands:
    r = np.random.default_rng(1)
    return Namespace(things=[(int(w), int(v)) for w, v in r.integers(1, 999, (16, 2))],
                     a=np.zeros(n, I), b=np.zeros(n, I))


def pairs(d: Operands) -> list[Any]:
    memory = [d.a, d.b]
    return [(memory[k % 2], memory[1 - k % 2], w, v) for k, (w, v) in enumerate(d.things)]


def all_things(d: Operands) -> None:
    for x in pairs(d):
        nb_knapsack(*x)


KNAPSACK = Entry("knapsack", make_things, 50000, 1001,
                 {"": lambda d: [Step(knapsack, len(d.a), *x) for x in pairs(d)]},
                 plain(all_things, "a"), numba=all_things)


# triangle: few items, each with more to do than the one before


@sycl.kernel
def triangle(i: Any, x: Any, out: Any) -> None:
    total = 0.0
    for j in range(i[0] * 1000):
        total += 1.0 / (1.0 + x[i] * j)
    out[i] = total


@parallel
def nb_triangle(x: Any, out: Any) -> None:
    for i in prange(len(x)):
        total = 0.0
        for j in range(i * 1000):
            total += 1.0 / (1.0 + x[i] * j)
        out[i] = total


def make_few(n: int) -> Operands:
    return Namespace(x=np.random.default_rng(1).random(n), out=np.zeros(n))


TRIANGLE = Entry("triangle", make_few, 64, 4,
                 {"": lambda d: [Step(triangle, len(d.x), d.x, d.out)]},
                 plain(lambda d: nb_triangle(d.x, d.out), "out"), ROUNDING64, "sums of thousands",
                 numba=lambda d: nb_triangle(d.x, d.out))


# insertion: each item sorts its row in place


@sycl.kernel
def insertion(i: Any, a: Any) -> None:
    for j in range(1, a.shape[1]):
        x = a[i, j]
        k = j - 1
        while k >= 0 and a[i, k] > x:
            a[i, k + 1] = a[i, k]
            k -= 1
        a[i, k + 1] = x


@parallel
def nb_insertion(a: Any) -> None:
    for i in prange(a.shape[0]):
        for j in range(1, a.shape[1]):
            x = a[i, j]
            k = j - 1
            while k >= 0 and a[i, k] > x:
                a[i, k + 1] = a[i, k]
                k -= 1
            a[i, k + 1] = x


def make_short_rows(n: int) -> Operands:
    return Namespace(a=np.random.default_rng(1).random((n, 32), dtype=F))


INSERTION = Entry("insertion", make_short_rows, 4096, 9,
                  {"": lambda d: [Step(insertion, len(d.a), d.a)]},
                  plain(lambda d: nb_insertion(d.a), "a"), numba=lambda d: nb_insertion(d.a))


# search: np.searchsorted, by halves


@sycl.kernel
def search(i: Any, table: Any, x: Any, out: Any) -> None:
    low, high = 0, table.shape[0]
    while low < high:
        middle = (low + high) // 2
        if table[middle] < x[i]:
            low = middle + 1
        else:
            high = middle
    out[i] = low


@parallel
def nb_search(table: Any, x: Any, out: Any) -> None:
    for i in prange(len(x)):
        low, high = 0, len(table)
        while low < high:
            middle = (low + high) // 2
            if table[middle] < x[i]:
                low = middle + 1
            else:
                high = middle
        out[i] = low


def make_table(n: int) -> Operands:
    r = np.random.default_rng(1)
    return Namespace(table=np.sort(r.random(4096, dtype=F)), x=r.random(n, dtype=F),
                     out=np.zeros(n, I))


SEARCH = Entry("search", make_table, 1 << 17, 101,
               {"": lambda d: [Step(search, len(d.x), d.table, d.x, d.out)]},
               plain(lambda d: nb_search(d.table, d.x, d.out), "out"),
               numba=lambda d: nb_search(d.table, d.x, d.out))


# hamming: how many bits differ, for all pairs


@inner
def ones(x: Any) -> Any:
    count = 0
    while x:
        x &= x - np.uint64(1)
        count += 1
    return count


@sycl.kernel
def hamming(i: Any, a: Any, b: Any, out: Any) -> None:
    out[i] = ones(a[i[0]] ^ b[i[1]])


@parallel
def nb_hamming(a: Any, b: Any, out: Any) -> None:
    for y in prange(len(a)):
        for x in range(len(b)):
            out[y, x] = ones(a[y] ^ b[x])


def make_bits(n: int) -> Operands:
    r = np.random.default_rng(1)
    most = 1 << 64
    return Namespace(a=r.integers(0, most, n, np.uint64), b=r.integers(0, most, n, np.uint64),
                     out=np.zeros((n, n), I))


HAMMING = Entry("hamming", make_bits, 256, 17,
                {"": lambda d: [Step(hamming, d.out.shape, d.a, d.b, d.out)]},
                plain(lambda d: nb_hamming(d.a, d.b, d.out), "out"),
                numba=lambda d: nb_hamming(d.a, d.b, d.out))


ENTRIES = (PRIMES, COLLATZ, GCD, FIND, DISTANCES, KNAPSACK, TRIANGLE, INSERTION, SEARCH, HAMMING)

if __name__ == "__main__":
    show(ENTRIES)
