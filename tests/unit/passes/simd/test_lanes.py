"""How many lanes kernels have that step over the launch, or whose groups have odd rows."""

from __future__ import annotations

import numpy as np

import unisycl as sycl
from unisycl.backends.cpu.emit.widths import choose_lanes
from unisycl.frontend.specialize import specialize

z = np.zeros((64, 64))
x, y = (np.zeros(4096, np.float64) for _ in range(2))


def lanes(function: object, *local: int) -> int:
    local = local or (256,)
    return choose_lanes(specialize(function, "nd_range", len(local), (), (), local).kernel, 512)


def test_steps_of_the_whole_launch_take_more_of_each_page() -> None:
    def summed(it):  # type: ignore[no-untyped-def]
        total = 0.0
        for i in range(it.get_global_id(0), 4096, it.get_global_range(0)):
            total += x[i]
        y[it.get_global_id(0)] = total
    assert lanes(summed) == 64


def test_steps_of_one_and_questions_about_sub_groups_keep_two_vectors() -> None:
    def rows(it):  # type: ignore[no-untyped-def]
        total = 0.0
        for i in range(it.get_local_id(0), 4096):
            total += x[i]
        y[it.get_global_id(0)] = total

    def shared(it):  # type: ignore[no-untyped-def]
        total = 0.0
        for i in range(it.get_global_id(0), 4096, it.get_global_range(0)):
            total += x[i]
        y[it.get_global_id(0)] = sycl.reduce_over_group(it.get_sub_group(), total, sycl.plus)
    assert lanes(rows) == 16
    assert lanes(shared) == 16


def test_items_run_one_by_one_where_rows_end_within_vectors_and_all_is_gathered() -> None:
    def tile(it):  # type: ignore[no-untyped-def]
        row, col = it.get_local_id(0), it.get_local_id(1)
        total = 0.0
        for k in range(8):
            total += z[row, k] * z[k, col]
        z[row, col] = total
    assert lanes(tile, 5, 5) == 1
    assert lanes(tile, 8, 8) == 8


def test_rows_of_a_sparse_matrix_run_one_by_one_in_groups_unless_items_of_groups_meet() -> None:
    starts, columns = np.zeros(257, np.int32), np.zeros(999, np.int32)

    def rows(it):  # type: ignore[no-untyped-def]
        i = it.get_global_id(0)
        if i < 250:
            total = 0.0
            for k in range(starts[i], starts[i + 1]):
                total += x[k] * y[columns[k]]
            x[i] = total

    def shared(it):  # type: ignore[no-untyped-def]
        rows(it)
        y[it.get_global_id(0)] = sycl.reduce_over_group(it.get_group(), x[0], sycl.plus)
    assert lanes(rows) == 1
    assert lanes(shared) > 1


def of_range(function: object, ndim: int, bits: int) -> int:
    return choose_lanes(specialize(function, "range", ndim).kernel, bits)


def test_loops_that_go_down_several_rows_take_lines_that_follow_one_another() -> None:
    u, v, w = (np.zeros((64, 4096)) for _ in range(3))

    def down(i):  # type: ignore[no-untyped-def]
        w[0, i] = u[0, i]
        for k in range(1, 64):
            m = v[k, i] - u[k, i] * w[k - 1, i]
            w[k, i] = u[k, i] / m

    def along(i):  # type: ignore[no-untyped-def]
        for k in range(1, 64):
            w[i, k] = u[i, k] / (v[i, k] - w[i, k - 1])
    assert [of_range(down, 1, bits) for bits in (256, 512)] == [32, 32]
    assert [of_range(along, 1, bits) for bits in (256, 512)] == [8, 16]


def test_registers_are_left_for_rows_that_share_what_they_read() -> None:
    def product(it):  # type: ignore[no-untyped-def]
        i, j = it[0], it[1]
        total = 0.0
        for k in range(64):
            total += z[i, k] * z[k, j]
        z[i, j] = total

    def guarded(it, n):  # type: ignore[no-untyped-def]
        i, j = it[0], it[1]
        if i < n and j < n:
            total = 0.0
            for k in range(n):
                total += z[i, k] * z[k, j]
            z[i, j] = total
    guarded_kernel = specialize(guarded, "range", 2, (64,)).kernel
    assert [of_range(product, 2, bits) for bits in (256, 512)] == [8, 32]
    assert [choose_lanes(guarded_kernel, bits) for bits in (256, 512)] == [8, 32]


def test_loops_that_data_ends_have_two_vectors_also_where_a_few_registers_are_short() -> None:
    f = np.float32
    picture = np.zeros(64, np.int32)

    def escape(i):  # type: ignore[no-untyped-def]
        cx, cy = f(i) * f(0.01), f(0.3)
        zx = zy = f(0)
        count = 0
        while count < 256 and zx * zx + zy * zy <= f(4):
            zx, zy = zx * zx - zy * zy + cx, f(2) * zx * zy + cy
            count += 1
        picture[i] = count

    def full(i):  # type: ignore[no-untyped-def]
        a = b = c = d = e = g = h = k = m = p = q = r = s = t = f(i)
        count = 0
        while count < 256 and a < f(4):
            a, b, c, d, e, g, h = b + a, c + b, d + c, e + d, g + e, h + g, k + h
            k, m, p, q, r, s, t = m + k, p + m, q + p, r + q, s + r, t + s, a + t
            count += 1
        picture[i] = int(a + b + c + d + e + g + h + k + m + p + q + r + s + t)

    assert [of_range(escape, 1, bits) for bits in (256, 512)] == [16, 32]
    assert of_range(full, 1, 256) == 8


def test_loops_with_branches_of_lanes_have_two_vectors_where_more_are_short() -> None:
    f = np.float32
    px, py, pz, mass, out = (np.zeros(256, f) for _ in range(5))

    def near(i, cut):  # type: ignore[no-untyped-def]
        fx, fy, fz, energy = f(0), f(0), f(0), f(0)
        for j in range(256):
            dx, dy, dz = px[i] - px[j], py[i] - py[j], pz[i] - pz[j]
            apart = dx * dx + dy * dy + dz * dz
            if apart < cut and apart > f(0):
                pull = mass[j] * sycl.exp(-apart)
                fx += pull * dx
                fy += pull * dy
                fz += pull * dz
                energy += pull * apart
        out[i] = fx + fy + fz + energy

    def every(i, cut):  # type: ignore[no-untyped-def]
        fx, fy, fz, energy = f(0), f(0), f(0), f(0)
        for j in range(256):
            dx, dy, dz = px[i] - px[j], py[i] - py[j], pz[i] - pz[j]
            apart = dx * dx + dy * dy + dz * dz + cut
            pull = mass[j] * sycl.exp(-apart)
            fx += pull * dx
            fy += pull * dy
            fz += pull * dz
            energy += pull * apart
        out[i] = fx + fy + fz + energy
    chosen = [choose_lanes(specialize(function, "range", 1, (f(1),)).kernel, 256)
              for function in (near, every)]
    assert chosen == [16, 8]
