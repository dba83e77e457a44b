"""Elements for atomics on the host."""

import threading

import numpy as np
import pytest

from unisycl.lang.memory.atomic_place import bits_of
from unisycl.lang.memory.cell import NativeCell, PythonCell


class Words:
    """Words in an array, whose third comparison is disturbed by somebody else."""

    def __init__(self, words):
        self.words = words
        self.asked = 0

    def load(self, address, size):
        return int(self.words[address])

    def store(self, address, size, word):
        self.words[address] = word

    def compare_exchange(self, address, size, expected, desired):
        self.asked += 1
        if self.asked == 3:
            self.words[address] += 1000
        old = int(self.words[address])
        if old == expected:
            self.words[address] = desired
        return old


def test_threads_that_update_one_element_lose_nothing():
    data = np.zeros(1, np.int64)
    cell = PythonCell(data, 0, bits_of(data.dtype))

    def add():
        for _ in range(5000):
            cell.update(lambda old: old + 1)
    threads = [threading.Thread(target=add) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert data[0] == 20000


def test_an_update_starts_again_when_another_came_between():
    words = Words(np.full(2, 10, np.uint32))
    cell = NativeCell(words, 1, np.dtype(np.int32), bits_of(np.dtype(np.int32)))
    assert [cell.update(lambda old: old - 1) for _ in range(3)] == [10, 9, 1008]
    assert (cell.load(), words.asked) == (1007, 4)


@pytest.mark.parametrize("kind", ["i1", "u2", "f2", "i4", "u4", "f4", "i8", "u8", "f8", "c8"])
def test_words_are_the_elements_bits(kind):
    dtype = np.dtype(kind)
    words = Words(np.zeros(1, f"u{dtype.itemsize}"))
    cell = NativeCell(words, 0, dtype, bits_of(dtype))
    cell.store(dtype.type(7))
    assert words.words.view(dtype)[0] == 7
    assert cell.compare(dtype.type(7), dtype.type(3)) == (True, 7)
    assert cell.compare(dtype.type(7), dtype.type(3)) == (False, 3)
    assert cell.load().dtype == dtype
