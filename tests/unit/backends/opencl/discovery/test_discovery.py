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

from unisycl.backends.opencl import driver
from unisycl.backends.opencl.discovery import asking, discovery, runtimes
from unisycl.base.errors import DeviceError, UnsupportedError
from unisycl.base.settings import LOOKING
from unisycl.process import disk_cache

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
        if "odd" in library:
            os.write(1, b"no end of line")
        print("what drivers print")
        platform = Thing(name=library, version="OpenCL 3.0 test")
        platform.get_devices = lambda platform=platform: [Thing(
            platform=platform, name="processor", vendor="v", version="OpenCL 3.0",
            driver_version="1", extensions="cl_khr_fp64", type=2, opencl_c_version="OpenCL C 3.0",
            max_work_item_sizes=[64, 64, 64], max_compute_units=2)
            for _ in range(2 if "two" in library else 1)]
        found.append(platform)
    return found

class Failure(Exception):
    code = -11

class Program:
    def __init__(self, context, source):
        self.library = context.devices[0].platform.name
        context.devices[0].tried = True

    def _build(self, options, devices):
        if "busy" in self.library:
            raise MemoryError
        if "end" in self.library:
            os.write(2, b"LLVM ERROR: no such feature")
            os.abort()
        first = not hasattr(Program, "built")
        Program.built = True
        if "cpuless" in self.library or ("two" in self.library and first):
            raise Failure("BUILD_PROGRAM_FAILURE")

    def get_build_info(self, device, what):
        return "error: unknown target CPU 'generic'\\nDevice failed\\n" + "more\\n" * 30

def Context(devices):
    if "taken" in devices[0].platform.name:
        raise RuntimeError("somebody else has it")
    return Thing(devices=devices)

def CommandQueue(context, device):
    return Thing(finish=lambda: None)

def Buffer(context, flags, size):
    return Thing(size=size)

def Kernel(program, name):
    if "launch" in program.library:
        raise Failure("no such kernel")
    return Thing(set_arg=lambda *a: None, program=program)

def enqueue_nd_range_kernel(queue, kernel, space, local):
    queue.wrong = "wrong" in kernel.program.library

def enqueue_copy(queue, out, memory):
    out[:] = (41 if queue.wrong else 42).to_bytes(4, "little") * 4

_cl = Thing(_Program=Program)
program_build_info = Thing(LOG=1)
mem_flags = Thing(WRITE_ONLY=1)
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

    def paths(self) -> str:
        """The folders to import from, in another process."""
        return os.pathsep.join([str(self.folder), *filter(None, sys.path),
                                str(Path(runtimes.__file__).parents[4])])

    def add(self, name: str) -> Path:
        library = self.folder / f"lib{name}.so"
        library.write_text("")
        (self.vendors / f"{name}.icd").write_text(str(library))
        return library


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "pyopencl", raising=False)  # other tests may have loaded it
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
    monkeypatch.setattr(asking, "SECONDS", 0.2)
    library = place.add("hang")
    assert discovery.discover().problems == {str(library): "it did not answer within 0 s"}


def test_only_crashing_runtimes_are_no_devices_and_say_why(place: Place) -> None:
    place.add("crash")
    with pytest.raises(DeviceError, match=r"libcrash\.so: it crashed"):
        driver.make_drivers()


def count_processes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    asked: list[str] = []
    real = asking.begin

    def begin(library: Path) -> Any:
        asked.append(library.name)
        return real(library)
    monkeypatch.setattr(asking, "begin", begin)
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


def run(program: str, *, isolated: bool = False, cwd: Path | None = None,
        **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *(["-I"] if isolated else []), "-c", program],
                          capture_output=True, text=True, check=False, cwd=cwd,
                          env={**os.environ, **settings})


def test_without_pyopencl_the_device_list_says_so() -> None:
    done = run(NOTHING, UNISYCL_BACKENDS="cpu,host,opencl")  # this machine may have a card
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
               UNISYCL_DEVICE="opencl", OCL_ICD_VENDORS="/nowhere", OCL_ICD_FILENAMES="")
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


def test_settings_do_not_mean_the_current_folder(
        place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    library = place.add("good")
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    monkeypatch.setattr(runtimes.start_folder, "FOLDER", str(place.folder))
    monkeypatch.setenv("OCL_ICD_VENDORS", "vendors")
    monkeypatch.chdir("/")
    assert runtimes.libraries() == [library]
    monkeypatch.delenv("OCL_ICD_VENDORS")
    monkeypatch.setenv("OCL_ICD_FILENAMES", "./libgood.so")
    assert runtimes.libraries() == [library]
    monkeypatch.setenv("OCL_ICD_FILENAMES", "libgood.so")
    monkeypatch.chdir(place.folder)
    assert not runtimes.libraries()


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
        monkeypatch.setattr(asking, "begin", lambda _, text=text: asking.Spawned(
            [sys.executable, "-c", f"print({text!r})"]))
        why = asking.ask_all([library])[str(library)]
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


# ---------------------------------------------------------------------- what compiles nothing
def test_a_device_that_cannot_build_a_kernel_is_a_problem_with_its_log(place: Place) -> None:
    bad = place.add("cpuless")
    place.add("good")
    found = discovery.discover()
    assert [t.platform for t in found.devices] == ["libgood.so"]
    why = found.problems[str(bad)]
    assert why.startswith("libcpuless.so, processor: it cannot build a kernel of one line: ")
    assert "BUILD_PROGRAM_FAILURE; its log: error: unknown target CPU 'generic' | Device" in why
    assert "| ... 12 more lines; this compiler is older than the processor: a newer PoCL" in why
    assert discovery.discover().problems == found.problems  # kept, as other answers are


def test_one_device_of_a_runtime_may_fail_alone(place: Place) -> None:
    library = place.add("two")
    found = discovery.discover()
    assert [t.number for t in found.devices] == [1]
    assert "cannot build a kernel of one line" in found.problems[str(library)]


@pytest.mark.parametrize(("name", "why"), [
    ("launch", "it does not run a kernel of one line: Failure: no such kernel"),
    ("wrong", "a kernel that stores 42 stores [41, 41, 41, 41]"),
    ("end", "it crashed when asked for its devices (signal 6) "),
])
def test_a_processor_that_runs_no_kernel_is_a_problem(place: Place, name: str, why: str) -> None:
    library = place.add(name)
    found = discovery.discover()
    assert not found.devices
    assert why in found.problems[str(library)]
    if name == "end":
        assert "LLVM ERROR: no such feature" in found.problems[str(library)]


@pytest.mark.parametrize("name", ["taken", "odd"])
def test_what_fails_at_present_only_is_no_problem(place: Place, name: str) -> None:
    place.add(name)
    found = discovery.discover()
    assert len(found.devices) == 1
    assert not found.problems


def test_a_device_list_names_what_compiles_nothing(place: Place) -> None:
    place.add("cpuless")
    done = run("import sys; from unisycl.__main__ import main; sys.exit(main(['devices']))",
               UNISYCL_BACKENDS="", UNISYCL_DEVICE="", PYTHONPATH=place.paths())
    assert "[opencl] no device: " in done.stdout, done.stderr
    assert "its log: error: unknown target CPU 'generic'" in done.stdout
    done = run("import unisycl; unisycl.queue('opencl')", UNISYCL_BACKENDS="",
               UNISYCL_DEVICE="", PYTHONPATH=place.paths())
    assert "there is no device 'opencl'" in done.stderr
    assert "unknown target CPU 'generic'" in done.stderr


def test_tests_name_what_they_ran_without(place: Place) -> None:
    place.add("cpuless")
    root = Path(runtimes.__file__).parents[4]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         "tests/unit/base/test_version.py"],
        capture_output=True, text=True, check=False, cwd=root, env={
            **os.environ, "PYTHONPATH": place.paths(), "UNISYCL_BACKENDS": ""})
    assert done.returncode == 0, done.stdout
    assert "without opencl: " in done.stdout
    assert "unknown target CPU 'generic'" in done.stdout


# ---------------------------------------------------------------------- nobody else's code
EVIL = "open({told!r}, 'a').write({name!r} + chr(10))\n"
LIST = """
import sys
sys.path[:0] = {paths!r}
from unisycl.backends.opencl.discovery import discovery
found = discovery.discover()
print([t.platform for t in found.devices], found.problems)
"""
NAMES = ("json", "numpy", "unisycl", "ctypes", "tempfile", "importlib", "sitecustomize", "select",
         "usercustomize", "encodings", "asked", "probe")


def spoil(folder: Path) -> Path:
    """Put modules in that tell of being run; return where they tell it."""
    folder.mkdir()
    told = folder.parent / "told"
    for name in NAMES:
        (folder / f"{name}.py").write_text(EVIL.format(told=str(told), name=name))
    return told


@pytest.mark.parametrize("variable", ["", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE"])
def test_nothing_of_the_current_folder_is_run(place: Place, variable: str) -> None:
    place.add("good")
    here = place.folder / "here"
    told = spoil(here)
    settings = {variable: str(here)} if variable else {}
    done = run(LIST.format(paths=place.paths().split(os.pathsep)), isolated=True, cwd=here,
               UNISYCL_CACHE="off", **settings)
    assert done.stdout == "['libgood.so'] {}\n", done.stderr
    assert not told.exists(), told.read_text()


def test_what_is_imported_from_the_programs_folder_is_not_passed_on(
        place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("start", "now", "program", "other"):
        (place.folder / folder).mkdir()
    monkeypatch.setattr(asking.start_folder, "FOLDER", str(place.folder / "start"))
    monkeypatch.chdir(place.folder / "now")
    monkeypatch.setattr(sys.modules["__main__"], "__file__",
                        str(place.folder / "program" / "p.py"), raising=False)
    every = [str(place.folder / x) for x in ("start", "now", "program", "other")]
    for entry in ("", "now", *every):
        monkeypatch.syspath_prepend(entry)
    found = asking._folders()
    assert str(place.folder / "other") in found
    assert found[0] == str(place.folder)  # where pyopencl lies
    assert not {*every[:3]} & {*found}
    assert all(Path(folder).is_absolute() for folder in found)


FROZEN = """
import os, sys, warnings
from pathlib import Path
sys.path[:0] = {paths!r}
sys.executable = {application!r}
{how}
warnings.simplefilter("error")
import threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
from unisycl.backends.opencl.discovery import discovery
found = discovery.discover()
told = {{Path(library).name: why for library, why in found.problems.items()}}
print([t.platform for t in found.devices], told)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize(("how", "name"), [
    ("sys.frozen = True", "python3"), ("", "application"), ("sys.executable = ''", "python"),
    ("sys.executable = None", "python")])
def test_a_frozen_application_is_not_started_again(place: Place, how: str, name: str) -> None:
    for library in ("good", "crash", "cpuless"):
        place.add(library)
    application, told = place.folder / name, place.folder / "told"
    application.write_text(f"#!/bin/sh\necho started >> {told}\n")
    application.chmod(0o755)
    done = run(FROZEN.format(paths=place.paths().split(os.pathsep), how=how,
                             application=str(application)), UNISYCL_CACHE="off")
    assert not told.exists()
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("['libgood.so'] {"), done.stderr
    assert "crashed when asked for its devices (signal 6)" in done.stdout
    assert "unknown target CPU 'generic'" in done.stdout


def test_a_forked_child_that_hangs_is_given_up(
        place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.add("hang")
    program = FROZEN.format(paths=place.paths().split(os.pathsep), application="",
                            how="from unisycl.backends.opencl.discovery import asking; "
                                "asking.SECONDS = 0.5")
    done = run(program, UNISYCL_CACHE="off")
    assert done.stdout == "[] {'libhang.so': 'it did not answer within 0 s'}\n", done.stderr


def test_without_fork_a_frozen_application_says_how_to_do_without(
        place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    library = place.add("good")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.delattr(os, "fork")
    assert "UNISYCL_BACKENDS=cpu,host" in discovery.discover().problems[str(library)]


def test_a_process_that_was_started_to_ask_starts_none(
        place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    library = place.add("good")
    monkeypatch.setenv(LOOKING, "1")
    monkeypatch.setattr(asking, "begin", None)
    assert "is no Python interpreter" in discovery.discover().problems[str(library)]
