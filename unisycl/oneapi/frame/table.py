"""The table of providers: library by library, in the order in which equals are asked.

Non-goals: loading them (``providers``). Invariant: data alone; a row's module is imported when its
provider is first asked for, and has a function ``load(name)`` (``providers.Served``).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One provider of one library.

    Args:
        library: as programs name it.
        name: the provider's name.
        module: where its function ``load`` is.
        host: whether it works in the host's memory, on the processor.
        kernels: whether it is kernels of ours.
        needs: packages without which it need not be tried.
        install: how to get it.
        gain: what one would gain by it.
        sample: the routine that the library is known for.
    """

    library: str
    name: str
    module: str
    host: bool = False
    kernels: bool = False
    needs: tuple[str, ...] = ()
    install: str = ""
    gain: str = ""
    sample: str = ""


_MKL = "pip install 'unisycl[mkl]'"
_NVIDIA = "pip install nvidia-{}"
_CLIBRARIES = "unisycl.oneapi.mkl.providers"

ROWS: tuple[Row, ...] = (
    Row("mkl.blas", "openblas", f"{_CLIBRARIES}.cblas", host=True, sample="gemm",
        gain="BLAS of NumPy's own wheel", install="pip install numpy"),
    Row("mkl.blas", "openblas64", f"{_CLIBRARIES}.cblas", host=True, needs=("scipy_openblas64",)),
    Row("mkl.blas", "mkl", f"{_CLIBRARIES}.cblas", host=True, install=_MKL,
        gain="Intel's routines for Intel's processors"),
    Row("mkl.blas", "cublas", f"{_CLIBRARIES}.cublas",
        gain="NVIDIA's routines for CUDA devices", install=_NVIDIA.format("cublas")),
    Row("mkl.blas", "kernels", f"{_CLIBRARIES}.own_blas", kernels=True),
    Row("mkl.lapack", "openblas", f"{_CLIBRARIES}.lapacke", host=True, sample="getrf",
        gain="LAPACK of NumPy's own wheel", install="pip install numpy"),
    Row("mkl.lapack", "openblas64", f"{_CLIBRARIES}.lapacke", host=True,
        needs=("scipy_openblas64",)),
    Row("mkl.lapack", "mkl", f"{_CLIBRARIES}.lapacke", host=True, install=_MKL,
        gain="Intel's routines for Intel's processors"),
    Row("mkl.lapack", "cusolver", f"{_CLIBRARIES}.cusolver",
        gain="NVIDIA's factorizations for CUDA devices", install=_NVIDIA.format("cusolver")),
    Row("mkl.dft", "mkl", f"{_CLIBRARIES}.dfti", host=True, sample="transform", install=_MKL,
        gain="Intel's transforms, of several threads"),
    Row("mkl.dft", "pocketfft", f"{_CLIBRARIES}.pocketfft", host=True, sample="transform"),
    Row("mkl.dft", "cufft", f"{_CLIBRARIES}.cufft",
        gain="NVIDIA's transforms for CUDA devices", install=_NVIDIA.format("cufft")),
    Row("mkl.dft", "kernels", f"{_CLIBRARIES}.own_dft", kernels=True),
    Row("mkl.sparse", "cusparse", f"{_CLIBRARIES}.cusparse", sample="gemv",
        gain="NVIDIA's sparse products for CUDA devices", install=_NVIDIA.format("cusparse")),
    Row("mkl.sparse", "kernels", f"{_CLIBRARIES}.own_sparse", kernels=True),
    Row("dal", "kernels", "unisycl.oneapi.dal.providers.own", kernels=True,
        sample="kmeans.train"),
    Row("dal", "sklearn", "unisycl.oneapi.dal.providers.by_sklearn", host=True,
        needs=("sklearn",), install="pip install 'unisycl[dal]'",
        gain="LIBSVM for support vector machines on the processor"),
    Row("dnn", "onednn", "unisycl.oneapi.dnn.providers.libdnnl", host=True,
        sample="convolution_forward", install="pip install 'unisycl[dnn]'",
        gain="Intel's primitives of neural networks for processors"),
    Row("dnn", "cudnn", "unisycl.oneapi.dnn.providers.cudnn",
        gain="NVIDIA's convolutions and products for CUDA devices",
        install=_NVIDIA.format("cudnn-cu13")),
    Row("dnn", "kernels", "unisycl.oneapi.dnn.providers.kernels", kernels=True),
)
