"""Which backends there are."""

from __future__ import annotations

import warnings

import pytest

from unisycl.backends import registry
from unisycl.backends.null.driver import NullDriver
from unisycl.base.errors import UsageError


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_loaded", registry._Loaded())
    monkeypatch.setattr(registry, "BACKENDS", {
        "null": "unisycl.backends.null.driver:make_driver", "broken": "no.such.module:make"})
    monkeypatch.delenv("UNISYCL_BACKENDS", raising=False)


def test_what_cannot_be_loaded_is_remembered_with_the_reason(fresh: None) -> None:
    assert ["null"] == list(registry.drivers())
    assert "ModuleNotFoundError" in registry.problems()["broken"]
    assert registry.drivers()["null"] is registry.drivers()["null"]


def test_the_environment_narrows_the_choice(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_BACKENDS", "broken")
    assert [] == list(registry.drivers())


def test_a_program_may_bring_its_own(fresh: None) -> None:
    driver = NullDriver()
    registry.use("mine", driver)
    assert driver is registry.drivers()["mine"]


def test_who_wants_the_native_cpu_does_not_load_other_processors(
        monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, asked = registry._Loaded(), []
    loaded.drivers["cpu"] = {"cpu": NullDriver()}
    monkeypatch.setattr(registry, "_loaded", loaded)
    monkeypatch.setattr(registry, "_load", asked.append)
    monkeypatch.setenv("UNISYCL_BACKENDS", "cpu,opencl")
    loaded.beyond["opencl"] = False
    assert ["cpu"] == list(registry.drivers(near=True))
    assert [] == asked
    registry.drivers()
    loaded.beyond["opencl"] = True
    registry.drivers(near=True)
    assert ["opencl", "opencl"] == asked
    del loaded.drivers["cpu"]
    loaded.problems["cpu"] = "no"
    loaded.beyond["opencl"] = False
    registry.drivers(near=True)
    assert ["opencl"] * 3 == asked


def test_a_backend_there_is_not_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_BACKENDS", "cpu, Host, vulkan")
    with pytest.raises(UsageError, match=r"UNISYCL_BACKENDS=cpu, Host, vulkan: there is no backend "
                       "'vulkan'; expected names of cpu, host, cuda, opencl"):
        registry.drivers()
    monkeypatch.setenv("UNISYCL_BACKENDS", " Host ,cpu,")
    assert ["cpu", "host"] == registry.wanted()


def test_of_two_backends_for_one_card_its_own_driver_comes_first(
        monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = registry._Loaded()
    monkeypatch.setattr(registry, "_loaded", loaded)
    for name in ("opencl", "cuda"):
        loaded.drivers[name] = {name: NullDriver()}
    monkeypatch.setenv("UNISYCL_BACKENDS", "opencl,cuda")
    assert ["cuda", "opencl"] == list(registry.drivers())


def test_a_warning_takes_no_device_away(
        fresh: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def make() -> NullDriver:
        warnings.warn("a library is old", DeprecationWarning, stacklevel=1)
        return NullDriver()
    monkeypatch.setattr("unisycl.backends.null.driver.make_driver", make)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ["null"] == list(registry.drivers())
    assert "null" not in registry.problems()
    assert "DeprecationWarning: a library is old" in capsys.readouterr().err


def test_what_warns_while_devices_are_looked_for_is_told(
        fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> NullDriver:
        warnings.warn("a library is old", UserWarning, stacklevel=1)
        return NullDriver()
    monkeypatch.setattr("unisycl.backends.null.driver.make_driver", make)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        registry.drivers()
    assert ["a library is old"] == [str(w.message) for w in seen]
    assert all(w.filename == __file__ for w in seen)


def test_a_misspelt_setting_is_told_once(
        fresh: None, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder) -> None:
    for name in ("UNISYCL_DEVISE", "UNISYCL_BACKEND", "UNISYCL_HOME_OF_MY_OWN"):
        monkeypatch.setenv(name, "x")
    for _ in range(3):
        registry.drivers()
    assert sorted(str(w.message) for w in recwarn) == [
        "unisycl: the setting UNISYCL_BACKEND means nothing; did you mean UNISYCL_BACKENDS?",
        "unisycl: the setting UNISYCL_DEVISE means nothing; did you mean UNISYCL_DEVICE?"]
