"""Kernel ids, bundles and kernel objects by the public API (SYCL 2020 §4.11)."""

from __future__ import annotations

import copy
import gc
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of
from tests.unit.runtime.null import null_queue
from unisycl.backends.null.driver import INFO
from unisycl.testing.refusal import PREFIX

factor = sycl.specialization_id(np.int32, 2)
unused = sycl.specialization_id(np.int32, 1)
state = sycl.bundle_state


@sycl.kernel
def scale(i, p, kh: sycl.kernel_handler):
    p[i] *= kh.get_specialization_constant(factor)


@sycl.kernel
def shift(i, p):
    p[i] += 1


@sycl.kernel(reqd_work_group_size=8, reqd_sub_group_size=8)
def tiled(it, p):
    scratch = sycl.private_array(np.float64, 4)
    scratch[0] = it.get_local_id(0)
    p[it.get_global_id(0)] = scratch[0]


@sycl.kernel(reqd_work_group_size=8, reqd_sub_group_size=32)
def tiled_by_32(it, p):
    scratch = sycl.private_array(np.float64, 4)
    scratch[0] = it.get_local_id(0)
    p[it.get_global_id(0)] = scratch[0]


@sycl.kernel(device_has=(sycl.aspect.gpu, sycl.aspect.cpu))
def nowhere(i, p):
    p[i] = 1


@pytest.mark.row("C-18")
def test_ids_name_kernels() -> None:
    one, other = sycl.get_kernel_id(shift), sycl.get_kernel_id("test_kernel_bundle.shift")
    assert one == other == copy.copy(one)
    assert hash(one) == hash(other)
    assert one != sycl.get_kernel_id(scale)
    assert one.get_name().endswith("test_kernel_bundle.shift")
    assert {one, sycl.get_kernel_id(scale)} <= set(sycl.get_kernel_ids())

    def plain(i):
        pass
    assert sycl.get_kernel_id(plain) in sycl.get_kernel_ids()
    for wrong in ("no such kernel", 3, int):
        assert sycl.errc.invalid == code_of(sycl.get_kernel_id, wrong)
    assert sycl.errc.invalid == code_of(sycl.kernel_id)


@pytest.mark.row("C-18", "C-19", "C-20")
def test_a_bundle_holds_the_kernels_asked_for(queue: sycl.queue) -> None:
    context, device = queue.get_context(), queue.get_device()
    b = sycl.get_kernel_bundle(context, [device, device], [shift, sycl.get_kernel_id(scale)])
    assert state.executable is b.state
    assert [device] == b.get_devices()
    assert context == b.get_context()
    assert queue.get_backend() == b.get_backend()
    assert {sycl.get_kernel_id(shift), sycl.get_kernel_id(scale)} == set(b.get_kernel_ids())
    assert b.has_kernel(shift)
    assert b.has_kernel(sycl.get_kernel_id(scale), device)
    assert not b.has_kernel(tiled)
    assert not b.empty()
    assert sycl.get_kernel_id(shift) == next(
        i for i in b.get_kernel_ids() if i.get_name().endswith("shift"))
    everything = sycl.get_kernel_bundle(context)
    assert everything.has_kernel(shift)
    assert not everything.has_kernel(nowhere)
    images = list(b)
    assert 2 == len(images)
    assert any(i.has_kernel(shift) and i.has_kernel(shift, device) for i in images)
    picked = sycl.get_kernel_bundle(context, lambda image: image.has_kernel(shift))
    assert [sycl.get_kernel_id(shift)] == picked.get_kernel_ids()
    assert b == copy.copy(b)


@pytest.mark.row("C-19", "F-11")
def test_what_cannot_be_had_is_refused(queue: sycl.queue) -> None:
    context, device = queue.get_context(), queue.get_device()
    get = sycl.get_kernel_bundle
    others = [d for d in sycl.device.get_devices() if d.get_platform() != device.get_platform()]
    assert sycl.errc.invalid == code_of(get, context, [])
    for other in others[:1]:
        assert sycl.errc.invalid == code_of(get, context, [other])
    assert sycl.errc.invalid == code_of(get, context, [nowhere])
    assert sycl.errc.invalid == code_of(get, device)
    assert sycl.errc.invalid == code_of(get, context, 3)
    assert sycl.errc.invalid == code_of(sycl.kernel_bundle)


@pytest.mark.row("C-19")
def test_states_need_a_compiler_or_a_linker() -> None:
    poor = null_queue(aspects=INFO.aspects - {sycl.aspect.online_compiler,
                                              sycl.aspect.online_linker})
    for wanted in (state.input, state.object):
        assert sycl.errc.invalid == code_of(
            sycl.get_kernel_bundle, poor.get_context(), [shift], wanted)
        assert not sycl.has_kernel_bundle(poor.get_context(), [shift], wanted)
    assert sycl.get_kernel_bundle(poor.get_context(), [shift]).has_kernel(shift)
    assert sycl.has_kernel_bundle(poor.get_context(), [shift])


@pytest.mark.row("C-19", "F-17")
def test_a_kernel_that_cannot_be_compiled_is_a_build_error(queue: sycl.queue) -> None:
    def wrong(i, p):
        p[i] = input("x")
    p = sycl.malloc_shared(4, np.int32, queue)
    bad = sycl.get_kernel_id(wrong).declare(4, p)
    with pytest.raises(sycl.BuildError, match="input") as caught:
        sycl.get_kernel_bundle(queue.get_context(), [bad])
    assert sycl.errc.build == caught.value.code()
    with pytest.raises(sycl.exception, match="K033"):
        sycl.build(sycl.get_kernel_bundle(queue.get_context(), [bad], state.input))
    del bad, wrong, caught  # it is no kernel of the other tests
    gc.collect()


@pytest.mark.row("C-20")
def test_compatibility(queue: sycl.queue) -> None:
    context, device = queue.get_context(), queue.get_device()
    assert sycl.is_compatible([shift, sycl.get_kernel_id(scale)], device)
    assert not sycl.is_compatible([shift, nowhere], device)
    assert sycl.has_kernel_bundle(context, [shift])
    assert not sycl.has_kernel_bundle(context, [shift, nowhere])
    assert sycl.has_kernel_bundle(context, [device], state=state.input)


@pytest.mark.row("C-20", "C-32")
def test_a_kernel_with_doubles_is_not_for_a_device_without() -> None:
    poor = null_queue(aspects=INFO.aspects - {sycl.aspect.fp64})

    def doubles(i, p):
        p[i] += np.float64(1)
    k = sycl.get_kernel_id(doubles).declare(4, sycl.malloc_shared(4, np.float32, poor))
    assert not sycl.is_compatible([k], poor.get_device())
    assert sycl.is_compatible([k], null_queue().get_device())


@pytest.mark.row("C-21")
def test_compile_link_and_join(queue: sycl.queue) -> None:
    context, device = queue.get_context(), queue.get_device()
    first, second = (sycl.get_kernel_bundle(context, [k], state.input) for k in (shift, scale))
    objects = [sycl.compile(first), sycl.compile(second, context.get_devices())]
    assert [state.object] * 2 == [o.state for o in objects]
    linked = sycl.link(objects)
    both = sycl.join([sycl.build(first), sycl.build(second)])
    again = sycl.join([both, both, linked])
    for b in (linked, both, again):
        assert state.executable is b.state
        assert b.has_kernel(shift)
        assert b.has_kernel(scale)
    assert len(both.get_kernel_ids()) == len(again.get_kernel_ids())
    foreign = sycl.get_kernel_bundle(sycl.context(device), [shift], state.object)
    assert sycl.errc.invalid == code_of(sycl.link, [objects[0], foreign])
    assert sycl.errc.invalid == code_of(sycl.join, [objects[0], foreign])
    assert sycl.errc.invalid == code_of(sycl.join, [first, both])
    assert sycl.errc.invalid == code_of(sycl.join, [])
    assert sycl.errc.invalid == code_of(sycl.compile, both)
    assert sycl.errc.invalid == code_of(sycl.link, first)
    assert sycl.errc.invalid == code_of(sycl.build, both)
    for other in sycl.device.get_devices():
        if other not in context.get_devices():
            assert sycl.errc.invalid == code_of(sycl.compile, first, [other])
    assert sycl.errc.invalid == code_of(sycl.compile, first, [])


@pytest.mark.row("C-21")
def test_only_bundles_for_the_same_devices_are_joined_and_links_keep_common_ones() -> None:
    able = INFO.aspects | {sycl.aspect.online_compiler, sycl.aspect.online_linker}
    two, three = (null_queue(aspects=able).get_device() for _ in range(2))
    context = sycl.context([two, three])
    raw = sycl.get_kernel_bundle(context, [shift], state.input)
    both, first, second = (sycl.compile(raw, d) for d in ([two, three], [two], [three]))
    assert sycl.errc.invalid == code_of(sycl.join, [both, first])
    assert [two] == sycl.link([both, first]).get_devices()
    assert sycl.errc.invalid == code_of(sycl.link, [first, second])
    assert sycl.errc.invalid == code_of(sycl.link, [both, first], [three])
    assert [two] == sycl.join([first, sycl.compile(raw, [two])]).get_devices()


@pytest.mark.row("C-21", "C-24", "C-25")
def test_joined_kernels_keep_the_constants_of_their_bundles(queue: sycl.queue) -> None:
    def other(i, p, kh: sycl.kernel_handler):
        p[i] += kh.get_specialization_constant(factor)
    p = sycl.malloc_shared(4, np.int32, queue)
    p[:] = 1
    first, second = (sycl.get_kernel_bundle(queue.get_context(), [k], state.input)
                     for k in (scale, other))
    first.set_specialization_constant(factor, 7)
    second.set_specialization_constant(factor, 100)
    raw = sycl.join([first, second])
    built = sycl.build(raw)
    raw.set_specialization_constant(factor, 3)  # for all kernels of it
    again = sycl.build(raw)

    def run(bundle: sycl.kernel_bundle) -> int:
        for kernel in (scale, other):
            def group(h: sycl.handler, kernel=kernel) -> None:
                h.use_kernel_bundle(bundle)
                h.parallel_for(4, kernel, p)
            queue.submit(group).wait()
        return int(p[0])
    assert 107 == run(built)
    assert 324 == run(again)
    assert 324 * 7 + 100 == run(sycl.join([sycl.build(first), sycl.build(second)]))


@pytest.mark.row("C-19", "C-20")
def test_bundles_are_equal_by_what_they_hold(queue: sycl.queue) -> None:
    def get(kernels: list[Any], which: Any = state.executable) -> sycl.kernel_bundle:
        return sycl.get_kernel_bundle(queue.get_context(), kernels, which)
    assert get([shift, scale]) == get([scale, shift, shift])
    assert hash(get([shift, scale])) == hash(get([scale, shift]))
    assert get([shift]) != get([scale])
    assert get([scale], state.input) != get([scale])
    one, two = get([scale], state.input), get([scale], state.input)
    assert one == two
    one.set_specialization_constant(factor, 12)
    assert one != two
    assert sycl.build(one) != sycl.build(two)
    assert get([scale]) != sycl.get_kernel_bundle(sycl.context(queue.get_device()), [scale])
    nothing = sycl.get_kernel_bundle(queue.get_context(), [queue.get_device()], [])
    assert nothing.empty()
    assert sycl.has_kernel_bundle(queue.get_context(), [queue.get_device()], [])


@pytest.mark.row("C-22")
def test_a_prebuilt_kernel_is_not_compiled_again(
        queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    def fresh(i, p):
        p[i] += 5
    p = sycl.malloc_shared(4, np.int32, queue)
    p[:] = 0
    k = sycl.get_kernel_id(fresh).declare(sycl.range(4), p)
    bundle = sycl.get_kernel_bundle(queue.get_context(), [k])

    def refuse(*_: Any) -> None:
        raise AssertionError("compiled at submit")
    monkeypatch.setattr(queue.channel.driver, "compile", refuse)

    def group(h: sycl.handler) -> None:
        h.use_kernel_bundle(bundle)
        h.parallel_for(4, fresh, p)
    queue.submit(group).wait()
    assert [5] * 4 == p[:].tolist()


@pytest.mark.row("C-22", "F-11", "F-14")
def test_bundles_that_do_not_fit_are_refused(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.int32, queue)
    own = sycl.get_kernel_bundle(queue.get_context(), [shift])
    foreign = sycl.get_kernel_bundle(sycl.context(queue.get_device()), [shift])
    raw = sycl.get_kernel_bundle(queue.get_context(), [shift], state.input)

    def group(h: sycl.handler) -> None:
        for bundle in (foreign, raw, None):
            assert sycl.errc.invalid == code_of(h.use_kernel_bundle, bundle)
        h.use_kernel_bundle(own)
        assert sycl.errc.kernel_not_supported == code_of(h.parallel_for, 4, scale, p)
        assert sycl.errc.invalid == code_of(h.set_specialization_constant, factor, 3)
        h.parallel_for(4, shift, p)
    queue.submit(group).wait()

    def constants(h: sycl.handler) -> None:
        h.set_specialization_constant(factor, 3)
        assert sycl.errc.invalid == code_of(h.use_kernel_bundle, own)
    queue.submit(constants).wait()


@pytest.mark.row("C-24", "C-25")
def test_constants_of_a_bundle_are_set_before_compiling(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.int32, queue)
    p[:] = 1
    raw = sycl.get_kernel_bundle(queue.get_context(), [scale], state.input)
    raw.set_specialization_constant(factor, 7)
    built = sycl.build(raw)
    raw.set_specialization_constant(factor, 100)
    assert (7, 100) == tuple(b.get_specialization_constant(factor) for b in (built, raw))
    assert sycl.errc.invalid == code_of(built.set_specialization_constant, factor, 1)

    def group(h: sycl.handler) -> None:
        h.use_kernel_bundle(built)
        assert 7 == h.get_specialization_constant(factor)
        h.parallel_for(4, scale, p)
    queue.submit(group).wait()
    queue.parallel_for(4, scale, p).wait()
    assert [14] * 4 == p[:].tolist()


@pytest.mark.row("C-25")
def test_a_bundle_knows_its_constants(queue: sycl.queue) -> None:
    context = queue.get_context()
    with_one = sycl.get_kernel_bundle(context, [scale], state.input)
    without = sycl.get_kernel_bundle(context, [shift], state.input)
    assert with_one.contains_specialization_constants()
    assert with_one.has_specialization_constant(factor)
    assert not with_one.has_specialization_constant(unused)
    assert with_one.native_specialization_constant()
    assert not without.contains_specialization_constants()
    assert not without.native_specialization_constant()
    with_one.set_specialization_constant(unused, 3)
    assert sycl.errc.invalid == code_of(with_one.set_specialization_constant, "factor", 3)


def tiled_on(queue: sycl.queue) -> tuple[Any, int]:
    """Return a kernel that requires sub-groups which the device has, and their size.

    What requires others is refused.
    """
    sizes = queue.get_device().get_info(sycl.info.device.sub_group_sizes)
    known = {8: tiled, 32: tiled_by_32}
    for size, kernel in known.items():
        if size not in sizes:
            assert sycl.errc.invalid == code_of(
                sycl.get_kernel_bundle, queue.get_context(), [kernel])
    for size, kernel in known.items():
        if size in sizes:
            return kernel, size
    pytest.skip(f"{PREFIX}the device has no sub-groups of 8 or 32")


@pytest.mark.row("C-16")
def test_kernel_objects(queue: sycl.queue) -> None:
    tiled, size = tiled_on(queue)
    bundle = sycl.get_kernel_bundle(queue.get_context(), [tiled, shift])
    k = bundle.get_kernel(sycl.get_kernel_id(tiled))
    assert isinstance(k, sycl.kernel)
    assert queue.get_context() == k.get_context()
    assert bundle is k.get_kernel_bundle()
    assert queue.get_backend() == k.get_backend()
    assert k == bundle.get_kernel(tiled)
    assert hash(k) == hash(bundle.get_kernel(tiled))
    text = k.get_info(sycl.info.kernel.attributes)
    assert "reqd_work_group_size(8)" in text
    assert f"reqd_sub_group_size({size})" in text
    assert "" == bundle.get_kernel(shift).get_info(sycl.info.kernel.attributes)
    assert sycl.errc.invalid == code_of(k.get_info, sycl.info.kernel.num_args)
    assert sycl.errc.invalid == code_of(bundle.get_kernel, scale)
    assert sycl.errc.invalid == code_of(sycl.kernel)
    raw = sycl.get_kernel_bundle(queue.get_context(), [shift], state.input)
    assert sycl.errc.invalid == code_of(raw.get_kernel, shift)


@pytest.mark.row("C-16", "F-11")
def test_a_kernel_object_is_not_launched(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.int32, queue)
    k = sycl.get_kernel_bundle(queue.get_context(), [shift]).get_kernel(shift)
    assert sycl.errc.invalid == code_of(queue.parallel_for, 4, k, p)
    assert sycl.errc.invalid == code_of(queue.submit, lambda h: h.parallel_for(4, k, p))


@pytest.mark.row("C-17", "F-12")
def test_kernel_queries_by_device(queue: sycl.queue) -> None:
    tiled, lanes = tiled_on(queue)
    device, info = queue.get_device(), sycl.info.kernel_device_specific
    p = sycl.malloc_shared(64, np.int32, queue)
    tiled.declare(sycl.nd_range(64, 8), p)
    bundle = sycl.get_kernel_bundle(queue.get_context(), [tiled, shift])
    k, free = bundle.get_kernel(tiled), bundle.get_kernel(shift)
    assert 8 == k.get_info(info.compile_work_group_size, device)[0]
    assert (0, 0, 0) == tuple(free.get_info(info.compile_work_group_size, device))
    assert (lanes,) * 3 == tuple(k.get_info(i, device) for i in (
        info.compile_sub_group_size, info.max_sub_group_size,
        info.preferred_work_group_size_multiple))
    assert 0 == free.get_info(info.compile_sub_group_size, device)
    assert free.get_info(info.max_sub_group_size, device) in device.get_info(
        sycl.info.device.sub_group_sizes)
    assert free.get_info(info.preferred_work_group_size_multiple, device) >= 1
    assert k.get_info(info.private_mem_size, device) == 32
    size = device.get_info(sycl.info.device.max_work_group_size)
    assert k.get_info(info.max_num_sub_groups, device) == size // lanes
    seen = sycl.malloc_shared(1, np.int64, queue)

    def count(it, seen):
        seen[0] = it.get_sub_group().get_group_linear_range()
    queue.parallel_for(sycl.nd_range(size, size), count, seen).wait()
    most = sycl.get_kernel_bundle(queue.get_context(), [count]).get_kernel(count)
    assert 1 <= seen[0] <= most.get_info(info.max_num_sub_groups, device)
    assert 0 == k.get_info(info.compile_num_sub_groups, device)
    assert sycl.errc.invalid == code_of(k.get_info, info.global_work_size, device)
    for other in sycl.device.get_devices():
        if other not in queue.get_context().get_devices():
            assert sycl.errc.invalid == code_of(k.get_info, info.work_group_size, other)

    def items(it, q):
        q[it.get_global_id(0)] = 1
    most = free.get_info(info.work_group_size, device)
    assert 1 <= most <= device.get_info(sycl.info.device.max_work_group_size)
    q = sycl.malloc_shared(most + 1, np.int32, queue)
    queue.parallel_for(sycl.nd_range(most, most), items, q).wait()
    assert sycl.errc.nd_range == code_of(
        queue.parallel_for, sycl.nd_range(most + 1, most + 1), items, q)
