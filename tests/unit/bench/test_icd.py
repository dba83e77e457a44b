"""Finding OpenCL runtimes: what is said when there is none."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import pytest

from bench.harness import Missing
from bench.peers import icd


def test_a_runtime_that_is_not_there_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(icd.VENDORS, "none", icd.Vendor("None", "libnone*.so", "none-wheel"))
    with pytest.raises(Missing, match="pip install none-wheel"):
        icd.find("none")


def test_a_library_beside_pyopencl_is_found_and_registered(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "pyopencl" / ".libs" / "libnone-1.so"
    library.parent.mkdir(parents=True)
    library.touch()
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setitem(icd.VENDORS, "none", icd.Vendor("None", "libnone*.so", "none-wheel"))
    for variable in ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "PYOPENCL_NO_CACHE"):
        monkeypatch.setenv(variable, "")
    assert icd.register("none") == library
    registration = Path(os.environ["OCL_ICD_VENDORS"]) / "vendor.icd"
    assert registration.read_text().strip() == str(library)
