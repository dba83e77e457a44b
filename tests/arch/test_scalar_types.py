"""Facts of a scalar type stand in its row: few modules name a particular one."""

from __future__ import annotations

import ast

from tests.arch.sources import Source, package_sources

SHORT = frozenset(("float16", "FLOAT16", "bfloat16", "BFLOAT16"))
PLACES = {
    "base.dtypes": "the rows",
    "passes.shared.short_floats": "how such numbers lie in memory and are rounded",
    "backends.cpu.maths.terms": "the types that functions are written in",
    "backends.cfamily.expressions": "conversions where a device has no such type",
    "backends.cuda.text.builtins": "bits of numbers that are not any",
    "backends.cuda.text.reserved": "names that CUDA C++ keeps for itself",
    "base.matrices": "which types matrices have, by the words of the extension",
    "base.image_formats": "what a pixel's parts are",
    "ir.imaging": "what a pixel's parts are",
    "lang.library.bindless": "what a pixel's parts are",
    "lang.library.radix_sorters": "the order of a type's bits, in the kernel language",
    "lang.numbers.vec": "SYCL's names of types",
    "examples.gemm": "the type that it multiplies",
    "ext.oneapi": "the extension's name of a type",
    "oneapi.ccl.types": "oneCCL's names of types",
    "oneapi.dnn.names": "oneDNN's names of types",
    "oneapi.mkl.blas.arguments": "the types of BLAS",
    "oneapi.mkl.providers.cublas": "cuBLAS's numbers of types",
    "ranks.links.nccl": "NCCL's numbers of types",
    "ranks.links.oneccl": "oneCCL's numbers of types",
    "testing.refusal": "what tests of a type need, by names of NumPy",
}
"""Which modules may name a float of 16 bits, and why; dialects spell all types."""


def _names(source: Source) -> bool:
    return any((node.id if isinstance(node, ast.Name) else node.attr if isinstance(
        node, ast.Attribute) else node.value if isinstance(node, ast.Constant) else None) in SHORT
        for node in ast.walk(source.tree))


def test_no_other_module_names_a_float_of_16_bits() -> None:
    found = {s.module for s in package_sources() if _names(s)}
    assert {name for name in found if not name.endswith(".dialect")} - set(PLACES) == set()
