"""Kernels of the corpus in Taichi, over NumPy arrays that it uses in place.

Imported in Taichi's process only. ``run_NAME`` takes the operands of an entry.
"""

import taichi as ti

ti.init(arch=ti.cpu, log_level=ti.ERROR, fast_math=True)

A32 = ti.types.ndarray(dtype=ti.f32)
A64 = ti.types.ndarray(dtype=ti.f64)
I32 = ti.types.ndarray(dtype=ti.i32)


@ti.kernel
def daxpy(y: A64, x: A64, a: ti.f64):
    for i in range(y.shape[0]):
        y[i] += a * x[i]


def run_daxpy(d):
    daxpy(d.y, d.x, d.a)


@ti.kernel
def jacobi_2d(a: A64, b: A64, w: ti.f64):
    for i, j in ti.ndrange((1, a.shape[0] - 1), (1, a.shape[1] - 1)):
        b[i, j] = w * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])


def run_jacobi_2d(d):
    jacobi_2d(d.a, d.b, 0.2)
    jacobi_2d(d.b, d.a, 0.2)


@ti.kernel
def heat_3d(a: A64, b: A64):
    n = a.shape[0]
    for i, j, k in ti.ndrange((1, n - 1), (1, n - 1), (1, n - 1)):
        b[i, j, k] = (0.125 * (a[i + 1, j, k] - 2.0 * a[i, j, k] + a[i - 1, j, k])
                      + 0.125 * (a[i, j + 1, k] - 2.0 * a[i, j, k] + a[i, j - 1, k])
                      + 0.125 * (a[i, j, k + 1] - 2.0 * a[i, j, k] + a[i, j, k - 1]) + a[i, j, k])


def run_heat_3d(d):
    heat_3d(d.a, d.b)
    heat_3d(d.b, d.a)


@ti.kernel
def mandelbrot(image: I32, step: ti.f32, limit: ti.i32):
    for y, x in ti.ndrange(image.shape[0], image.shape[1]):
        cx, cy = -2.0 + x * step, -1.0 + y * step
        a, b, n = cx, cy, 0
        while n < limit and a * a + b * b <= 4.0:
            a, b = a * a - b * b + cx, 2.0 * a * b + cy
            n += 1
        image[y, x] = n


def run_mandelbrot(d):
    mandelbrot(d.image, d.step, 256)


@ti.func
def normal(x):
    k = 1.0 / (1.0 + 0.2316419 * ti.abs(x))
    w = (((1.330274429 * k - 1.821255978) * k + 1.781477937) * k - 0.356563782) * k
    w = (w + 0.319381530) * k * 0.39894228040 * ti.exp(-x * x * 0.5)
    return ti.select(x > 0.0, 1.0 - w, w)


@ti.kernel
def options(out: A32, sa: A32, xa: A32, ta: A32, ra: A32, va: A32):
    for i in range(out.shape[0]):
        s, x, t, r, v = sa[i], xa[i], ta[i], ra[i], va[i]
        d1 = (ti.log(s / x) + (r + v * v * 0.5) * t) / (v * ti.sqrt(t))
        d2 = d1 - v * ti.sqrt(t)
        out[i] = s * normal(d1) - x * ti.exp(-r * t) * normal(d2)


def run_options(d):
    options(d.out, d.s, d.x, d.t, d.r, d.v)


@ti.kernel
def sgemm(a: A32, b: A32, c: A32, n: ti.i32):
    for m, k in ti.ndrange(n, n):
        total = 0.0
        for j in range(n):
            total += a[m, j] * b[j, k]
        c[m, k] = total


def run_sgemm(d):
    sgemm(d.a, d.b, d.c, d.n)


@ti.kernel
def hotspot(temp: A32, power: A32, out: A32, step: ti.f32, rx: ti.f32, ry: ti.f32, rz: ti.f32,
            ambient: ti.f32):
    rows, columns = temp.shape[0], temp.shape[1]
    for r, c in ti.ndrange(rows, columns):
        here = temp[r, c]
        up, down = temp[ti.max(r - 1, 0), c], temp[ti.min(r + 1, rows - 1), c]
        left, right = temp[r, ti.max(c - 1, 0)], temp[r, ti.min(c + 1, columns - 1)]
        out[r, c] = here + step * (power[r, c] + (down + up - 2.0 * here) * ry
                                   + (right + left - 2.0 * here) * rx + (ambient - here) * rz)


def run_hotspot(d):
    hotspot(d.temp, d.power, d.out, *d.k)


@ti.kernel
def wave(new: A32, a: A32, vsq: A32, c0: ti.f32, c1: ti.f32, c2: ti.f32, c3: ti.f32):
    n = a.shape[0]
    for z, y, x in ti.ndrange((4, n - 4), (4, n - 4), (4, n - 4)):
        total = c0 * a[z, y, x]
        for k, c in ti.static(((1, c1), (2, c2), (3, c3))):
            total += c * (a[z, y, x + k] + a[z, y, x - k] + a[z, y + k, x] + a[z, y - k, x]
                          + a[z + k, y, x] + a[z - k, y, x])
        new[z, y, x] = 2.0 * a[z, y, x] - new[z, y, x] + vsq[z, y, x] * total


def run_wave(d):
    for new, now in ((d.b, d.a), (d.a, d.b)):
        wave(new, now, d.vsq, 0.5, -0.25, 0.125, -0.0625)


@ti.kernel
def kmeans(features: A32, centres: A32, member: I32):
    for i in range(member.shape[0]):
        nearest, best = 0, 3.4e38
        for c in range(centres.shape[0]):
            distance = 0.0
            for f in range(centres.shape[1]):
                v = features[f, i] - centres[c, f]
                distance += v * v
            if distance < best:
                best, nearest = distance, c
        member[i] = nearest


def run_kmeans(d):
    kmeans(d.features, d.centres, d.member)


@ti.kernel
def copy(out: A32, a: A32):
    for y, x in ti.ndrange(a.shape[0], a.shape[1]):
        out[y, x] = a[y, x]


def run_copy(d):
    copy(d.out, d.a)


@ti.kernel
def heat(out: A32, a: A32, alpha: ti.f32):
    for y, x in ti.ndrange((1, a.shape[0] - 1), (1, a.shape[1] - 1)):
        out[y, x] = a[y, x] + alpha * (a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1]
                                       - 4.0 * a[y, x])


def run_heat(d):
    heat(d.out, d.a, d.alpha)


@ti.kernel
def polynomial(out: A32, a: A32):
    for i in range(out.shape[0]):
        x = a[i]
        out[i] = ((x * 0.3 - 0.2) * x + 0.1) * x - 0.5


def run_polynomial(d):
    polynomial(d.out, d.a)


@ti.kernel
def nn(places: A32, out: A32, lat: ti.f32, lng: ti.f32):
    for i in range(out.shape[0]):
        x, y = places[i, 0], places[i, 1]
        out[i] = ti.sqrt((lat - x) * (lat - x) + (lng - y) * (lng - y))


def run_nn(d):
    nn(d.places, d.out, d.lat, d.lng)
