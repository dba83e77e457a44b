"""Selectors by the public API (SYCL 2020 §4.6.1.1).

K-11 asks for an emulator: Intel's emulation of FPGAs is one where it is installed, and one made of
what it reports stands for it elsewhere.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

import unisycl as sycl
from tests.conformance.forward_progress.test_models import opencl, reported


@pytest.mark.row("F-8")
def test_no_device_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(sycl.exception, match="host") as caught:
        sycl.device(lambda d: -1)
    assert sycl.errc.runtime == caught.value.code()


@pytest.mark.row("A-4")
def test_selectors_pick_what_they_say(device: sycl.device) -> None:
    assert sycl.backend.host == sycl.device(sycl.host_selector_v).get_backend()
    aspects = [a for a in sycl.aspect if device.has(a)]
    assert device.has(aspects[0])
    picked = sycl.device(sycl.aspect_selector(aspects))
    assert all(picked.has(a) for a in aspects)
    assert device == sycl.device(lambda d: 5 if d == device else 0)
    with pytest.raises(sycl.exception):
        sycl.device(sycl.aspect_selector([aspects[0]], denied=[aspects[0]]))


@pytest.mark.row("A-4")
def test_a_device_is_taken_by_its_name(device: sycl.device) -> None:
    name = device.state.name
    for text in (name, f" {name.upper()} ", name if ":" in name else f"{name}:0"):
        assert device == sycl.device(text)
        assert device == sycl.queue(text).get_device()
        assert [device] == sycl.context(text).get_devices()
        assert device.get_platform() == sycl.platform(text)
    inside = sycl.context(device)
    assert device == sycl.queue(inside, name).get_device()
    other = "host" if name != "host" else "cpu"
    with pytest.raises(sycl.exception, match=f"'{other}' selects none of the devices") as caught:
        sycl.queue(inside, other)
    assert sycl.errc.runtime == caught.value.code()


@pytest.mark.row("F-8")
@pytest.mark.parametrize("name", ["", "toaster", "host:7", "host:x", "host:0:0"])
def test_a_name_of_no_device_is_an_error_that_names_those_there_are(name: str) -> None:
    for make in (sycl.device, sycl.queue, sycl.context, sycl.platform):
        expected = rf"no device '{name}'; there are: .*host"
        with pytest.raises(sycl.exception, match=expected) as caught:
            make(name)
        assert sycl.errc.runtime == caught.value.code()


@pytest.mark.row("K-3")
def test_aspects_select_and_deny(device: sycl.device) -> None:
    fp64, emulated = sycl.aspect.fp64, sycl.aspect.emulated
    host = sycl.device(sycl.host_selector_v)
    for selector in (sycl.aspect_selector([fp64], [emulated]),
                     sycl.aspect_selector((fp64,), (emulated,)),
                     sycl.aspect_selector(fp64, denied=[emulated])):
        assert 0 > selector(host)
        assert (device.has(fp64) and not device.has(emulated)) == (0 <= selector(device))
        assert sycl.device(selector).has(fp64)
    mine = [a for a in sycl.aspect if device.has(a)]
    assert 0 <= sycl.aspect_selector(*mine)(device)
    assert 0 <= sycl.aspect_selector(mine)(device)
    assert 0 <= sycl.aspect_selector([], [a for a in sycl.aspect if not device.has(a)])(device)
    with pytest.raises(sycl.exception) as caught:
        sycl.queue(sycl.aspect_selector(mine, mine[:1]))
    assert sycl.errc.runtime == caught.value.code()
    with pytest.raises(sycl.exception, match="3") as caught:
        sycl.aspect_selector([fp64], [3])
    assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("K-3")
def test_no_aspects_select_as_the_default_does(monkeypatch: pytest.MonkeyPatch) -> None:
    for selector in (sycl.aspect_selector(), sycl.aspect_selector([]),
                     sycl.aspect_selector([], [])):
        assert sycl.device() == sycl.device(selector)
    monkeypatch.setenv("UNISYCL_DEVICE", "host")
    assert sycl.backend.host == sycl.device(sycl.aspect_selector()).get_backend()


@pytest.mark.row("X-7")
def test_the_environment_chooses_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEVICE", "host")
    assert sycl.backend.host == sycl.device().get_backend()
    monkeypatch.setenv("UNISYCL_DEVICE", "nonsense")
    with pytest.raises(sycl.exception, match="nonsense"):
        sycl.device()


@pytest.mark.row("K-11")
def test_the_accelerator_selector_finds_one_or_says_that_there_is_none(device: sycl.device) -> None:
    """Where Intel's emulation of FPGAs is installed, that is one."""
    everything = [d for p in sycl.platform.get_platforms() for d in p.get_devices()]
    there = [d for d in everything if d.is_accelerator()]
    assert device.is_accelerator() is (
        device.get_info(sycl.info.device.device_type) is sycl.info.device_type.accelerator)
    if there:
        assert sycl.device(sycl.accelerator_selector_v) in there
    else:
        with pytest.raises(sycl.exception) as caught:
            sycl.device(sycl.accelerator_selector_v)
        assert sycl.errc.runtime is caught.value.code()
    if "Emulation" in device.get_platform().get_info(sycl.info.platform.name):
        assert device.is_accelerator()
        assert device.has(sycl.aspect.emulated)


@pytest.mark.row("K-11")
def test_an_emulated_accelerator_is_what_the_selector_ranks_first() -> None:
    """What Intel's emulation of FPGAs reports, beside all devices that are there."""
    traits = replace(reported("2.0"), kind="accelerator", name="Intel(R) FPGA Emulation Device",
                     platform="Intel(R) FPGA Emulation Platform for OpenCL(TM)")
    emulator = opencl(traits)
    assert emulator.is_accelerator()
    assert emulator.has(sycl.aspect.accelerator)
    assert emulator.has(sycl.aspect.emulated)
    everything = [d for p in sycl.platform.get_platforms() for d in p.get_devices()]
    ranks = {d: sycl.accelerator_selector_v(d) for d in (*everything, emulator)}
    assert ranks[emulator] >= 0
    assert all((rank >= 0) is d.is_accelerator() for d, rank in ranks.items())
    assert not opencl(replace(traits, platform="Paper")).has(sycl.aspect.emulated)
