"""The kernels beside which ours are measured on cards: compiled without one."""

from __future__ import annotations

import re

import pytest

from bench.cuda import cases, more_cases
from bench.cuda.card import SOURCES
from tests import cuda_texts
from unisycl.backends.cuda.text import compile as compiler


def test_each_case_has_its_kernel_and_all_of_them_compile() -> None:
    if why := compiler.problem():
        pytest.skip(why)
    text = "\n".join(x.read_text() for x in SOURCES)
    names = set(re.findall(r"__global__ void (\w+)\(", text)) - {"nothing"}
    assert names == {*cases.CASES, *more_cases.CASES}
    assert len(names) == 30
    code, log = compiler.compiler().compile(
        text, ("--gpu-architecture=sm_90", "--std=c++17", *cuda_texts.strict()), "CUBIN")
    assert code, log
    assert log == ""
