"""Runtimes that crash, hang, fail or are not there; answers that are kept.

A false ``pyopencl`` stands for the loader: what the library of a runtime does, its name says.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unisycl.backends.opencl import discovery, driver, runtimes
from unisycl.base import disk_cache
from unisycl.base.errors import UnsupportedError

LOADER = '''
import os
from pathlib import Path

class Thing:
    def __init__(self, **values):
        self.__dict__.update(values)

def get_platforms():
    folder = Path(os.environ["OCL_ICD_VENDORS"])
    found = []
    for file in sorted(folder.glob("*.icd")):
        library = Path(file.read_text().strip()).name
        if "crash" in library:
            os.abort()
        if "leave" in library:
            os._exit(3)
        if "hang" in library:
            import threading
            threading.Event().wait()
        if "fail" in library:
            raise RuntimeError("no permission")
        if "broken" in library:
            raise RuntimeError("clGetPlatformIDs failed: PLATFORM_NOT_FOUND_KHR")
        print("what drivers print")
        platform = Thing(name=library, version="OpenCL 3.0 test")
        platform.get_devices = lambda platform=platform: [Thing(
            platform=platform, name="processor", vendor="v", version="OpenCL 3.0",
            driver_version="1", extensions="cl_khr_fp64", type=2, opencl_c_version="OpenCL C 3.0",
            max_work_item_sizes=[64, 64, 64], max_compute_units=2)]
        found.append(platform)
    return found
'''


class Place:
    """A folder with the loader, a cache, and runtimes to be added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "pyopencl").mkdir()
        (folder / "pyopencl" / "__init__.py").write_text(LOADER)
        about = folder / "pyopencl-2025.1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: pyopencl\nVersion: 2025.1\n")
        self.vendors = folder / "vendors"
        self.vendors.mkdir()
        self.forget: Callable[[], None] = lambda: None

    def add(self, name: str) -> Path:
        library = self.folder / f"lib{name}.so"
        library.write_text("")
        (self.vendors / f"{name}.icd").write_text(str(library))
        return library


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("OCL_ICD_VENDORS", str(made.vendors))
    monkeypatch.delenv("OCL_ICD_FILENAMES", raising=False)
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    monkeypatch.setattr(disk_cache, "directory", lambda: cache)

    def forget() -> None:
        """Look at a machine without runtimes instead of the folder."""
        monkeypatch.delenv("OCL_ICD_VENDORS")
        for where in ("_in_wheels", "_registered", "_unregistered"):
            monkeypatch.setattr(runtimes, where, tuple)
    made.forget = forget
    return made


def test_a_runtime_that_crashes_takes_no_other_down(place: Place) -> None:
    for name in ("crash", "fail", "good", "leave"):
        place.add(name)
    found = discovery.discover()
    assert ["libgood.so"] == [t.platform for t in found.devices]
    told = {Path(library).name: why for library, why in found.problems.items()}
    assert told.keys() == {"libcrash.so", "libfail.so", "libleave.so"}
    assert "crashed when asked for its devices (signal 6)" in told["libcrash.so"]
    assert "exit status 3" in told["libleave.so"]
    assert told["libfail.so"] == "RuntimeError: no permission"
    assert [d.devices()[0].platform for d in driver.make_drivers()] == ["libgood.so"]
    assert driver.problems() == told


def test_a_library_that_cannot_be_loaded_says_why(place: Place) -> None:
    library = place.add("broken")
    why = discovery.discover().problems[str(library)]
    assert why.startswith("it cannot be loaded: ")
    assert "too short" in why


def test_a_runtime_that_hangs_is_given_up(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "_SECONDS", 0.2)
    library = place.add("hang")
    assert discovery.discover().problems == {str(library): "it did not answer within 0 s"}


def test_only_crashing_runtimes_are_no_devices_and_say_why(place: Place) -> None:
    place.add("crash")
    with pytest.raises(UnsupportedError, match=r"libcrash\.so: it crashed"):
        driver.make_drivers()


def count_processes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    asked: list[str] = []
    real = discovery._start

    def start(library: Path) -> Any:
        asked.append(library.name)
        return real(library)
    monkeypatch.setattr(discovery, "_start", start)
    return asked


def test_a_verdict_is_kept_until_the_runtime_changes(
        place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = place.add("good"), place.add("crash")
    asked = count_processes(monkeypatch)
    first = discovery.discover()
    again = discovery.discover()
    assert sorted(asked) == ["libcrash.so", "libgood.so"]
    assert (first.devices, first.problems) == (again.devices, again.problems)
    bad.write_text("another")
    discovery.discover()
    assert len(asked) == 4
    os.utime(good, ns=(1, 1))
    discovery.discover()
    assert len(asked) == 6


def test_a_problem_is_looked_at_again_after_an_hour(
        place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.add("fail")
    asked = count_processes(monkeypatch)
    now = [1e9]
    monkeypatch.setattr(discovery.time, "time", lambda: now[0])
    for seconds, count in ((0, 1), (3599, 1), (2, 2), (10, 2)):
        now[0] += seconds
        assert discovery.discover().problems
        assert len(asked) == count


def test_a_runtime_is_listed_once(place: Place) -> None:
    library = place.add("good")
    (place.vendors / "again.icd").write_text(str(library))
    assert runtimes.libraries() == [library]


def test_only_processors_are_not_waited_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POCL_DEVICES", raising=False)
    assert not runtimes.beyond_processors()
    for name in ("intelocl", "pocl"):
        place.add(name)
    assert not runtimes.beyond_processors()
    place.add("nvidia-opencl")
    assert runtimes.beyond_processors()


NOTHING = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "pyopencl" else find(name, *more)
import unisycl as sycl
from unisycl.__main__ import main
sycl.queue().single_task(lambda: None).wait()
assert [d.get_backend().name for d in sycl.device.get_devices()] == ["cpu", "host"]
sys.exit(main(["devices"]))
"""


def run(program: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=False, env={**os.environ, **settings})


def test_without_pyopencl_the_device_list_says_so() -> None:
    done = run(NOTHING, UNISYCL_BACKENDS="")
    assert done.returncode == 0, done.stderr
    assert "[opencl] no device: PyOpenCL is not installed; pip install" in done.stdout


def test_without_a_runtime_the_device_list_says_so(place: Place) -> None:
    with pytest.raises(UnsupportedError, match=r"OCL_ICD_VENDORS=.* names no OpenCL runtime"):
        driver.make_drivers()
    place.forget()
    with pytest.raises(UnsupportedError, match="no OpenCL runtime is installed; for processors"):
        driver.make_drivers()


def test_a_device_that_was_asked_for_and_is_not_there_is_told_with_the_reason() -> None:
    done = run("import unisycl; unisycl.queue()", UNISYCL_BACKENDS="cpu,opencl",
               UNISYCL_DEVICE="opencl", OCL_ICD_VENDORS="/nowhere")
    assert ("there is no device 'opencl', which UNISYCL_DEVICE asks for; there are: cpu; "
            "opencl: ") in done.stderr
    assert done.returncode == 1


def test_registrations_of_what_is_missing_are_told(place: Place) -> None:
    place.add("good")
    (place.vendors / "gone.icd").write_text("/opt/vendor/libgone.so\n")
    (place.vendors / "nothing.icd").write_text("")
    told = {Path(file).name: why for file, why in runtimes.missing().items()}
    assert told.keys() == {"gone.icd", "nothing.icd"}
    assert "names '/opt/vendor/libgone.so', which is in none of the folders" in told["gone.icd"]
    paths = os.pathsep.join([str(place.folder), *sys.path])
    done = run("import sys; from unisycl.__main__ import main; sys.exit(main(['devices']))",
               UNISYCL_BACKENDS="", UNISYCL_DEVICE="", PYTHONPATH=paths)
    assert "processor" in done.stdout, done.stderr
    assert "gone.icd)] no device: names '/opt/vendor/libgone.so'" in done.stdout


def test_settings_that_name_nothing_are_told(
        place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.add("good")
    monkeypatch.setenv("OCL_ICD_FILENAMES", "libgood.so:libnowhere.so")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(place.folder))
    assert "names 'libnowhere.so', which is" in runtimes.missing()["OCL_ICD_FILENAMES"]
    (place.vendors / "good.icd").unlink()
    (place.vendors / "gone.icd").write_text("libgone.so")
    monkeypatch.delenv("OCL_ICD_FILENAMES")
    with pytest.raises(UnsupportedError, match="names no OpenCL runtime"):
        driver.make_drivers()
    paths = os.pathsep.join([str(place.folder), *sys.path])
    done = run("from unisycl.__main__ import main; main(['devices'])", UNISYCL_DEVICE="",
               UNISYCL_BACKENDS="cpu,opencl", PYTHONPATH=paths)
    assert "[opencl] no device: OCL_ICD_VENDORS=" in done.stdout
    assert "gone.icd)] no device: names 'libgone.so'" in done.stdout


def test_an_old_pyopencl_is_told(place: Place) -> None:
    place.add("good")
    about = place.folder / "pyopencl-2025.1.dist-info" / "METADATA"
    about.write_text(about.read_text().replace("2025.1", "2023.1.4"))
    found = discovery.discover()
    assert not found.devices
    assert found.problems[""].startswith("PyOpenCL 2023.1.4 is too old; pip install -U 'pyopencl>=")
    assert str(runtimes.OLDEST[0]) in Path("pyproject.toml").read_text()


def test_a_process_that_prints_something_else_is_a_problem(
        place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    library = place.add("good")
    for text in ("welcome", "3", "{}"):
        monkeypatch.setattr(discovery, "_start", lambda _, text=text: subprocess.Popen(
            [sys.executable, "-c", f"print({text!r})"], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE))
        why = discovery.ask_all([library])[str(library)]
        assert "it crashed when asked for its devices (exit status 0)" in str(why["problem"])


LAZY = """
import sys
import unisycl as sycl
for selector in (sycl.default_selector_v, sycl.cpu_selector_v, sycl.host_selector_v):
    sycl.queue(selector).single_task(lambda: None).wait()
p = sycl.malloc_shared(4, int, sycl.queue())
assert sycl.queue().get_device().get_platform().get_devices()
print([m for m in sys.modules if m.startswith("pyopencl") or m.startswith(
    "unisycl.backends.opencl.driver")])
"""


def test_nobody_who_wants_a_processor_waits_for_opencl(place: Place) -> None:
    place.add("pocl")
    paths = os.pathsep.join([str(place.folder), *sys.path])
    done = run(LAZY, UNISYCL_BACKENDS="", UNISYCL_DEVICE="", PYTHONPATH=paths)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr
