"""``python -m unisycl build``: wheels whose kernels need neither a compiler nor their text."""

from __future__ import annotations

import importlib
import math
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.__main__ import main
from unisycl.backends import registry
from unisycl.backends.base import Geometry
from unisycl.backends.cpu import variants
from unisycl.backends.cpu.compile import target
from unisycl.backends.cuda.discovery.card import Card
from unisycl.backends.cuda.text import carried as cuda_carried
from unisycl.backends.cuda.text.dialect import make_dialect
from unisycl.backends.cuda.text.target import Target
from unisycl.backends.device.texts import Variant, key_of, source_of
from unisycl.frontend import compiling, shipped, specialize
from unisycl.ir import carried
from unisycl.process import packages
from unisycl.runtime.launch import program

PACKAGE = {
    "__init__.py": '__version__ = "1.2"\nTEXT = "data"\n',
    "helpers.py": "def square(x):\n    return x * x\n",
    "note.txt": "goes along\n",
    "kernels.py": """
import math
import numpy as np
import unisycl as sycl
from NAME.helpers import square

FACTOR = 3
usm = sycl.ext.unisycl.usm_like

@sycl.kernel
def mixed(i, x, y, a):
    y[i] = a * square(x[i]) + math.sqrt(y[i]) * FACTOR + sycl.exp(x[i])

mixed.declare(sycl.range(1), usm(np.float32), usm(np.float32), np.float32(0))

@sycl.kernel
def scale(it, a, factor):
    a[it] = a[it] * factor

scale.declare(sycl.range(1, 1), usm(np.float32, 2), np.float32(1))
scale.declare(sycl.range(1, 1), np.zeros((1, 1), np.float32), np.float32(1))

@sycl.kernel
def sums(it, x, out):
    group = it.get_group()
    found = sycl.reduce_over_group(group, x[it.get_global_id(0)], sycl.plus())
    if it.get_local_id(0) == 0:
        out[group.get_group_id(0)] = found

sums.declare(sycl.nd_range(64, 64), usm(np.int32), usm(np.int32))

tile = sycl.local_accessor(np.int32, 64)

@sycl.kernel
def meet(it, out, one, other):
    k = it.get_local_id(0)
    one[k] = 1
    other[k] = 2
    sycl.group_barrier(it.get_group())
    out[k] = one[63 - k]

meet.declare(sycl.nd_range(64, 64), usm(np.int32), tile, tile)
meet.declare(sycl.nd_range(64, 64), usm(np.int32), tile, sycl.local_accessor(np.int32, 64))

def undeclared(i, y):
    y[i] = 1
"""}
USE = """
import sys
sys.modules["llvmlite"] = None
import numpy as np
import unisycl as sycl
import NAME.kernels as kernels
assert kernels.__file__.endswith(ENDING), kernels.__file__
q = sycl.queue(sycl.cpu_selector_v)
for n in (1, 7, 16, 1000, 3_000_001):
    x, y = (sycl.malloc_shared(n, np.float32, q) for _ in "xy")
    x[:] = xs = np.linspace(0, 1, n, dtype=np.float32)
    y[:] = 4
    q.parallel_for(n, kernels.mixed, x, y, np.float32(2.5)).wait()
    np.testing.assert_allclose(np.asarray(y), 2.5 * xs * xs + 6 + np.exp(xs), rtol=2e-6)
x, out = sycl.malloc_shared(192, np.int32, q), sycl.malloc_shared(3, np.int32, q)
x[:] = np.arange(192)
q.parallel_for(sycl.nd_range(192, 64), kernels.sums, x, out).wait()
assert list(out) == [2016, 6112, 10208], list(out)
assert "llvmlite.binding" not in sys.modules
import contextlib, io
from unisycl.__main__ import main
with contextlib.redirect_stdout(io.StringIO()) as said:
    assert main(["devices"]) == 0
    main(["doctor"])
assert "without a compiler" in said.getvalue()
assert "works: 1000 work-items" not in said.getvalue()
for wrong, kind in ((lambda: q.parallel_for(8, kernels.undeclared, x), sycl.exception),
                    (lambda: q.parallel_for(8, kernels.mixed, x, x, 1.0), sycl.exception)):
    try:
        wrong()
    except kind as error:
        print(" ".join(error.what().split()))
"""


def _write(folder: Path, name: str) -> Path:
    for file, text in PACKAGE.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / file).write_text(text.replace("NAME", name))
    return folder


def _built(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> Path:
    """Build a package; return the folder where its wheel is installed."""
    monkeypatch.chdir(_write(folder / "from", name))
    monkeypatch.syspath_prepend(str(folder / "from"))
    assert main(["build", f"{name}.kernels", "-o", str(folder / "wheels"), *words]) == 0
    (wheel,) = (folder / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder / "site")
    _forget(name)
    monkeypatch.syspath_prepend(str(folder / "site"))
    return folder / "site"


def _forget(name: str) -> None:
    """Have a package imported anew, from wherever it is now."""
    for module in [m for m in sys.modules if m.partition(".")[0] == name]:
        del sys.modules[module]
    importlib.invalidate_caches()
    packages._of_package.cache_clear()
    packages._opened.cache_clear()
    packages.installed.cache_clear()
    shipped.digest_of.cache_clear()
    specialize.forget()  # equal code of another folder would serve
    program._warm.clear()


def _kernels(name: str) -> Any:
    return importlib.import_module(f"{name}.kernels")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A package as installed, with its sources, for two levels of processors and OpenCL."""
    with pytest.MonkeyPatch.context() as patch:
        name = "unisycl_built"
        yield name, _built(name, tmp_path_factory.mktemp("built"), patch,
                           "--targets", "cpu:x86-64,cpu:x86-64-v3,opencl")
        _forget(name)


def _came(module: Any, kernel: str) -> list[Any]:
    """Return what a package brings of a kernel."""
    return list(shipped._all(getattr(module, kernel).function))


def _compiled_from_text(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list of the functions that the front end reads from now on."""
    read: list[str] = []
    plain = compiling.function_source

    def watched(code: Any, space: Any = None) -> Any:
        read.append(code.co_name)
        return plain(code, space)
    monkeypatch.setattr(compiling, "function_source", watched)
    return read


def test_kernels_of_a_package_run_on_every_device(
        site: tuple[str, Path], queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    module = _kernels(site[0])
    assert len(_came(module, "mixed")) == 1
    read = _compiled_from_text(monkeypatch)
    for shape in ((1, 1), (5, 1), (1, 7), (33, 17), (100, 1), (3, 4), (1, 40)):
        data = sycl.malloc_device(shape, np.float32, queue)
        queue.copy(np.arange(math.prod(shape), dtype=np.float32).reshape(shape), data).wait()
        queue.parallel_for(sycl.range(*shape), module.scale, data, np.float32(3)).wait()
        found = np.empty(shape, np.float32)
        queue.copy(data, found).wait()
        assert np.array_equal(found, np.arange(math.prod(shape)).reshape(shape) * 3)
    for n in (1, 9, 1000):
        x, y = (sycl.malloc_device(n, np.float32, queue) for _ in "xy")
        values = np.linspace(0, 2, n, dtype=np.float32)
        queue.copy(values, x).wait()
        queue.copy(values, y).wait()
        queue.parallel_for(n, module.mixed, x, y, np.float32(0.5)).wait()
        found = np.empty(n, np.float32)
        queue.copy(y, found).wait()
        assert np.allclose(found, 0.5 * values**2 + 3 * np.sqrt(values) + np.exp(values),
                           rtol=4e-6)
    assert len(_came(module, "meet")) == 2
    tiles = [sycl.local_accessor(np.int32, 64) for _ in range(2)]
    for other in (0, 1, 0):  # whether two local accessors are one decides which kernel serves
        out = sycl.malloc_device(64, np.int32, queue)
        queue.parallel_for(sycl.nd_range(64, 64), module.meet, out, tiles[0], tiles[other]).wait()
        found = np.empty(64, np.int32)
        queue.copy(out, found).wait()
        assert found.tolist() == [2 - other] * 64
    name = queue.get_device().state.info.backend.name
    assert ("meet" in read) == (name not in ("cpu", "opencl"))
    assert ("scale" in read) == (name not in ("cpu", "opencl"))


def test_a_wheel_without_sources_runs_without_a_compiler(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "unisycl_bare"
    site = _built(name, tmp_path, monkeypatch, "--no-sources", "--name", "Bare-Kernels",
                  "--targets", "cpu:x86-64")
    assert (site / name / "note.txt").read_text() == "goes along\n"
    assert not list(site.rglob("*.py"))
    folder = site / "bare_kernels-1.2.dist-info"
    record = (folder / "RECORD").read_text()
    assert all(f"{p.relative_to(site).as_posix()}," in record
               for p in site.rglob("*") if p.is_file())
    assert "Tag: cp3" in (folder / "WHEEL").read_text()
    shutil.rmtree(tmp_path / "from")
    root = str(Path(sycl.__file__).parents[1])
    ran = subprocess.run(
        [sys.executable, "-c", USE.replace("NAME", name).replace("ENDING", '".pyc"')],
        env={**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{root}", "UNISYCL_CACHE": "off",
             "UNISYCL_BACKENDS": "cpu"}, cwd=tmp_path,  # MKL ends a process whose folder is gone
        capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    missing, other = ran.stdout.splitlines()
    assert "cannot be found" in missing
    assert "comes compiled in its package" in other
    assert "float32" in other


def test_a_level_that_the_processor_lacks_is_not_chosen(
        site: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = _came(_kernels(site[0]), "mixed")
    for have, lanes in ((("x86-64-v3", "x86-64"), 8), (("x86-64",), 4), ((), 0)):
        monkeypatch.setattr(variants, "levels", lambda have=have: have)
        monkeypatch.setattr(variants, "_carried", variants.Findings(variants._fitting))
        ready = variants.of(found.kernel)
        assert (0 if ready is None else ready.facts[0]) == lanes


def test_levels_end_at_the_first_that_is_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    every = [flags for _, flags in target.LEVELS.values()]
    text = "flags\t: " + " ".join([*every[1], *every[3]]) + "\n\n"
    monkeypatch.setattr(Path, "read_text", lambda *a, **k: text)
    monkeypatch.setattr(target.platform, "machine", lambda: "x86_64")
    assert target.levels.__wrapped__() == ("x86-64-v2", "x86-64")
    monkeypatch.setattr(target.platform, "machine", lambda: "aarch64")
    assert target.levels.__wrapped__() == ()


def test_the_general_variant_is_right_for_every_range(
        site: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    module, q = _kernels(site[0]), sycl.queue(sycl.cpu_selector_v)
    monkeypatch.setattr(variants.Carried, "closest", lambda self, key: variants.ANY)
    for shape in ((1, 1), (5, 1), (1, 7), (33, 17), (64, 64), (1, 1000), (7, 3)):
        data = np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
        want = data * 5
        q.parallel_for(sycl.range(*shape), module.scale, data, np.float32(5)).wait()
        assert np.array_equal(data, want), shape


def _unused(name: str, site: Path, text: str) -> None:
    """Check that a package's kernels are not used, and that a warning says why."""
    _forget(name)
    with pytest.warns(RuntimeWarning, match=text):
        assert _came(_kernels(name), "mixed") == []


def test_kernels_that_are_not_as_installed_are_not_used(
        site: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, folder = site[0], tmp_path / "site"
    shutil.copytree(site[1], folder)
    monkeypatch.syspath_prepend(str(folder))
    file = folder / name / packages.FILE
    sound = file.read_bytes()
    file.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
    _unused(name, folder, "digest")
    file.write_bytes(b"something else")
    _unused(name, folder, "no such file")
    file.write_bytes(sound)
    file.chmod(0o666)
    _unused(name, folder, "others than its owner")
    file.chmod(0o644)
    file.rename(folder / "there")
    file.symlink_to(folder / "there")
    _unused(name, folder, "are not used")
    file.unlink()
    (folder / "there").rename(file)
    record = next(folder.glob("*.dist-info")) / "RECORD"
    noted = record.read_text()
    record.write_text("")
    _unused(name, folder, "does not list it")
    record.write_text(noted)
    monkeypatch.setattr(packages, "state", lambda: "another")
    _unused(name, folder, "another unisycl")
    monkeypatch.undo()
    _forget(name)


def test_changed_functions_are_compiled_from_their_text(
        site: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, folder, q = site[0], tmp_path / "site", sycl.queue(sycl.cpu_selector_v)
    shutil.copytree(site[1], folder)
    monkeypatch.syspath_prepend(str(folder))
    (folder / name / "helpers.py").write_text("def square(x):\n    return x * x * x\n")
    _forget(name)
    module = _kernels(name)
    assert _came(module, "mixed") == []
    assert len(_came(module, "scale")) == 1  # nothing of the changed file is in it
    x, y = np.full(5, 2, np.float32), np.zeros(5, np.float32)
    q.parallel_for(5, module.mixed, x, y, np.float32(1)).wait()
    assert np.allclose(y, 8 + np.exp(2.0), rtol=1e-6)
    module.FACTOR = 4  # a constant of the module is a guard
    monkeypatch.undo()
    _forget(name)
    module = _kernels(name)
    module.FACTOR = 5
    assert len(_came(module, "mixed")) == 1
    x, y = (sycl.malloc_shared(5, np.float32, q) for _ in "xy")
    x[:], y[:] = 2, 4
    q.parallel_for(5, module.mixed, x, y, np.float32(1)).wait()
    assert np.allclose(y, 4 + 10 + np.exp(2.0), rtol=1e-6)
    _forget(name)


def test_texts_that_cards_launch_are_those_that_were_compiled(site: tuple[str, Path]) -> None:
    kernel = _came(_kernels(site[0]), "scale")[0].kernel
    try:
        raw = registry.shipping("cuda").make(kernel, Geometry("range", (1, 1), (), (0, 0)), "sm_90")
    except sycl.exception as error:
        pytest.skip(error.what())
    carried.note(kernel, {"cuda:sm_90": "raw"}, lambda name: raw)
    real = Card(0, "H100", "", 80 << 30, "", {"major": 9, "minor": 0, "units": 132,
                                              "grid_x": (1 << 31) - 1})
    dialect = make_dialect(Target((9, 0)))
    for shape in ((1, 1), (32, 32), (1000, 7), (1 << 20, 16), (1 << 30, 4)):
        key = key_of(kernel, Geometry("range", shape, (), (0, 0)), real.facts())
        source = source_of(kernel, key, dialect, real.facts(), Variant())
        code = cuda_carried.find(source, kernel, Target((9, 0)))
        assert code is not None, (shape, key)
        assert code[:4] == b"\x7fELF"
        assert cuda_carried.find(source, kernel, Target((8, 0))) is None
        assert cuda_carried.find(source, kernel, Target((10, 0))) is None


@pytest.mark.parametrize(("words", "said"), [
    (["nosuch"], "cannot be imported"),
    (["math"], "is no package"),
    (["unisycl_wrong.kernels", "--targets", "cpu:pentium"], "there is no processor 'pentium'"),
    (["unisycl_wrong.kernels", "--targets", "host"], "for 'host'"),
    (["unisycl_wrong.helpers"], "no kernel of 'unisycl_wrong'"),
    (["unisycl_wrong.closes"], "has no place in a package"),
])
def test_what_cannot_be_built_is_said(
        words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(_write(tmp_path, "unisycl_wrong"))
    (tmp_path / "unisycl_wrong" / "closes.py").write_text(
        "import numpy as np\nimport unisycl as sycl\ndef make(f):\n    @sycl.kernel\n"
        "    def k(i, a):\n        a[i] = f(a[i])\n    return k\n"
        "k = make(lambda x: x + 1)\nk.declare(sycl.range(1), np.zeros(1))\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["build", "-o", str(tmp_path / "out"), *words]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    _forget("unisycl_wrong")
