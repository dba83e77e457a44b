"""What is known of drivers beyond what they report."""

from __future__ import annotations

from unisycl.backends.opencl.discovery.info import device_info
from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.backends.opencl.launch.programs import options
from unisycl.backends.opencl.memory.levels import Level
from unisycl.backends.opencl.text.dialect import make_dialect
from unisycl.backends.opencl.text.quirks import Quirks, corrected, quirks_of
from unisycl.base.enums import aspect, memory_order, memory_scope
from unisycl.ir.nodes import Barrier, Kernel


def reported(platform: str, kind: str) -> Traits:
    return Traits(
        library="", platform=platform, platform_version="OpenCL 1.2", name="Paper", vendor="",
        version="OpenCL 1.2", driver_version="", kind=kind, number=0, c_version=(1, 2),
        features=frozenset(), extensions=frozenset(), numbers={"svm_capabilities": 15},
        item_sizes=(256, 256, 64), sub_group_sizes=())


def test_an_emulated_fpga_is_an_accelerator_whose_kernels_may_wait_for_one_another() -> None:
    traits = reported("Intel(R) FPGA Emulation Platform for OpenCL(TM)", "accelerator")
    quirks = quirks_of(traits)
    info = device_info(corrected(traits, quirks), quirks, Level.system)
    assert {aspect.accelerator, aspect.emulated} <= info.aspects
    assert info.concurrent_kernels
    assert memory_order.acq_rel in info.atomic_orders


def test_a_simulator_is_emulated_and_gets_no_option_that_it_does_not_know() -> None:
    traits = reported("Oclgrind", "cpu")
    quirks = quirks_of(traits)
    info = device_info(corrected(traits, quirks), quirks, Level.separate)
    assert {aspect.cpu, aspect.emulated} <= info.aspects
    debugged = Kernel("k", (), (), "range", 1, traits=(("options", ("-O0", "-g")),))
    assert "-cl-std=CL1.2 -cl-opt-disable" == options(traits, quirks, debugged)
    assert "-cl-std=CL1.2 -cl-opt-disable -g" == options(traits, Quirks(), debugged)


def test_others_are_taken_at_their_word() -> None:
    traits = reported("Paper Platform", "accelerator")
    quirks = quirks_of(traits)
    info = device_info(corrected(traits, quirks), quirks, Level.system)
    assert not info.concurrent_kernels
    assert (memory_order.relaxed,) == info.atomic_orders


def test_loops_and_negations_on_intels_runtime_are_said_otherwise() -> None:
    quirks = quirks_of(reported("Intel(R) OpenCL", "cpu"))
    assert quirks.shared_branches
    assert quirks.shared_negations
    together = Kernel("k", (), (Barrier(memory_scope.work_group),), "nd_range", 1,
                      traits=(("options", ("-ffast-math",)),))
    assert "-cl-std=CL1.2 -cl-mad-enable" == options(reported("", ""), quirks, together)
    assert "-cl-no-signed-zeros" in options(reported("", ""), Quirks(), together)


def test_shorts_on_nvidias_cards_are_narrowed_out_of_sight() -> None:
    traits = reported("NVIDIA CUDA", "gpu")
    told, plain = (make_dialect(traits, quirks, offsets=False)
                   for quirks in (quirks_of(traits), Quirks()))
    assert told.hides_narrowing
    assert not plain.hides_narrowing
    assert told.helper("low_half") is not None
