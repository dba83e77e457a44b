"""Programs that once differed between the host device and the CPU, each as small as it would go."""

from __future__ import annotations

import pytest

from tests.property.cases import check

HEAD = """import numpy as np
import unisycl as sycl
CASE = {{'kind': {kind!r}, 'span': {span}, 'local': {local}, 'size': 200, 'seed': 1,
        'reductions': {reductions}}}
"""


def same(kernel: str, kind: str = "nd_range", span: tuple[int, ...] = (66,),
         local: tuple[int, ...] = (33,), reductions: tuple[object, ...] = ()) -> None:
    """Assert that a kernel gives the host's answer."""
    check(HEAD.format(kind=kind, span=span, local=local, reductions=reductions) + kernel)


def test_an_exclusive_scan_starts_from_the_operators_identity() -> None:
    for op, dtype in (("plus", "int8"), ("minimum", "uint16"), ("maximum", "float32"),
                      ("bit_and", "uint32"), ("multiplies", "int64")):
        same(f"""
def kernel(it, a_{dtype}, o_{dtype}):
    i = it.get_global_linear_id()
    o_{dtype}[i] = sycl.exclusive_scan_over_group(it.get_group(), a_{dtype}[i], sycl.{op})
""")


def test_scans_of_bools() -> None:
    same("""
@sycl.kernel(reqd_sub_group_size=8)
def kernel(it, a_bool, o0_bool, o1_bool):
    i = it.get_global_linear_id()
    o0_bool[i] = sycl.inclusive_scan_over_group(it.get_group(), a_bool[i], sycl.logical_and)
    o1_bool[i] = sycl.inclusive_scan_over_group(it.get_sub_group(), a_bool[i], sycl.logical_or)
""")


def test_a_scan_nobody_reads() -> None:
    same("""
def kernel(it, a_int32):
    sycl.inclusive_scan_over_group(it.get_group(), a_int32[it.get_global_id(0)], sycl.plus)
""")


def test_a_break_of_an_inner_unrolled_loop_does_not_bring_back_items_that_returned() -> None:
    same("""
def kernel(it, a_int32, o_int32):
    for t in (1, 2):
        for u in (3, 4):
            if a_int32[it] > u:
                return
            if t == 1:
                break
        o_int32[it] = np.int32(t)
""", "range", (33,), (1,))


def test_atomics_at_group_scope_happen_once() -> None:
    same("""
def kernel(it, cadd_int64, cmax_int32):
    order, scope = sycl.memory_order.relaxed, sycl.memory_scope.device
    sycl.atomic_ref(cadd_int64, 0, order, scope).fetch_add(3)
    sycl.atomic_ref(cadd_int64, 1, order, scope).fetch_sub(5)
    sycl.atomic_ref(cmax_int32, 2, order, scope).fetch_max(99)
""", "work_group", (3,), (8,))


def test_a_later_return_of_the_rest_keeps_the_results_of_those_who_left() -> None:
    same("""
def h(x):
    for j in range(4):
        if j == 2:
            return np.int32(100)
        if x > np.int32(j):
            return np.int32(j)
    return np.int32(7)


def kernel(it, a_int32, o_int32):
    o_int32[it] = h(a_int32[it])
""", "range", (50,), (1,))


def test_what_one_sub_group_assigns_stays_its_own() -> None:
    same("""
@sycl.kernel(reqd_sub_group_size=8)
def kernel(it, o_int32):
    x = np.int32(1)
    if it.get_sub_group().get_group_linear_id() == 1:
        x = np.int32(2)
    sycl.group_barrier(it.get_group())
    o_int32[it.get_global_linear_id()] = x
""")


def test_a_whole_group_returns_from_a_function_with_barriers() -> None:
    same("""
def h(it, g):
    sycl.group_barrier(it.get_group())
    if g == 1:
        return np.int32(1)
    sycl.group_barrier(it.get_group())
    return np.int32(2)


def kernel(it, o_int32):
    o_int32[it.get_global_linear_id()] = h(it, it.get_group().get_group_id(0))
""")


def test_items_continue_one_by_one_in_a_loop_with_a_barrier() -> None:
    same("""
def kernel(it, a_int32, o_int32):
    i = it.get_global_linear_id()
    x = np.int32(0)
    for j in range(3):
        sycl.group_barrier(it.get_group())
        if a_int32[i] > j:
            if a_int32[i + j] > 2:
                continue
            x += np.int32(10)
        x += np.int32(1)
    o_int32[i] = x
""")


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")  # no first turn is left early
def test_a_value_left_over_by_an_earlier_iteration_is_the_sub_groups_own() -> None:
    same("""
@sycl.kernel(reqd_sub_group_size=8)
def kernel(it, a_int32, n0, o_int32):
    i = it.get_global_linear_id()
    y = np.int32(0)
    for j in range(3):
        sycl.group_barrier(it.get_group())
        for t in (1, 2):
            if j == 2:
                break
            x = a_int32[i + j]
        y += x
    o_int32[i] = y
""")


def test_a_condition_of_memory_asks_only_items_there_are() -> None:
    same("""
def kernel(it, a_int32, rows_int64, o_int32, t_int64):
    l = it.get_local_id(0)
    t_int64[l] = rows_int64[l]
    sycl.group_barrier(it.get_group())
    if a_int32[t_int64[l]] * 0 == 0:
        sycl.group_barrier(it.get_group())
        o_int32[it.get_global_id(0)] = 1
""", span=(6,), local=(3,))


def test_a_loop_no_item_reaches_does_not_run() -> None:
    same("""
def kernel(it, a_int64, o_int32):
    for j in range(2):
        if it.get_id(0) % 8 < 2:
            return
    k = 0
    while k < 5:
        k += (abs(a_int64[3]) % 3) + 1
    for j in range(abs(a_int64[4]) % 5):
        o_int32[it.get_id(0)] += np.int32(j)
""", "range", (33,), (1,))


def test_a_branch_no_item_reaches_is_harmless() -> None:
    same("""
def kernel(it, a_bool, o_int32):
    def body(hi):
        l = hi.get_logical_local_id(0)
        if l % 8 < 2:
            return
        if a_bool[2] or not a_bool[2]:
            while True:
                break
        o_int32[l] = 1
    it.parallel_for_work_item(33, body)
""", "work_group", (1,), (33,))


def test_items_that_are_switched_off_add_nothing_to_a_reduction() -> None:
    same("""
def kernel(it, red0, red1, a_int32):
    red0.combine(np.int32(5))
    red1.combine(abs(a_int32[it] % 50) + 3)
""", "range", (33,), (1,), (("int32", "plus", None), ("int32", "minimum", None)))


def test_a_last_sub_group_of_one_item_stores_one_element() -> None:
    same("""
@sycl.kernel(reqd_sub_group_size=2)
def kernel(it, a_int64, o_uint8, o_uint16, o_uint32):
    i = it.get_global_linear_id()
    o_uint8[i] = np.uint8(a_int64[i])
    o_uint16[i] = np.uint16(a_int64[i])
    o_uint32[i] = np.uint32(a_int64[i])
""", span=(34,), local=(17,))


def test_unary_operators_of_unsigned_constants_wrap() -> None:
    same("""
def kernel(it, o_uint32, o_uint8):
    o_uint32[it] = -np.uint32(2)
    o_uint8[it] = ~np.uint8(1)
""", "range", (5,), (1,))


def test_what_is_assigned_before_a_continue_of_an_unrolled_loop_stays() -> None:
    same("""
def kernel(it, a_int32, v2_uint32, v2p_uint32, o0_int32, o1_int32):
    i = it.get_global_linear_id()
    z = sycl.uint2(v2_uint32[i])
    t = (a_int32[i + 1], a_int32[i + 2])
    for k in (0, 1):
        if a_int32[i] > k:
            z = sycl.uint2(z ^ 2)
            t = (t[1], a_int32[i + k])
            continue
        y = sycl.int2(k, a_int32[i])
        if a_int32[i] < 2:
            break
    v2p_uint32[i] = z
    o0_int32[i] = t[0] + 3 * t[1]
""")


def test_an_element_changed_at_an_index_of_run_time_is_read_at_that_index() -> None:
    same("""
def kernel(it, a_uint8, idx_int32, y2_uint8, y2p_uint8, p0):
    i = it.get_global_linear_id()
    z = sycl.marray(np.uint8, 2)(y2_uint8[i])
    for k in range(3):
        if idx_int32[i + k] % 2 == 0:
            z[(p0 + k) % 2] ^= a_uint8[i]
        else:
            z[(i + k) % 2] += abs(a_uint8[7])
    y2p_uint8[i] = z
""")


def test_a_loop_over_values_has_those_from_before_the_loop() -> None:
    same("""
def kernel(it, a_int32, o_int32):
    i = it.get_global_linear_id()
    x = a_int32[i]
    y = (x, a_int32[i + 1])
    for k, v in enumerate((x, x + 1, y[0], a_int32[i])):
        x += 7
        y = (y[1], v)
        o_int32[i] += v * k
    for v in y:
        y = (y[1], v)
        o_int32[i] += v * 3
""")


def test_what_an_atomic_gives_at_group_scope_is_the_groups() -> None:
    same("""
def kernel(it, cxor_uint64, cadd_int32, o_int32):
    order, scope = sycl.memory_order.relaxed, sycl.memory_scope.device
    one = sycl.atomic_ref(cxor_uint64, it.get_group_linear_id(), order, scope)
    old = one.load()
    while True:
        done, old = one.compare_exchange_strong(old, old ^ 4)
        if done:
            break
    turn = sycl.atomic_ref(cadd_int32, it.get_group_linear_id(), order, scope).fetch_add(2)
    if turn != 1000:
        def body(hi):
            o_int32[it.get_group_linear_id() * 8 + hi.get_local_id(0)] = turn
        it.parallel_for_work_item(body)
""", "work_group", (3,), (8,))


def test_constants_of_64_bits_are_multiplied_beside_a_barrier() -> None:
    same("""
def kernel(it, a_uint64, o_uint64):
    i = it.get_global_linear_id()
    v = ~np.uint64(3) >> 9
    pair = -sycl.vec(np.uint64, 2)(v, v) | 2
    w = pair.x * v
    it.barrier()
    o_uint64[i] = a_uint64[i] ^ w
""")
