"""The kernels in Warp, whose CPU device runs on one thread.

Imported in Warp's process only. Annotations are part of its language, so they are not deferred
here. Each kernel takes the operands of its benchmark in order.
"""

import warp as wp

F32, F64, I32 = (wp.array(dtype=t) for t in (wp.float32, wp.float64, wp.int32))
GRID, IMAGE = wp.array2d(dtype=wp.float32), wp.array2d(dtype=wp.int32)


@wp.kernel
def copy_f32(a: F32, c: F32):
    i = wp.tid()
    c[i] = a[i]


@wp.kernel
def copy_f64(a: F64, c: F64):
    i = wp.tid()
    c[i] = a[i]


@wp.kernel
def mul_f32(a: F32, c: F32, s: wp.float32):
    i = wp.tid()
    c[i] = s * a[i]


@wp.kernel
def mul_f64(a: F64, c: F64, s: wp.float64):
    i = wp.tid()
    c[i] = s * a[i]


@wp.kernel
def add_f32(a: F32, b: F32, c: F32):
    i = wp.tid()
    c[i] = a[i] + b[i]


@wp.kernel
def add_f64(a: F64, b: F64, c: F64):
    i = wp.tid()
    c[i] = a[i] + b[i]


@wp.kernel
def triad_f32(a: F32, b: F32, c: F32, s: wp.float32):
    i = wp.tid()
    c[i] = a[i] + s * b[i]


@wp.kernel
def triad_f64(a: F64, b: F64, c: F64, s: wp.float64):
    i = wp.tid()
    c[i] = a[i] + s * b[i]


@wp.kernel
def mandelbrot(image: IMAGE, limit: wp.int32, left: wp.float32, top: wp.float32,
               step: wp.float32):
    y, x = wp.tid()
    c_re = wp.float32(x) * step + left
    c_im = wp.float32(y) * step + top
    re = wp.float32(0.0)
    im = wp.float32(0.0)
    n = wp.int32(0)
    while n < limit and re * re + im * im <= 4.0:
        t = re * re - im * im + c_re
        im = 2.0 * re * im + c_im
        re = t
        n += 1
    image[y, x] = n


@wp.kernel
def nbody(x: F32, y: F32, z: F32, m: F32, ax: F32, ay: F32, az: F32, n: wp.int32):
    i = wp.tid()
    fx = wp.float32(0.0)
    fy = wp.float32(0.0)
    fz = wp.float32(0.0)
    for j in range(n):
        dx = x[j] - x[i]
        dy = y[j] - y[i]
        dz = z[j] - z[i]
        near = 1.0 / wp.sqrt(dx * dx + dy * dy + dz * dz + 1.0e-3)
        pull = m[j] * near * near * near
        fx += pull * dx
        fy += pull * dy
        fz += pull * dz
    ax[i] = fx
    ay[i] = fy
    az[i] = fz


@wp.kernel
def matmul(left: GRID, right: GRID, out: GRID, n: wp.int32):
    row, column = wp.tid()
    total = wp.float32(0.0)
    for k in range(n):
        total += left[row, k] * right[k, column]
    out[row, column] = total


@wp.kernel
def stencil(u: GRID, out: GRID, alpha: wp.float32):
    y, x = wp.tid()
    y += 1
    x += 1
    here = u[y, x]
    out[y, x] = here + alpha * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1] - 4.0 * here)


@wp.func
def normal(d: wp.float32):
    k = 1.0 / (1.0 + 0.2316419 * wp.abs(d))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
        -1.821255978 + k * 1.330274429))))
    tail = 0.39894228 * wp.exp(-0.5 * d * d) * poly
    return wp.where(d > 0.0, 1.0 - tail, tail)


@wp.kernel
def black_scholes(price: F32, strike: F32, years: F32, call: F32, put: F32, rate: wp.float32,
                  volatility: wp.float32):
    i = wp.tid()
    s = price[i]
    x = strike[i]
    t = years[i]
    spread = volatility * wp.sqrt(t)
    d1 = (wp.log(s / x) + (rate + 0.5 * volatility * volatility) * t) / spread
    n1 = normal(d1)
    n2 = normal(d1 - spread)
    discounted = x * wp.exp(-rate * t)
    call[i] = s * n1 - discounted * n2
    put[i] = discounted * (1.0 - n2) - s * (1.0 - n1)


@wp.kernel
def transpose(matrix: GRID, out: GRID):
    y, x = wp.tid()
    out[x, y] = matrix[y, x]


@wp.kernel
def spmv(starts: I32, columns: I32, values: F32, x: F32, y: F32):
    row = wp.tid()
    total = wp.float32(0.0)
    for k in range(starts[row], starts[row + 1]):
        total += values[k] * x[columns[k]]
    y[row] = total


@wp.kernel
def gather(values: F32, index: I32, out: F32):
    i = wp.tid()
    out[i] = values[index[i]]


@wp.kernel
def scatter(values: F32, index: I32, out: F32):
    i = wp.tid()
    out[index[i]] = values[i]


@wp.kernel
def touch(out: F32):
    out[wp.tid()] = 1.0


@wp.kernel
def mark(values: F32, node: wp.int32):
    values[node + 1] = wp.float32(node + 1)


@wp.kernel
def follow(values: F32, node: wp.int32):
    values[node + 1] = values[node] + 1.0
