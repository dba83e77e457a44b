"""A name has the type of what it was given last, as in Python: types belong to definitions."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree
from unisycl.frontend.specialize import forget

pytestmark = pytest.mark.row("D-62")
N = 19
KEYS = (np.arange(N) * 1234567 - 9876543).astype(np.int32)
BYTES = (np.arange(N) * 29 % 256).astype(np.uint8)
HALVES = (np.arange(N) * 0.5 - 3).astype(np.float32)
WHOLE = (np.arange(N) * 7 % 11 - 4).astype(np.int32)


def test_a_key_becomes_unsigned(queue):
    def build(keys, out):
        def kernel(i):
            key = keys[i]
            key = np.uint32(key.astype(np.uint32))
            key ^= key >> 16
            out[i] = (key << 3) ^ (key >> 5)
        return kernel
    agree(queue, build, N, keys=KEYS, out=np.zeros(N, np.uint32))


def test_a_generator_of_random_numbers_ends_as_a_float(queue):
    def build(out):
        def kernel(i):
            x = np.uint32(i + 12345)
            x = x * 1664525 + 1013904223
            x = np.float32(x) * np.float32(2.0 ** -32)
            out[i] = x
        return kernel
    agree(queue, build, N, out=np.zeros(N, np.float32))


def test_what_comes_later_does_not_reach_back(queue):
    def build(b, out):
        def kernel(i):
            t = b[i]
            out[i] = t + t
            t = np.float32(0.5)
            out[i] += t * 2
        return kernel
    agree(queue, build, N, b=BYTES, out=np.zeros(N, np.float32))


def test_branches_that_never_meet_keep_their_types(queue):
    def build(b, x, out):
        def kernel(i):
            if i > 5:
                t = b[i]
                out[i] = t + t
            else:
                t = x[i]
                out[i] = t * t
        return kernel
    agree(queue, build, N, b=BYTES, x=HALVES, out=np.zeros(N, np.float32))


def test_a_parameter_is_bound_anew(queue):
    def build(b, out):
        def half(v, scale):
            w = v + v
            v = np.float32(v) / 2
            scale = scale * v
            return scale + w

        def kernel(i):
            out[i] = half(b[i], 3)
        return kernel
    agree(queue, build, N, b=BYTES, out=np.zeros(N, np.float32))


def test_results_of_several_types_may_be_stored_and_compared(queue):
    def build(n, x, out, flags):
        def either(k):
            if n[k] > 0:
                return n[k]
            return x[k]

        def kernel(i):
            out[i] = either(i)
            flags[i] = either(i) > 1
        return kernel
    agree(queue, build, N, n=WHOLE, x=HALVES, out=np.zeros(N), flags=np.zeros(N, np.bool_))


def test_a_name_serves_a_float_sum_and_then_an_integer(queue):
    def build(x, n, out):
        def kernel(i):
            s = 0.0
            for k in range(4):
                s += x[(i + k) % 19]
            out[i] = s
            s = 0
            for k in range(4):
                s += n[(i + k) % 19]
            out[i] += s
        return kernel
    agree(queue, build, N, x=HALVES, n=WHOLE, out=np.zeros(N, np.float32))


def test_a_literal_is_exact_until_it_meets(queue):
    def build(x, out):
        def kernel(i):
            s = 0.1
            out[i] = s * np.float64(3)
            for k in range(3):
                s += x[k]
            out[i] += s
        return kernel
    agree(queue, build, N, x=HALVES, out=np.zeros(N))


def test_turns_of_a_loop_over_types_have_their_own(queue):
    def build(out):
        def kernel(i):
            for k, kind in enumerate((np.uint8, np.float32, np.int64)):
                v = kind(200)
                v = v + v
                out[3 * i + k] = v
        return kernel
    agree(queue, build, N, out=np.zeros(3 * N))


def test_a_chain_of_integers_goes_through_ids_and_elements(queue):
    """An id that meets an int32 stays exact."""
    parents = np.maximum(np.arange(N) - 3, 0).astype(np.int32)

    def build(parent, out):
        def kernel(i):
            node = i
            depth = 0
            while parent[node] != node:
                node = parent[node]
                depth += 1
            out[i] = node * 100 + depth
        return kernel
    agree(queue, build, N, parent=parents, out=np.zeros(N, np.int32))


def test_ids_too_large_for_an_element_stay_exact(queue):
    small = np.arange(4, dtype=np.int32)

    def build(small, out):
        def kernel(i):
            at = i + 3_000_000_000
            if i % 3 == 0:
                at = small[i % 4]
            out[i] = at
        return kernel
    agree(queue, build, N, small=small, out=np.zeros(N, np.int64))


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")  # best * 2 wraps, and says so
def test_smallest_of_elements_and_a_literal(queue):
    def build(n, out):
        def kernel(i):
            best = 2 ** 31 - 1
            least = 1000
            for k in range(i + 1):
                if n[k] < best:
                    best = n[k]
                least = min(least, n[k])
            out[i] = best * 2 + least
        return kernel
    agree(queue, build, N, n=WHOLE, out=np.zeros(N, np.int32))


def test_loops_left_by_break_bring_what_was_given_there(queue):
    def build(x, out):
        def kernel(i):
            v = np.float64(0.1)
            for k in range(8):
                if k == i:
                    v = x[k]
                    break
            out[i] = v
            j = 0
            while j < i:
                if j == 5:
                    r = x[i]
                    break
                j += 1
            else:
                r = np.float64(0.3)
            out[i] += np.float64(r)
        return kernel
    agree(queue, build, N, x=HALVES, out=np.zeros(N))


def test_loops_over_constants_left_early(queue):
    def build(out):
        def kernel(i):
            r = 0
            for v in (1, 2, 3, 4):
                if v == i % 6:
                    r = v * 0.5
                    continue
                if v == i % 5:
                    break
            out[i] = r + v
        return kernel
    agree(queue, build, N, out=np.zeros(N))


def test_assignment_expressions_on_one_side_only(queue):
    def build(n, out):
        def kernel(i):
            y = np.float32(0.25)
            z = (y := np.float64(0.3)) if i > 3 else 0.0
            w = n[i] > 0 and (y := np.float64(n[i])) > 2
            out[i] = np.float64(y) + z + w
        return kernel
    agree(queue, build, N, n=WHOLE, out=np.zeros(N))


def test_fields_of_objects_have_the_type_of_what_they_were_given_last(queue):
    @dataclasses.dataclass
    class Pair:
        a: object
        b: object = 0

        def widen(self):
            self.a = np.float64(self.a) / 3
            return self.a

    def build(b, out):
        def kernel(i):
            p = Pair(b[i])
            out[i, 0] = p.a + p.a
            for _ in range(2):
                p.b = p.b + np.float32(0.5)
            out[i, 1] = p.b
            if i > 4:
                p.widen()
                out[i, 2] = p.a
            p.a = 1
            out[i, 3] = p.a / 2
        return kernel
    agree(queue, build, N, b=BYTES, out=np.zeros((N, 4)))


def test_tuples_change_their_parts(queue):
    def build(b, x, out):
        def kernel(i):
            t = (b[i], 1)
            out[i] = t[0] + t[0] + t[1]
            t = (x[i], x[i] * 2, 3)
            out[i] += t[1] + t[2]
            p, q = 0, 1
            for k in range(4):
                p, q = q, p + b[k]
            out[i] += p * 2 + q
        return kernel
    agree(queue, build, N, b=BYTES, x=HALVES, out=np.zeros(N, np.float32))


def test_functions_bind_their_own_names_in_every_call(queue):
    def build(b, x, out):
        def scaled(v):
            r = v
            if v > 2:
                r = r + v
            return r

        def kernel(i):
            out[i] = scaled(b[i])
            out[i] += scaled(x[i])
            out[i] += scaled(i)
        return kernel
    agree(queue, build, N, b=BYTES, x=HALVES, out=np.zeros(N, np.float32))


@pytest.mark.parametrize("local", [1, 4, 16])
def test_definitions_live_across_barriers(queue, local):
    out = np.zeros(32, np.float32)

    def kernel(it, tile):
        g, mine = it.get_global_id(0), it.get_local_id(0)
        v = np.uint8(200)
        v = v + v
        tile[mine] = v
        sycl.group_barrier(it.get_group())
        v = tile[local - 1 - mine] * np.float32(0.5)
        sycl.group_barrier(it.get_group())
        out[g] = v + g
    queue.parallel_for(sycl.nd_range(32, local), kernel,
                       sycl.local_accessor(np.uint8, local)).wait()
    np.testing.assert_array_equal(out, 72 + np.arange(32, dtype=np.float32))


# ---- names that not every path assigns
def test_conditions_that_go_together_need_no_warning(queue):
    def build(out):
        def kernel(i):
            if i > 3:
                x = 7.0
            if i > 3:
                out[i] = x
            if not i > 3:
                y = 2.0
            if i <= 3:
                out[i] += y
        return kernel
    agree(queue, build, N, out=np.zeros(N, np.float32))


def test_a_loop_that_may_not_run_leaves_zero_and_a_warning(queue):
    counts = (np.arange(N) % 3).astype(np.int32)
    out = np.full(N, -1, np.int32)

    def kernel(i):
        for k in range(counts[i]):
            last = k + 10
        out[i] = last if counts[i] > 0 else 0
        for k in range(counts[i]):
            final = k + 20
        if counts[i] > 0:
            out[i] += final
    forget()  # a kernel is compiled, and warned of, once
    with pytest.warns(sycl.KernelWarning, match=r"may be read here.*\(line \d+\)") as told:
        queue.parallel_for(N, kernel).wait()
    assert [str(w.message)[:7] for w in told] == ["'last' ", "'final'"]
    assert all(w.filename == __file__ for w in told)
    np.testing.assert_array_equal(out, np.where(counts > 0, counts * 2 + 28, 0))


def test_a_branch_that_may_not_be_taken_leaves_zero_and_a_warning(queue):
    wide, high = np.array([-1, 1, -1, 1]), np.array([-1, -1, 1, 1])
    out = np.full(4, -1)

    def kernel(i):
        if wide[i] > 0:
            z = 5
        if high[i] > 0:
            out[i] = z
    forget()
    with pytest.warns(sycl.KernelWarning, match=r"'z' may be read here.*\(line \d+\)"):
        event = queue.submit(lambda h: h.parallel_for(4, kernel))
    if queue.get_backend() is sycl.backend.host:
        with pytest.raises(sycl.exception, match="UnboundLocalError"):
            event.wait_and_throw()
    else:
        event.wait()
        assert [-1, -1, 0, 5] == out.tolist()


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")
def test_what_no_turn_assigned_is_zero_where_python_raises(queue):
    counts = np.array([0, 2, 0, 1], np.int32)
    out = np.full(4, -1.0, np.float32)
    seen = np.full(4, -1.0, np.float32)

    def kernel(i):
        t = np.float32(5)
        for k in range(counts[i]):
            last = t + k
        out[i] = last

    def vectors(i):
        for k in range(counts[i]):
            v = sycl.float2(1, k + 2)
        seen[i] = v.y
    if queue.get_device().get_backend() == sycl.backend.host:
        for broken in (kernel, vectors):
            with pytest.raises(sycl.exception, match="UnboundLocalError"):
                queue.parallel_for(4, broken).wait_and_throw()
        return
    queue.parallel_for(4, kernel)
    queue.parallel_for(4, vectors).wait()
    np.testing.assert_array_equal(out, [0, 6, 0, 5])
    np.testing.assert_array_equal(seen, [0, 3, 0, 2])


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")
def test_debug_mode_raises_what_python_raises(queue):
    counts = np.array([2, 1, 3, 0], np.int32)
    out = np.zeros(4, np.float32)

    @sycl.kernel(debug=True)
    def kernel(i):
        for k in range(counts[i]):
            last = k
        out[i] = last
    with pytest.raises(sycl.exception, match=r"id\(3\).*UnboundLocalError: cannot access local "
                       "variable 'last' where it is not associated with a value"):
        queue.parallel_for(4, kernel).wait_and_throw()


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")
def test_the_turn_before_gave_it(queue):
    def build(x, out):
        def kernel(i):
            for k in range(6):
                if k > 0:
                    out[i] += kept * x[k]  # noqa: F821 - by the turn before
                kept = x[k] + i  # noqa: F841 - read by the next turn
        return kernel
    agree(queue, build, N, x=HALVES, out=np.zeros(N, np.float32))


def test_while_true_is_left_with_what_was_given_there(queue):
    def build(n, out):
        def kernel(i):
            k = 0
            while True:
                if n[(i + k) % 19] > 3:
                    found = n[(i + k) % 19]
                    break
                k += 1
            out[i] = found * 100 + k
        return kernel
    agree(queue, build, N, n=WHOLE, out=np.zeros(N, np.int32))


def test_sums_of_ids_and_elements_are_exact_and_told(queue):
    parents = np.maximum(np.arange(N) - 2, 0).astype(np.int32)

    def build(parent, out):
        def kernel(i):
            node = i
            while parent[node] != node and node * 2 + 1 > 6:
                node = parent[node]
            out[i] = min(node, parent[i]) * 3 % 7
        return kernel
    forget()
    with pytest.warns(sycl.KernelWarning, match="is a Python int or int32 here"):
        agree(queue, build, N, parent=parents, out=np.zeros(N, np.int64))


def test_low_bits_of_sums_do_not_depend_on_the_type(queue):
    def build(n, b, out, small):
        def kernel(i):
            x = n[i] if i % 2 else b[i]
            small[i] = x * 7 - 3
            y = n[i]
            if i % 3 == 0:
                y = i
            out[i] = (y ^ 5) * 3 + (y & 3) + (-y)
            out[i] += n[(y & 7) % 19]
        return kernel
    agree(queue, build, N, n=WHOLE, b=BYTES, out=np.zeros(N, np.int32), small=np.zeros(N, np.uint8))


def test_parts_of_tuples_are_read_when_they_are_passed(queue):
    def build(n, out):
        def late(pair):
            out[pair[1]] = 5
            return pair[0]

        def kernel(i):
            out[i] = n[i]
            out[i] = late((out[i], i)) * 2
        return kernel
    agree(queue, build, N, n=WHOLE, out=np.zeros(N, np.int32))


def test_elements_of_tuples_and_vectors_by_numbers_of_several_types(queue):
    def build(n, out):
        def kernel(i):
            table = (10, 20, 30)
            v = sycl.int4(1, 2, 3, 4)
            at = min(i, n[3] + 9)
            out[i] = table[at % 3] + v[at % 4]
        return kernel
    agree(queue, build, N, n=WHOLE, out=np.zeros(N, np.int64))
