"""Kernels of the corpus in Warp, whose CPU device has one thread, over NumPy arrays in place.

Imported in Warp's process only. ``bind_NAME`` takes an entry's operands and returns one run.
"""

import numpy as np
import warp as wp

wp.config.quiet = True
wp.init()

A1, A2, A3 = (wp.array(dtype=wp.float32, ndim=k) for k in (1, 2, 3))
D1, D2, D3 = (wp.array(dtype=wp.float64, ndim=k) for k in (1, 2, 3))


def on(array):
    return wp.array(array, dtype=wp.dtype_from_numpy(array.dtype), device="cpu", copy=False)


def bind(*launches):
    """Return what launches kernels: tuples of a kernel, its range and its arguments."""
    memory = {}

    def placed(argument):
        if not isinstance(argument, np.ndarray):
            return argument
        return memory.setdefault(id(argument), on(argument))

    ready = [(kernel, space, [placed(a) for a in args]) for kernel, space, *args in launches]

    def run():
        for kernel, space, args in ready:
            wp.launch(kernel, space, inputs=args, device="cpu")

    return run


@wp.kernel
def daxpy(y: D1, x: D1, a: wp.float64):
    i = wp.tid()
    y[i] = y[i] + a * x[i]


def bind_daxpy(d):
    return bind((daxpy, d.n, d.y, d.x, d.a))


@wp.kernel
def jacobi_2d(a: D2, b: D2):
    i, j = wp.tid()
    i += 1
    j += 1
    b[i, j] = wp.float64(0.2) * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])


def bind_jacobi_2d(d):
    space = (d.a.shape[0] - 2, d.a.shape[1] - 2)
    return bind((jacobi_2d, space, d.a, d.b), (jacobi_2d, space, d.b, d.a))


@wp.kernel
def heat_3d(a: D3, b: D3):
    i, j, k = wp.tid()
    i += 1
    j += 1
    k += 1
    here = wp.float64(2.0) * a[i, j, k]
    w = wp.float64(0.125)
    b[i, j, k] = (w * (a[i + 1, j, k] - here + a[i - 1, j, k])
                  + w * (a[i, j + 1, k] - here + a[i, j - 1, k])
                  + w * (a[i, j, k + 1] - here + a[i, j, k - 1]) + a[i, j, k])


def bind_heat_3d(d):
    space = tuple(s - 2 for s in d.a.shape)
    return bind((heat_3d, space, d.a, d.b), (heat_3d, space, d.b, d.a))


@wp.kernel
def mandelbrot(image: wp.array2d(dtype=wp.int32), step: wp.float32, limit: wp.int32):
    y, x = wp.tid()
    cx = -2.0 + wp.float32(x) * step
    cy = -1.0 + wp.float32(y) * step
    a = cx
    b = cy
    n = wp.int32(0)
    while n < limit and a * a + b * b <= 4.0:
        t = a * a - b * b + cx
        b = 2.0 * a * b + cy
        a = t
        n += 1
    image[y, x] = n


def bind_mandelbrot(d):
    return bind((mandelbrot, d.image.shape, d.image, d.step, 256))


@wp.func
def normal(x: wp.float32):
    k = 1.0 / (1.0 + 0.2316419 * wp.abs(x))
    w = (((1.330274429 * k - 1.821255978) * k + 1.781477937) * k - 0.356563782) * k
    w = (w + 0.319381530) * k * 0.39894228040 * wp.exp(-x * x * 0.5)
    return wp.where(x > 0.0, 1.0 - w, w)


@wp.kernel
def options(out: A1, sa: A1, xa: A1, ta: A1, ra: A1, va: A1):
    i = wp.tid()
    s, x, t, r, v = sa[i], xa[i], ta[i], ra[i], va[i]
    d1 = (wp.log(s / x) + (r + v * v * 0.5) * t) / (v * wp.sqrt(t))
    d2 = d1 - v * wp.sqrt(t)
    out[i] = s * normal(d1) - x * wp.exp(-r * t) * normal(d2)


def bind_options(d):
    return bind((options, d.n, d.out, d.s, d.x, d.t, d.r, d.v))


@wp.kernel
def sgemm(a: A2, b: A2, c: A2, n: wp.int32):
    m, k = wp.tid()
    total = wp.float32(0.0)
    for j in range(n):
        total += a[m, j] * b[j, k]
    c[m, k] = total


def bind_sgemm(d):
    return bind((sgemm, (d.n, d.n), d.a, d.b, d.c, d.n))


@wp.kernel
def hotspot(temp: A2, power: A2, out: A2, step: wp.float32, rx: wp.float32, ry: wp.float32,
            rz: wp.float32, ambient: wp.float32):
    r, c = wp.tid()
    here = temp[r, c]
    up = temp[wp.max(r - 1, 0), c]
    down = temp[wp.min(r + 1, temp.shape[0] - 1), c]
    left = temp[r, wp.max(c - 1, 0)]
    right = temp[r, wp.min(c + 1, temp.shape[1] - 1)]
    out[r, c] = here + step * (power[r, c] + (down + up - 2.0 * here) * ry
                               + (right + left - 2.0 * here) * rx + (ambient - here) * rz)


def bind_hotspot(d):
    return bind((hotspot, d.temp.shape, d.temp, d.power, d.out, *d.k))


@wp.kernel
def copy(out: A2, a: A2):
    y, x = wp.tid()
    out[y, x] = a[y, x]


def bind_copy(d):
    return bind((copy, d.a.shape, d.out, d.a))


@wp.kernel
def heat(out: A2, a: A2, alpha: wp.float32):
    y, x = wp.tid()
    y += 1
    x += 1
    out[y, x] = a[y, x] + alpha * (a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1]
                                   - 4.0 * a[y, x])


def bind_heat(d):
    return bind((heat, (d.n - 2, d.n - 2), d.out, d.a, d.alpha))


@wp.kernel
def polynomial(out: A1, a: A1):
    i = wp.tid()
    x = a[i]
    out[i] = ((x * 0.3 - 0.2) * x + 0.1) * x - 0.5


def bind_polynomial(d):
    return bind((polynomial, d.n, d.out, d.a))


@wp.kernel
def kmeans(features: A2, centres: A2, member: wp.array1d(dtype=wp.int32)):
    i = wp.tid()
    nearest = wp.int32(0)
    best = wp.float32(3.4e38)
    for c in range(centres.shape[0]):
        distance = wp.float32(0.0)
        for f in range(centres.shape[1]):
            v = features[f, i] - centres[c, f]
            distance += v * v
        if distance < best:
            best = distance
            nearest = c
    member[i] = nearest


def bind_kmeans(d):
    return bind((kmeans, d.n, d.features, d.centres, d.member))


@wp.kernel
def nn(places: A2, out: A1, lat: wp.float32, lng: wp.float32):
    i = wp.tid()
    x = places[i, 0]
    y = places[i, 1]
    out[i] = wp.sqrt((lat - x) * (lat - x) + (lng - y) * (lng - y))


def bind_nn(d):
    return bind((nn, d.n, d.places, d.out, d.lat, d.lng))
