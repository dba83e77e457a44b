"""Which backends there are."""

from __future__ import annotations

import pytest

from unisycl.backends import registry
from unisycl.backends.null.driver import NullDriver


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
