"""Statements mean what they mean in Python, whatever the work-items next door do."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
N = 37  # more than one vector, and not a multiple of it
DATA = (np.arange(N) * 7919 % 23 - 11).astype(np.int32)


def test_branches_and_their_chains(queue):
    def build(a, out):
        def kernel(i):
            if a[i] > 5:
                out[i] = 1
            elif a[i] > 0:
                if a[i] % 2:
                    out[i] = 2
                else:
                    out[i] = 3
            elif a[i] == 0:
                pass
            else:
                out[i] = -a[i]
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_comparisons_chain_and_evaluate_once(queue):
    def build(a, out):
        def kernel(i):
            x = a[i]
            out[i] = (-3 < x <= 5) + 2 * (x < 0 < x + 4 != 2) + 4 * (0 == x == 0) + 8 * (
                5 > x > -5 > -9)
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_and_or_not_guard_what_follows_and_give_values(queue):
    def build(a, b, out, values):
        def kernel(i):
            k = a[i]
            if 0 <= k < 8 and b[k] > 3 or k == -2:
                out[i] = 1
            if not (k >= 8 or k < 0 or b[k] == 0):
                out[i] += 2
            values[i] = k and k + 100
            values[i] += (k or 50) * 1000
            values[i] += (k > 2 and k < 9 or k == -4) * 100000
        return kernel
    agree(queue, build, N, a=DATA, b=np.arange(8), out=ints(N), values=ints(N))


def test_conditional_expressions_evaluate_one_side(queue):
    def build(a, b, out):
        def kernel(i):
            k = a[i]
            out[i] = b[k] if 0 <= k < 8 else b[0] - 5 if k > 0 else -1
        return kernel
    agree(queue, build, N, a=DATA, b=np.arange(8) * 3, out=ints(N))


def test_while_with_break_continue_and_return(queue):
    def build(a, out):
        def kernel(i):
            x = int(a[i])
            steps = 0
            while x != 1:
                steps += 1
                if x <= 0:
                    if x < -5:
                        return
                    break
                if steps > 40:
                    break
                if x % 2 == 0:
                    x //= 2
                    continue
                x = 3 * x + 1
            out[i] = steps * 100 + x
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_while_true_ends_by_break_only(queue):
    def build(a, out):
        def kernel(i):
            k = 0
            while True:
                k += 1
                if k * k > abs(a[i]):
                    break
                if k == 2:
                    continue
                out[i] += k
            out[i] += 1000 * k
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


@pytest.mark.parametrize("bounds", ["n", "2, n", "n, 2, -1", "0, n, 3", "n, -n, -4", "3, 3", "0"])
def test_ranges(queue, bounds):
    from tests.conformance.language.arithmetic import make

    def build(a, out):
        return make(f"""
            def kernel(i):
                n = a[i]
                for k in range({bounds}):
                    out[i] = out[i] * 3 + k
            """, a=a, out=out)
    agree(queue, build, N, a=DATA, out=ints(N))


def test_a_loop_variable_keeps_its_last_value(queue):
    def build(a, out):
        def kernel(i):
            k = -7
            for k in range(a[i]):
                if k == 4:
                    break
            out[i] = k
            for k in range(a[i], 0, -2):
                k += 100
            out[i] = out[i] * 1000 + k
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_bounds_are_taken_once_and_the_counter_may_be_changed(queue):
    def build(a, out):
        def kernel(i):
            n = abs(a[i])
            for k in range(n):
                n += 5
                k *= 2
                out[i] += k
            out[i] += n * 1000
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_jumps_out_of_nested_loops(queue):
    def build(a, out):
        def kernel(i):
            total = 0
            for x in range(6):
                if x == a[i]:
                    continue
                for y in range(x, 8):
                    if y == 2 * x + a[i]:
                        break
                    if (x + y) % 5 == 3:
                        continue
                    j = 0
                    while j < 4:
                        j += 1
                        if j == y:
                            break
                        if j + x == 6:
                            out[i] = total
                            return
                        total += j
                total += 100
                if total > 900:
                    break
            out[i] = total + 10000
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


@pytest.mark.parametrize("where", ["top", "if", "for", "while", "both"])
def test_an_early_return_leaves_the_rest(queue, where):
    sources = {
        "top": "if a[i] > 3:\n    return\nout[i] = 1",
        "if": "if a[i] > 0:\n    if a[i] > 5:\n        return\n    out[i] = 1\nout[i] += 2",
        "for": "for k in range(10):\n    if k == a[i]:\n        return\n    out[i] += k",
        "while": "k = a[i]\nwhile k < 5:\n    if k == 2:\n        return\n    k += 1\nout[i] = k",
        "both": "if a[i] > 0:\n    out[i] = 5\n    return\nelse:\n    out[i] = 6\n    return",
    }
    from textwrap import indent

    from tests.conformance.language.arithmetic import make

    def build(a, out):
        return make("def kernel(i):\n" + indent(sources[where], "    "), a=a, out=out)
    agree(queue, build, N, a=DATA, out=ints(N))


def test_loops_over_tuples_with_break_and_continue(queue):
    weights = (1, 10, 100, 1000)

    def build(a, out, last):
        def kernel(i):
            for k, w in enumerate(weights):
                if k == a[i]:
                    continue
                if w * 2 > abs(a[i]) * 100 and a[i] < 0:
                    break
                out[i] += w
            last[i] = w * 10 + k
            for w in weights:
                last[i] += w
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N), last=ints(N))


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")  # whether w has a value is not seen
def test_names_given_in_an_unrolled_loop_follow_it(queue):
    def build(a, out):
        def kernel(i):
            best = -1
            for v in (3, -4, 7):
                if a[i] > v:
                    best = v
            chosen = 0
            for v in (2, 4, 6):
                if v == a[i]:
                    chosen = v * v
                    break
                w = v
            out[i] = best * 10000 + chosen * 100 + v
            if a[i] != 2:
                out[i] += w * 1000000
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_zip_enumerate_and_reversed_of_tuples(queue):
    left, right = (1, 2, 3), (10.5, 20.5, 30.5, 40.5)

    def build(out):
        def kernel(i):
            for k, (x, y) in enumerate(zip(left, right)):
                out[i] += k * x * y
            for z in reversed(left):
                out[i] = out[i] * 2 + z
            for k, (j, x) in enumerate(enumerate(left)):
                out[i] += k * j * x
        return kernel
    agree(queue, build, 3, out=np.zeros(3))


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")  # sums kept in 64 bits say so
def test_tuples_unpack_swap_and_nest(queue):
    def build(a, out):
        def kernel(i):
            x, y = a[i], i
            x, y = y, x
            (p, q), r = (x + 1, y), x
            p, q, r = r, p, q
            pair = (p, q)
            for _ in range(abs(y) % 4):
                pair = (pair[1], pair[0] + pair[1])
            s, t = pair
            out[i, 0], out[i, 1] = s, t
            u = v = t + r
            v += 1
            out[i, 2] = u * 100 + v
            out[i, 3] = len(pair) + pair[-1] + (x, y, r)[i % 3]
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N, 4))


def test_assignment_expressions(queue):
    def build(a, out):
        def kernel(i):
            if (x := a[i] * 2) > 4:
                out[i] = x
            k = 0
            while (k := k + 1) < 5 and (y := k * x) < 20:
                out[i] += y
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_operands_are_evaluated_from_left_to_right(queue):
    def build(out):
        def kernel(i):
            k = 1

            def step():
                out[i] = out[i] * 10 + k
                return k
            x = k + (k := k + 1) * step()
            out[i] = out[i] * 100 + x + step()
            t = (k, (k := 7), k)
            out[i] = out[i] * 1000 + t[0] * 100 + t[1] * 10 + t[2]
        return kernel
    agree(queue, build, 3, out=ints(3))


def test_updates_read_before_the_right_hand_side_is_evaluated(queue):
    def build(out):
        def kernel(i):
            def touch():
                out[i] = 50
                return 1
            out[i] += touch()
            out[i] -= out[i] * 2
            out[i] <<= 2
            out[i] ^= 5
            out[i] //= 7
            out[i] %= 11
            out[i] |= 32
            out[i] &= 47
            out[i] >>= 1
            out[i] **= 2
        return kernel
    agree(queue, build, 3, out=ints(3))


def test_indices_may_wrap_work_items_through_memory(queue):
    def build(a, out):
        def kernel(i):
            j = i
            for _ in range(5):
                j = (j * 5 + 3) % N
            out[i] = a[a[j] % N]
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_private_arrays_are_each_work_items_own(queue):
    import unisycl as sycl
    a, out = DATA.copy(), ints(N)
    size = 5

    def kernel(i):
        w = sycl.private_array(np.int64, size)
        m = sycl.private_array(np.float32, (2, 3))
        for k in range(len(w)):
            w[k] = a[(i + k) % N] * k
        for r in range(2):
            for c in range(3):
                m[r, c] = r * 10 + c
        row = m[1]
        total = 0
        for k in range(size - 1, -1, -1):
            total = total * 3 + w[k]
        out[i] = total * 100 + int(row[2] + m[0][1]) + w.get_range(0) + m.shape[1]

    queue.parallel_for(N, kernel).wait()
    expected = []
    for i in range(N):
        total = 0
        for k in range(4, -1, -1):
            total = total * 3 + int(a[(i + k) % N]) * k
        expected.append(total * 100 + 13 + 5 + 3)
    assert expected == out.tolist()


def test_arrays_made_by_numpy_in_a_kernel_are_private(queue):
    def build(out):
        def kernel(i):
            z = np.zeros(3, np.int32)
            o = np.ones((2, 2), dtype=np.float32)
            e = np.empty(2)
            e[0] = 7
            z[i % 3] += 5
            out[i] = z[0] + z[1] * 10 + z[2] * 100 + o[1, 1] * 1000 + e[0] * 10000
        return kernel
    agree(queue, build, 7, out=ints(7))


def test_a_name_may_take_another_kind_of_value_where_no_path_keeps_the_old(queue):
    import unisycl as sycl
    out = ints(N)

    def kernel(i):
        x = (1, 2)
        x = x[0] + x[1] + i
        y = x
        y = (y, 7)
        total = y[1]
        for size in (2, 3):
            w = sycl.private_array(np.int64, size)
            for k in range(size):
                w[k] = i + k
            total += w[size - 1] * size
        out[i] = total * 100 + w[0] + x

    queue.parallel_for(N, kernel).wait()
    assert [(7 + (i + 1) * 2 + (i + 2) * 3) * 100 + i + 3 + i for i in range(N)] == out.tolist()


@pytest.mark.parametrize("count", [1, 5, 32, 37, 100])
def test_loops_that_start_at_the_id(queue, count):
    """Each work-item takes every sixteenth element; the last turns lack some of them."""
    def build(a, sums, copies, down, last, odd):
        def kernel(i):
            total = 0
            for k in range(i, 203, 16):
                copies[k, i % 16] = a[k]
                total += a[k]
            sums[i] = total
            for k in range(2 * i, 150, 8):
                if a[k] < 0:
                    continue
                if a[k] > 9:
                    break
                odd[i] += a[k] * k
            for k in range(200 - i, 40, -30):
                down[i] = down[i] * 3 + a[k]
            k = -1
            for k in range(i + 3, 90, 7):
                pass
            last[i] = k
            if i % 3:
                for j in range(-i, 20, 5):
                    for m in range(i, 12, 2):
                        down[i] ^= a[m] + j
        return kernel
    agree(queue, build, count, a=(np.arange(203) * 7919 % 23 - 11).astype(np.int32),
          sums=ints(count), copies=ints(203, 16), down=ints(count), last=ints(count),
          odd=ints(count))


def test_tuples_given_in_an_unrolled_loop_that_is_left_follow_it(queue):
    def build(a, out):
        def kernel(i):
            p = (0, (1, 2.0))
            for t in (1, 2, 3):
                q = (t, t * 0.5)
                if i % 5 == t:
                    break
                if i % 7 == t:
                    continue
                p = (p[0] + 1, (t + a[i], q[1]))
            out[i] = p[0] + 10 * p[1][0] + 100 * p[1][1]
        return kernel
    agree(queue, build, N, a=DATA, out=np.zeros(N))


def test_the_else_of_a_loop_runs_where_no_break_left_it(queue):
    def build(a, out):
        def place(x):
            for j in range(7):
                if j * 3 == x:
                    found = j
                    break
            else:
                return -1
            return found

        def kernel(i):
            for j in range(a[i] % 6):
                if j == 3:
                    break
                if j == 1:
                    continue
                out[i] += 1
            else:
                out[i] += 100
            k = 0
            while k < 5:
                k += 1
                if k * 3 == a[i]:
                    break
                for t in (1, 2, 5):
                    if t == a[i] % 7:
                        break
                    if t == 2:
                        continue
                else:
                    out[i] += 1000
                    if a[i] == 10:
                        break
                    elif a[i] == -10:
                        continue
                    out[i] += 7
            else:
                out[i] += 10000
            for t in (1, 2):
                out[i] += t
            else:
                out[i] += 3
            out[i] += 100000 * place(a[i])
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_a_barrier_may_stand_in_the_else_of_a_loop(queue):
    a, out = np.array([0, 3, 9], np.int32), np.zeros(24, np.int32)

    def kernel(it, tile):
        k, g = it.get_local_id(0), it.get_group_linear_id()
        for j in range(5):
            if j == a[g]:
                break
            tile[k] = j
            sycl.group_barrier(it.get_group())
        else:
            sycl.group_barrier(it.get_group())
            tile[k] = 10 * k
            sycl.group_barrier(it.get_group())
            out[it.get_global_id(0)] = tile[7 - k]
    queue.parallel_for(sycl.nd_range(24, 8), kernel, sycl.local_accessor(np.int32, 8)).wait()
    assert [0] * 16 + [10 * (7 - k) for k in range(8)] == out.tolist()


def test_lanes_that_go_on_from_inside_a_loop_over_constants(queue):
    """Some items go to the next turn of the outer loop, others on behind the inner one."""
    def build(a, out, on):
        def kernel(i):
            for j in range(1 + i % 3):
                for k in (4, 6):
                    if a[i] > 2:
                        continue
                    if a[i] == -1 or j == 2:
                        out[i] += k
                        break
                else:
                    on[i] -= 1
                    continue
                on[i] += 100
                if a[i] < -5:
                    break
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N), on=ints(N))
