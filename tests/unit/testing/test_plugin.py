"""The pytest plugin, run on small test files by a pytest within this one."""

from __future__ import annotations

import io
import json
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

import unisycl as sycl
from unisycl.testing import plugin

HEAD = """
import pytest
import unisycl as sycl
from unisycl.testing import refused
"""


def run(folder: Path, body: str, *options: str) -> tuple[str, dict[str, dict[str, str]]]:
    """Run a test file on the host device; return what pytest printed and the rows."""
    (folder / "test_it.py").write_text(HEAD + body)
    out = folder / "rows.json"
    said = io.StringIO()
    sys.modules.pop("test_it", None)  # the last one's
    with redirect_stdout(said), redirect_stderr(said):
        pytest.main(["-p", "unisycl.testing.plugin", "--device", "host", "--conformance-json",
                     str(out), "-c", "/dev/null", "--rootdir", str(folder), "--import-mode",
                     "importlib", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-p",
                     "no:zarr", "--capture", "sys", *options, str(folder / "test_it.py")])
    rows = json.loads(out.read_text())["rows"] if out.exists() else {}
    for cells in rows.values():
        assert cells.pop("any") == "untested"  # each of these tests takes a device
    return said.getvalue(), rows


def test_a_row_passes_where_its_test_passes(tmp_path: Path) -> None:
    _, rows = run(tmp_path, """
@pytest.mark.row("D-12")
def test_it(queue):
    queue.wait()
""")
    assert rows["D-12"] == {"host": "passed"}
    assert rows["D-13"] == {"host": "untested"}


def test_a_row_fails_where_its_test_fails(tmp_path: Path) -> None:
    _, rows = run(tmp_path, """
@pytest.mark.row("D-12", "D-13")
def test_it(device):
    assert False
""")
    assert rows["D-12"] == rows["D-13"] == {"host": "failed"}


@pytest.mark.parametrize("code", ["feature_not_supported", "kernel_not_supported"])
def test_a_refusal_by_its_code_is_a_refusal(tmp_path: Path, code: str) -> None:
    _, rows = run(tmp_path, f"""
@pytest.mark.row("D-12")
def test_it(device):
    with refused(device, able=False):
        raise sycl.exception(sycl.errc.{code}, "not here")

@pytest.mark.row("D-13")
def test_nobody_asked_the_device(device):
    with refused(device):
        raise sycl.exception(sycl.errc.{code}, "nowhere")

@pytest.mark.row("D-14")
def test_it_is_able(device):
    with refused(device, able=True):
        raise sycl.exception(sycl.errc.{code}, "but it is able")
""")
    assert rows["D-12"] == {"host": "refused"}
    assert rows["D-13"] == {"host": "not built"}
    assert rows["D-14"] == {"host": "failed"}


def test_another_error_is_no_refusal(tmp_path: Path) -> None:
    _, rows = run(tmp_path, """
@pytest.mark.row("D-12")
def test_it(device):
    with refused(device):
        raise sycl.exception(sycl.errc.invalid, "wrong")
""")
    assert rows["D-12"] == {"host": "failed"}


def test_a_device_that_has_the_aspect_must_not_refuse(tmp_path: Path) -> None:
    _, rows = run(tmp_path, """
@pytest.mark.row("D-12")
def test_it(device):
    with refused(device, sycl.aspect.host_debuggable):
        raise sycl.exception(sycl.errc.feature_not_supported, "but it has it")
""")
    assert rows["D-12"] == {"host": "failed"}


def test_a_device_that_lacks_the_aspect_must_refuse(tmp_path: Path) -> None:
    _, rows = run(tmp_path, """
@pytest.mark.row("D-12")
def test_it(device):
    with refused(device, sycl.aspect.gpu):
        pass
""")
    assert rows["D-12"] == {"host": "failed"}


def test_a_skip_leaves_the_row_untested(tmp_path: Path) -> None:
    _, rows = run(tmp_path, """
@pytest.mark.row("D-12")
def test_it(device):
    pytest.skip("not today")

@pytest.mark.row("D-12", "D-13")
@pytest.mark.part("D-14")
def test_another(device):
    pass
""")
    assert rows["D-12"] == {"host": "skipped"}
    assert rows["D-13"] == {"host": "passed"}
    assert rows["D-14"] == {"host": "untested"}


def test_a_row_that_does_not_exist_stops_the_run(tmp_path: Path) -> None:
    text, _ = run(tmp_path, """
@pytest.mark.row("D-999")
def test_it():
    pass
""")
    assert "no such conformance row: D-999" in text


def test_a_device_that_is_not_there_is_skipped_with_the_reason(tmp_path: Path) -> None:
    text, rows = run(tmp_path, """
@pytest.mark.row("D-12")
def test_it(device):
    pass
""", "--device", "abacus", "-rs")
    assert "no device is named 'abacus'; there are:" in text
    assert rows["D-12"] == {"host": "passed", "abacus": "skipped"}


MANY = """
@pytest.mark.parametrize("k", range(20))
def test_many(device, k):
    pass

def test_without_a_device():
    pass
"""


def test_a_sample_leaves_out_cases_but_no_test(tmp_path: Path) -> None:
    text, _ = run(tmp_path, MANY, "--device", "abacus", "--sample")
    assert "2 passed, 1 skipped, 38 deselected" in text
    assert "host: 19 of 20 cases were left out; --all-cases runs them" in text
    assert "abacus: 19 of 20 cases were left out; --all-cases runs them" in text


def test_further_devices_of_a_backend_sample_another_case(tmp_path: Path) -> None:
    text, _ = run(tmp_path, MANY, "--device", "abacus:0", "--device", "abacus:1", "--sample", "-v")
    ran = set(re.findall(r"test_many\[(\S+)\] SKIPPED", text))
    assert ran == {"abacus:0-0", "abacus:1-10"}


def test_the_host_device_samples_another_case_than_the_cpu(tmp_path: Path) -> None:
    text, _ = run(tmp_path, MANY, "--device", "cpu", "--sample", "-v")
    assert set(re.findall(r"test_many\[(\S+)\] PASSED", text)) == {"cpu-0", "host-10"}


def test_devices_of_a_backend_share_the_tests_that_claim_nothing(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "device_names", lambda: ["cpu", "host", "abacus:0", "abacus:1"])
    text, rows = run(tmp_path, """
for name in ("red", "blue", "green", "grey", "white", "black"):
    @pytest.mark.part("D-12")
    def piece(device):
        pass
    globals()[f"test_{name}"] = piece

@pytest.mark.row("D-13")
def test_whole(device):
    pass
""", "--device", "abacus:0", "--device", "abacus:1", "--sample", "-v")
    ran = re.findall(r"test_(\w+)\[(abacus:\d)\] SKIPPED", text)
    assert sorted(name for name, _ in ran) == [
        "black", "blue", "green", "grey", "red", "white", "whole", "whole"]
    assert {on for name, on in ran if name != "whole"} == {"abacus:0", "abacus:1"}
    assert rows["D-13"] == {"host": "passed", "abacus:0": "skipped", "abacus:1": "skipped"}


SHARED = """
COLOURS = ("red", "blue", "green", "grey", "white", "black")
for name in COLOURS:
    @pytest.mark.row("D-12")
    def whole(device):
        pass
    globals()[f"test_{name}"] = whole

@pytest.mark.row("D-12", "D-13")
def test_alone_of_a_row(device):
    pass
"""


@pytest.mark.parametrize("turn", [0, 1])
def test_devices_of_a_backend_share_the_tests_of_a_row_but_each_has_one(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turn: int) -> None:
    monkeypatch.setattr(plugin, "device_names", lambda: ["cpu", "host", "abacus:0", "abacus:1"])

    def ran(*options: str) -> set[tuple[str, str]]:
        text, rows = run(tmp_path, SHARED, "--device", "abacus:0", "--device", "abacus:1",
                         "--sample", "-v", *options)
        for row in ("D-12", "D-13"):
            assert rows[row]["abacus:0"] == rows[row]["abacus:1"] == "skipped"
        found = re.findall(r"test_(\w+)\[(\w+(?::\d)?)\] (?:SKIPPED|PASSED)", text)
        assert len(found) == len({*found})
        return {*found}

    some, other, alone = ran(f"--turn={turn}"), ran(f"--turn={1 - turn}"), ran("--alone")
    both = {("alone_of_a_row", f"abacus:{k}") for k in (0, 1)}
    assert both <= some & other
    colours = {"red", "blue", "green", "grey", "white", "black"}
    for found in (some, other):
        on = [{name for name, where in found if where == f"abacus:{k}"} & colours for k in (0, 1)]
        assert on[0] | on[1] == colours
        assert not on[0] & on[1]
        assert {name for name, where in found if where == "host"} >= colours
    assert some | other == alone
    assert {at for at in alone - some if at[1] != "host"} == {
        (name, where) for name, where in other - both if where != "host"}


def test_a_row_has_a_test_on_each_device_whatever_the_turns(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "device_names", lambda: ["cpu", "host", "abacus:0", "abacus:1"])
    body = "".join(f"""
@pytest.mark.row("D-{k}", "D-{k + 1}")
def test_{k}(device):
    pass
""" for k in range(1, 30))
    text, rows = run(tmp_path, body, "--device", "abacus:0", "--device", "abacus:1", "--sample",
                     "-v")
    assert all(rows[f"D-{k}"][f"abacus:{n}"] == "skipped" for k in range(1, 31) for n in (0, 1))
    ran = re.findall(r"test_(\d+)\[(abacus:\d)\] SKIPPED", text)
    assert {int(k) for k, _ in ran} == {*range(1, 30)}
    assert len(ran) < 2 * 29


def test_a_case_of_a_lacking_type_runs_where_its_test_is_another_devices(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "device_names", lambda: ["cpu", "host", "abacus:0", "abacus:1"])
    monkeypatch.setattr(plugin, "_lacked", lambda name: frozenset({sycl.aspect.fp16}))
    text, _ = run(tmp_path, "".join(f"""
@pytest.mark.row("D-12")
@pytest.mark.parametrize("kind", ["int32", "float16", "int64"])
def test_{k}(device, kind):
    pass
""" for k in range(8)), "--device", "abacus:0", "--device", "abacus:1", "--sample", "-v")
    ran = re.findall(r"test_(\d)\[(abacus:\d)-(\w+)\] SKIPPED", text)
    assert {(k, where) for k, where, kind in ran if kind == "float16"} == {
        (str(k), f"abacus:{n}") for k in range(8) for n in (0, 1)}
    assert len([kind for *_, kind in ran if kind != "float16"]) < 16


def test_a_sample_has_a_case_of_each_row(tmp_path: Path) -> None:
    text, rows = run(tmp_path, """
@pytest.mark.parametrize("k", [pytest.param(k, marks=pytest.mark.row(f"D-{k}"))
                               for k in range(1, 10)])
def test_many(device, k):
    pass
""", "--device", "abacus:1", "--sample")
    assert all(rows[f"D-{k}"]["abacus:1"] == "skipped" for k in range(1, 10)), text


def test_a_sample_has_a_case_of_a_type_that_the_device_lacks(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "_lacked", lambda name: frozenset({sycl.aspect.fp16}))
    text, _ = run(tmp_path, """
@pytest.mark.parametrize("kind", ["float16", "int8", "int16", "int32", "float32", "float64"])
def test_many(device, kind):
    pass
""", "--sample", "-v")
    assert set(re.findall(r"test_many\[host-(\S+)\] PASSED", text)) == {"int32", "float16"}


def test_every_case_runs_on_a_device_that_is_named(tmp_path: Path) -> None:
    text, _ = run(tmp_path, MANY, "--device", "abacus")
    assert "21 passed, 20 skipped" in text


def test_tests_that_take_no_device_may_be_left_out(tmp_path: Path) -> None:
    text, _ = run(tmp_path, MANY, "--device-tests")
    assert "20 passed, 1 deselected" in text


def test_a_file_in_which_no_test_takes_a_device_is_not_imported_for_device_tests(
        tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text("def test_it(device):\n    pass\n")
    (tmp_path / "test_two.py").write_text("def test_it():\n    pass\nraise ValueError\n")
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        pytest.main(["-p", "unisycl.testing.plugin", "--device", "host", "--device-tests", "-c",
                     "/dev/null", "--rootdir", str(tmp_path), "--import-mode", "importlib", "-p",
                     "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:zarr", "--capture",
                     "sys", str(tmp_path)])
    assert "1 passed in" in said.getvalue()
