"""``bit_cast`` (SYCL 2020 §3.9.2), and types by OpenCL's names (App. C.7.8)."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import unisycl as sycl

N = 50


@pytest.mark.row("D-53")
def test_patterns_match_struct_pack(queue):
    rng = np.random.default_rng(1)
    f = rng.normal(size=N).astype(np.float32)
    d = rng.normal(size=N)
    outs = (np.zeros(N, np.int32), np.zeros(N, np.uint64), np.zeros(N, sycl.ushort4),
            np.zeros(N, np.float32), np.zeros(N, np.float64), np.zeros(N, sycl.char4))

    def kernel(i):
        outs[0][i] = sycl.bit_cast(np.int32, f[i])
        outs[1][i] = sycl.bit_cast(np.uint64, d[i])
        outs[2][i] = sycl.bit_cast(sycl.ushort4, d[i])
        outs[3][i] = sycl.bit_cast(np.float32, sycl.bit_cast(sycl.half2, f[i]))
        outs[4][i] = sycl.bit_cast(float, sycl.bit_cast(sycl.mshort4, d[i]))
        outs[5][i] = sycl.bit_cast(sycl.char4, sycl.bit_cast(np.uint32, f[i]))
    queue.parallel_for(N, kernel).wait()
    for k, source in ((0, f), (1, d), (2, d), (3, f), (4, d), (5, f)):
        assert outs[k].tobytes() == source.tobytes(), k
    assert outs[0][3].tobytes() == struct.pack("f", f[3])


@pytest.mark.row("D-53")
def test_on_the_host():
    assert sycl.bit_cast(np.uint32, np.float32(1)) == 0x3F800000
    assert sycl.bit_cast(np.int64, -0.0) == np.int64(-2**63)
    assert tuple(sycl.bit_cast(sycl.int2, 1 << 32)) == (0, 1)
    assert sycl.bit_cast(sycl.float4, sycl.uint3(1, 2, 3)).dtype == sycl.float4.dtype
    for wrong in (lambda: sycl.bit_cast(np.int16, np.float32(1)),
                  lambda: sycl.bit_cast(np.complex64, 1.0), lambda: sycl.bit_cast(np.int8, "a")):
        with pytest.raises(sycl.exception):
            wrong()


@pytest.mark.row("D-1")
def test_names_of_opencl_are_the_types_of_their_sizes(queue):
    names = sycl.opencl
    sizes = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8,
             "ulong": 8, "float": 4, "double": 8, "half": 2}
    for name, size in sizes.items():
        assert np.dtype(getattr(names, f"cl_{name}")).itemsize == size
        assert getattr(names, f"cl_{name}3") is getattr(sycl, f"{name}3")
    assert names.cl_bool is np.bool_
    out = np.zeros(4, names.cl_float2)

    def kernel(i):
        out[i] = sycl.opencl.cl_float2(i, names.cl_half(0.1))
    queue.parallel_for(4, kernel).wait()
    assert out["y"].tolist() == [np.float32(np.float16(0.1))] * 4
