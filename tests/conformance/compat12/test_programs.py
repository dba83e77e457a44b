"""SYCL 1.2's programs: their options, their binaries, what they say of themselves (§3.7.2.6)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@sycl.kernel(reqd_work_group_size=4)
def tripled(it, p):
    p[it.get_global_id(0)] *= 3


def plain(i, p):
    p[i] += i.get_global_id(0) + i.get(0)


@sycl.kernel
def ones(i, p):
    p[i] = 1


ones.declare(8, np.zeros(8, np.int32))


@pytest.mark.row("C-23")
def test_programs(old: Any, q: Any) -> None:
    p = sycl.malloc_shared(8, np.int32, q)
    p[:] = 1
    sycl.get_kernel_id(plain).declare(8, p)
    program = old.program(q.get_context(), [q.get_device()])
    program.build_from_kernel_name(plain, "-cl-opt-disable")
    program.build_from_kernel_name(tripled)
    assert "-cl-opt-disable" == program.get_build_options()
    assert [q.get_device()] == program.get_devices()
    kernel = program.get_kernel(plain)
    assert "plain" == kernel.get_function_name()
    assert program is kernel.get_program()
    assert "reqd_work_group_size(4)" == program.get_kernel(tripled).get_kernel_attributes()
    assert "-cl-opt-disable" in kernel.report() or "-O0" in kernel.report()

    def first() -> None:
        old.parallel_for(old.range(8), program, plain, p)

    def second() -> None:
        old.parallel_for(old.nd_range(8, 4), program, tripled, p)
    old.command_group(q, first).complete_event().wait()
    old.command_group(q, second).complete_event().wait()
    assert [3 * (1 + 2 * k) for k in range(8)] == p[:].tolist()


@pytest.mark.row("C-23")
def test_programs_are_compiled_then_linked(old: Any, q: Any) -> None:
    one, other = old.program(q.get_context()), old.program(q.get_context(), [q.get_device()])
    one.compile_from_kernel_name(plain, "-cl-mad-enable")
    other.compile_from_kernel_name(tripled)
    assert sycl.errc.invalid == code_of(one.get_kernel, plain)
    assert sycl.errc.invalid == code_of(one.build_from_kernel_name, tripled)
    linked = old.program([one, other], "-cl-denorms-are-zero")
    assert "-cl-mad-enable -cl-denorms-are-zero" == linked.get_build_options()
    assert q.get_context() == linked.get_kernel(plain).get_context()
    assert linked.get_kernel(tripled).get_function_name() == "tripled"
    assert sycl.errc.build == code_of(old.program, [one, other], "-nonsense")
    assert sycl.errc.invalid == code_of(old.program, [linked])
    assert sycl.errc.invalid == code_of(old.program, 3)

    def body() -> None:
        old.single_task(linked, lambda: None)
    assert sycl.errc.kernel_not_supported == code_of(old.command_group, q, body)


@pytest.mark.row("C-23")
def test_options_are_the_compilers(old: Any, q: Any) -> None:
    program = old.program(q.get_context())
    with pytest.raises(sycl.exception, match="no-such-option") as caught:
        program.build_from_kernel_name(plain, "-cl-mad-enable -no-such-option")
    assert caught.value.code() == sycl.errc.build
    assert program.get_build_options() == ""
    for wrong in ("-D", "-cl-std=CL1.2"):
        assert sycl.errc.build == code_of(program.compile_from_kernel_name, plain, wrong)
    program.build_from_kernel_name(plain, "-cl-mad-enable -D ONE=1 -DTWO -w")
    assert program.get_build_options() == "-cl-mad-enable -D ONE=1 -DTWO -w"


@pytest.mark.row("C-23")
def test_what_a_program_says_of_itself(old: Any, q: Any, device: sycl.device) -> None:
    program, ask = old.program(q.get_context(), [q.get_device()]), old.program_info
    assert (program.get_binaries(), program.get_info(ask.num_kernels)) == ([b""], 0)
    program.build_from_kernel_name(ones)
    assert program.get_info(ask.context) == q.get_context()
    assert program.get_info(0x1163) == [device] == program.get_info(ask.devices)
    assert (program.get_info(ask.num_devices), program.get_info(ask.num_kernels)) == (1, 1)
    assert program.get_info(0x1168) == "ones"
    binaries = program.get_binaries()
    assert program.get_binary_sizes() == [len(b) for b in binaries]
    assert program.get_info(ask.binary_sizes) == program.get_binary_sizes()
    assert program.get_info(ask.binaries) == binaries
    runs_python = device.get_backend() is sycl.backend.host
    assert [bool(b) for b in binaries] == [not runs_python]
    if device.get_backend() is sycl.backend.opencl:
        assert "ones" in program.get_info(ask.source)
        assert program.get_info(ask.reference_count) >= 1
    for wrong in (0x1100, "devices"):
        assert sycl.errc.invalid == code_of(program.get_info, wrong)
