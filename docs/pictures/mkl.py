"""Draw mkl.png: a spectrum, a spline and a solution with a sparse matrix, by oneMKL's routines."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

import unisycl as sycl
from unisycl.oneapi import mkl

mpl.use("Agg")
from matplotlib import pyplot as plt

queue, n = sycl.queue(), 1000
rng = np.random.default_rng(2)
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 2.8))

time = np.arange(n) / n
signal = np.sin(2 * np.pi * 50 * time) + 0.5 * np.sin(2 * np.pi * 120 * time)
signal += rng.standard_normal(n)
spectrum = np.zeros(n // 2 + 1, np.complex128)
transform = mkl.dft.descriptor(mkl.dft.precision.DOUBLE, mkl.dft.domain.REAL, n)
transform.commit(queue)
mkl.dft.compute_forward(transform, signal, spectrum).wait()
left.plot(np.abs(spectrum)[:200] * 2 / n, lw=1)
left.set_title("mkl.dft: waves in noise")
left.set_xlabel("frequency")

fitting = mkl.data_fitting
x, y = np.array([0.0, 1, 2, 3, 4, 5, 6]), np.array([0.0, 0, 0, 1, 1, 1, 1])
sites = np.linspace(0, 6, 200)
for name in ("natural", "akima"):
    curve = fitting.spline(queue, getattr(fitting.cubic_spline, name))
    curve.set_partitions(x, x.size).set_function_values(y)
    curve.set_coefficients(np.zeros(curve.get_required_coeffs_size()))
    curve.construct()
    found = np.zeros(sites.size)
    fitting.interpolate(curve, sites, sites.size, found).wait()
    middle.plot(sites, found, lw=1, label=name)
middle.plot(x, y, "k.")
middle.legend(fontsize=8)
middle.set_title("mkl.data_fitting: cubic splines")

side, zero = 40, mkl.index_base.zero
links = [(i, i, 4.0) for i in range(side * side)]
links += [(i, j, -1.0) for i in range(side * side) for j in (i - 1, i + 1, i - side, i + side)
          if 0 <= j < side * side and (abs(i - j) == side or i // side == j // side)]
rows, columns, values = (np.array(v) for v in zip(*links, strict=True))
matrix = mkl.sparse.init_matrix_handle()
mkl.sparse.set_coo_data(queue, matrix, side * side, side * side, len(links), zero,
                        rows.astype(np.int32), columns.astype(np.int32), values)
heat, warmed = np.zeros(side * side), np.zeros(side * side)
source = np.zeros(side * side)
source[[side * 10 + 12, side * 28 + 25]] = 1
for _ in range(400):  # Jacobi's iteration: heat += (source - matrix @ heat) / 4
    mkl.sparse.gemv(queue, mkl.transpose.nontrans, 1.0, matrix, heat, 0.0, warmed).wait()
    mkl.vm.sub(queue, heat.size, source, warmed, warmed).wait()
    mkl.blas.axpy(queue, heat.size, 0.25, warmed, 1, heat, 1).wait()
right.imshow(heat.reshape(side, side), cmap="inferno")
right.set_title("mkl.sparse: heat of two sources")
right.set_axis_off()
figure.tight_layout()
figure.savefig(Path(__file__).with_suffix(".png"), dpi=80)
