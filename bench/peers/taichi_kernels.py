"""The kernels in Taichi: its outermost loops run over threads; NumPy arrays are used in place.

Imported in Taichi's process only, after ``ti.init``. Annotations are part of its language, so they
are not deferred here. Each kernel takes the operands of its benchmark in order.
"""

import taichi as ti

F32, F64 = ti.types.ndarray(dtype=ti.f32, ndim=1), ti.types.ndarray(dtype=ti.f64, ndim=1)
I32, U8, U32 = (ti.types.ndarray(dtype=t, ndim=1) for t in (ti.i32, ti.u8, ti.u32))
GRID, IMAGE = (ti.types.ndarray(dtype=t, ndim=2) for t in (ti.f32, ti.i32))


@ti.kernel
def copy_f32(a: F32, c: F32):
    for i in a:
        c[i] = a[i]


@ti.kernel
def copy_f64(a: F64, c: F64):
    for i in a:
        c[i] = a[i]


@ti.kernel
def mul_f32(a: F32, c: F32, s: ti.f32):
    for i in a:
        c[i] = s * a[i]


@ti.kernel
def mul_f64(a: F64, c: F64, s: ti.f64):
    for i in a:
        c[i] = s * a[i]


@ti.kernel
def add_f32(a: F32, b: F32, c: F32):
    for i in a:
        c[i] = a[i] + b[i]


@ti.kernel
def add_f64(a: F64, b: F64, c: F64):
    for i in a:
        c[i] = a[i] + b[i]


@ti.kernel
def triad_f32(a: F32, b: F32, c: F32, s: ti.f32):
    for i in a:
        c[i] = a[i] + s * b[i]


@ti.kernel
def triad_f64(a: F64, b: F64, c: F64, s: ti.f64):
    for i in a:
        c[i] = a[i] + s * b[i]


@ti.kernel
def total_f32(a: F32, b: F32) -> ti.f32:
    total = ti.f32(0.0)
    for i in a:
        total += a[i] * b[i]
    return total


@ti.kernel
def total_f64(a: F64, b: F64) -> ti.f64:
    total = ti.f64(0.0)
    for i in a:
        total += a[i] * b[i]
    return total


def dot_f32(a, b, out):
    out[0] = total_f32(a, b)


def dot_f64(a, b, out):
    out[0] = total_f64(a, b)


@ti.kernel
def total(values: F32) -> ti.f32:
    total = ti.f32(0.0)
    for i in values:
        total += values[i]
    return total


def sum_all(values, out):
    out[0] = total(values)


@ti.kernel
def mandelbrot(image: IMAGE, limit: ti.i32, left: ti.f32, top: ti.f32, step: ti.f32):
    for y, x in image:
        c_re = ti.f32(x) * step + left
        c_im = ti.f32(y) * step + top
        re = ti.f32(0.0)
        im = ti.f32(0.0)
        n = 0
        while n < limit and re * re + im * im <= 4:
            t = re * re - im * im + c_re
            im = 2 * re * im + c_im
            re = t
            n += 1
        image[y, x] = n


@ti.kernel
def nbody(x: F32, y: F32, z: F32, m: F32, ax: F32, ay: F32, az: F32, n: ti.i32):
    for i in range(n):
        xi, yi, zi = x[i], y[i], z[i]
        fx, fy, fz = ti.f32(0.0), ti.f32(0.0), ti.f32(0.0)
        for j in range(n):
            dx, dy, dz = x[j] - xi, y[j] - yi, z[j] - zi
            near = ti.rsqrt(dx * dx + dy * dy + dz * dz + 1e-3)
            pull = m[j] * near * near * near
            fx += pull * dx
            fy += pull * dy
            fz += pull * dz
        ax[i] = fx
        ay[i] = fy
        az[i] = fz


@ti.kernel
def matmul(left: GRID, right: GRID, out: GRID, n: ti.i32):
    for row, column in out:
        total = ti.f32(0.0)
        for k in range(n):
            total += left[row, k] * right[k, column]
        out[row, column] = total


@ti.kernel
def stencil(u: GRID, out: GRID, alpha: ti.f32):
    for y, x in ti.ndrange((1, u.shape[0] - 1), (1, u.shape[1] - 1)):
        here = u[y, x]
        out[y, x] = here + alpha * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1]
                                    - 4 * here)


@ti.func
def normal(d):
    k = 1 / (1 + 0.2316419 * abs(d))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
        -1.821255978 + k * 1.330274429))))
    tail = 0.39894228 * ti.exp(-0.5 * d * d) * poly
    return ti.select(d > 0, 1 - tail, tail)


@ti.kernel
def black_scholes(price: F32, strike: F32, years: F32, call: F32, put: F32, rate: ti.f32,
                  volatility: ti.f32):
    for i in price:
        s, x, t = price[i], strike[i], years[i]
        spread = volatility * ti.sqrt(t)
        d1 = (ti.log(s / x) + (rate + 0.5 * volatility * volatility) * t) / spread
        n1, n2 = normal(d1), normal(d1 - spread)
        discounted = x * ti.exp(-rate * t)
        call[i] = s * n1 - discounted * n2
        put[i] = discounted * (1 - n2) - s * (1 - n1)


@ti.kernel
def histogram(values: U8, bins: U32):
    for b in range(256):
        bins[b] = ti.u32(0)
    for i in values:
        ti.atomic_add(bins[ti.i32(values[i])], ti.u32(1))


@ti.kernel
def transpose(matrix: GRID, out: GRID):
    for y, x in matrix:
        out[x, y] = matrix[y, x]


@ti.kernel
def spmv(starts: I32, columns: I32, values: F32, x: F32, y: F32):
    for row in y:
        total = ti.f32(0.0)
        for k in range(starts[row], starts[row + 1]):
            total += values[k] * x[columns[k]]
        y[row] = total


@ti.kernel
def gather(values: F32, index: I32, out: F32):
    for i in out:
        out[i] = values[index[i]]


@ti.kernel
def scatter(values: F32, index: I32, out: F32):
    for i in out:
        out[index[i]] = values[i]


@ti.kernel
def touch(out: F32):
    for i in out:
        out[i] = 1


@ti.kernel
def mark(values: F32, node: ti.i32):
    for i in range(node + 1, node + 2):
        values[i] = node + 1


@ti.kernel
def follow(values: F32, node: ti.i32):
    for i in range(node + 1, node + 2):
        values[i] = values[i - 1] + 1
