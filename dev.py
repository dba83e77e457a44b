"""The developer's commands: ``python dev.py check|test|ci|nightly|bench|conformance|docs|...``.

Only the standard library is used here; each command runs with the interpreter that runs this file.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent
DOCS = ROOT / "docs" / "conformance.md"
ROWS = ROOT / "build" / "rows"
"""What each process of ``ci`` and ``nightly`` saw of the rows; not at levels of memory."""
FOUND = """
import json, unisycl
from unisycl.backends import registry
from unisycl.testing import device_names, find_device
about = unisycl.info.platform.name
places = {name: find_device(name).get_platform().get_info(about) for name in device_names()}
absent = registry.absent()
words = {name: " ".join(find_device(name).get_info(unisycl.info.device.extensions))
         for name in places}
print(json.dumps([places, {k: why for k, why in registry.problems().items() if k not in absent},
                  words]))
"""
"""Prints by devices' names their platforms, why others are no devices, and extensions."""
TURN, TURNS = "turn", 2
"""The file in which a run of ``ci`` says whose turn it was, and of how many runs all tests are."""
TEST = ("pytest", "hypothesis", "scipy", "mpmath", "PIL", "matplotlib", "numpy", "llvmlite")
SHARED = ("tests/conformance/usm", "tests/conformance/device_global")
OURS = ("cpu", "host")
CONFORMANCE, UNIT = "tests/conformance", "tests/unit"
LARGE = (f"{CONFORMANCE}/language", f"{CONFORMANCE}/oneapi")
"""Half of the time of the conformance tests: processes of their own. One that takes longer than all
others has a processor stand idle at the end, and keeps all it compiled."""
GROUPS = tuple(f"{CONFORMANCE}/{name}" for name in ("checking", "group", "image", "vec"))
"""Half of the others on our devices."""
SETTINGS: tuple[tuple[str, dict[str, str], tuple[str, ...], str], ...] = (
    ("", {}, (), ""),
    ("opencl", {"UNISYCL_MEMORY": "unified"}, SHARED, "unified_shared_memory"),
    ("opencl", {"UNISYCL_MEMORY": "fine"}, SHARED, ""),
    ("opencl", {"UNISYCL_MEMORY": "coarse"}, SHARED, ""),
    ("opencl", {"UNISYCL_MEMORY": "separate"}, (*SHARED, "tests/conformance/buffer"), ""),
)
"""What ``ci`` runs on devices beyond the CPU and the host: how the names of these begin, the
environment, which tests (none: all), and a part of an extension's name without which a device has
no such level: it would run those of the next. Levels that no device of CI has are asked for. Those
that any device has go by turns: what decides them is ours, not the device's."""
ALONE = {"OPENBLAS_NUM_THREADS": "1"}
"""A thread of NumPy's own for each processor takes each of some hundred processes 40 ms to make."""
SAMPLE, DAY = 1500.0, 86400.0  # seconds for one process; what takes longer hangs
RANDOM = ("tests.property.fuzz", "tests.property.partings", "tests.property.guarded",
          "tests.property.walks", "tests.property.parts")
SHARE, CASES = 100, 40
"""Random programs, and cases of tests, for a process of a night of many workers."""
STRESS = ("graphs", "threads", "failures", "interrupts", "moments", "lifetimes", "endings",
          "losses", "launches")
INSTALL = f"{sys.executable} -m pip install -e '{ROOT}[{{extra}}]'"


@dataclass(frozen=True)
class Run:
    """How tests are run: a process has ``limit`` seconds, the whole has until a time.

    In a folder (``each``) it is noted what ended well. Without ``workers`` as many processes as
    suit the processors; with them so many, of ``CASES`` tests each.
    """

    limit: float
    each: Path | None = None
    workers: int = 0
    until: float = float("inf")


def require(extra: str, *modules: str) -> None:
    """End with a clear line if a module is not installed."""
    missing = [m for m in modules if find_spec(m) is None]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}; do: {INSTALL.format(extra=extra)}")


def run(*command: str) -> int:
    """Run ``python *command`` in the project's folder; return its exit status."""
    print("$ python", " ".join(command), flush=True)
    return subprocess.run([sys.executable, *command], cwd=ROOT, check=False).returncode


@contextlib.contextmanager
def byte_code() -> Iterator[dict[str, str]]:
    """Have processes keep Python's byte code where none may be written beside the sources.

    Each of some hundred would compile 500 files anew. What it gives is for their environment.
    """
    if not sys.dont_write_bytecode:
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="unisycl-bytes-", ignore_cleanup_errors=True) as made:
        yield {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": made}


def quietly(*command: str, limit: float = DAY, **environment: str) -> tuple[int, str]:
    """Run ``python *command`` in the project's folder; return its exit status and output.

    After ``limit`` seconds it is ended.
    """
    with subprocess.Popen([sys.executable, *command], cwd=ROOT, text=True,
                          env={**os.environ, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as running:
        watch = threading.Timer(limit, running.kill)
        watch.daemon = True
        watch.start()
        text, _ = running.communicate()
        late = not watch.is_alive()
        watch.cancel()
    return running.returncode, text + (f"stopped after {limit:.0f} s\n" if late else "")


def check(arguments: Sequence[str]) -> int:
    """Lint, types and the tests of the project's structure."""
    if arguments:
        sys.exit("check takes no arguments")
    require("test", "ruff", "mypy", "pytest", "numpy", "llvmlite")
    steps = (["-m", "ruff", "check", "."], ["-m", "mypy"], ["-m", "pytest", "-q", "tests/arch"])
    failed = [" ".join(step) for step in steps if run(*step) != 0]
    print("check: " + (f"failed: {'; '.join(failed)}" if failed else "all is well"))
    return 1 if failed else 0


def test(arguments: Sequence[str]) -> int:
    """The tests; arguments go to pytest."""
    require("test", *TEST)
    return run("-m", "pytest", *arguments)


def ci(arguments: Sequence[str]) -> int:
    """The tests with a few cases each, some processes at a time: [--needs PLATFORM] [PYTEST ...].

    On the CPU and the host device all tests, on each other device those that take one, and some of
    them again, as ``SETTINGS`` says; ``nightly`` runs all cases. ``--needs``: a part of a
    platform's name of which a device must be there; may be repeated. What is installed and does
    not work is named at the end. Devices of a backend share tests, and change places from day to
    day; ``--turn N``, which is printed, has a run repeat another day's.
    """
    parser = _needs(ci)
    parser.add_argument("--turn", type=int, default=int(time.time() // DAY) % 2)
    options, rest = parser.parse_known_args(arguments)
    print(f"ci: --turn {options.turn}", flush=True)
    status = _on_devices(
        "ci", options.needs, ("--sample", f"--turn={options.turn}", *rest), Run(SAMPLE))
    if ROWS.is_dir():
        (ROWS / TURN).write_text(str(options.turn % TURNS), encoding="utf-8")
    return status


def nightly(arguments: Sequence[str]) -> int:
    """All cases on all devices, random programs, stress: [--needs PLATFORM] [--count N].

    With ``--each FOLDER`` what ended well is noted there, file by file of the tests, and not run
    again: several nights make a whole. The page is made of what it holds then. ``--workers N``:
    everything at the same time, by N processes of tests and half as many of the rest. ``--within``:
    what has not ended after so many seconds is ended, and named.
    """
    parser = _needs(nightly)
    parser.add_argument("--count", type=int, default=1000, help="random programs of each kind")
    parser.add_argument("--seed", type=int, default=int(time.time() // DAY) * 100_000,
                        help="of the first one; each day has its own")
    parser.add_argument("--seconds", type=int, default=60, help="of each stress program")
    parser.add_argument("--each", metavar="FOLDER", type=Path,
                        help="note what ended well there, and leave out what is noted")
    parser.add_argument("--workers", type=int, default=0, metavar="N")
    parser.add_argument("--within", type=float, default=DAY, metavar="SECONDS")
    options = parser.parse_args(arguments)
    how = Run(DAY, options.each, options.workers, time.monotonic() + options.within)
    print(f"nightly: --seed {options.seed}", flush=True)
    programs = _programs(options)
    if how.workers:
        with ThreadPoolExecutor(max(1, how.workers // 2)) as pool:
            ended = pool.map(lambda item: _once(how, *item), programs.items())
            status = _on_devices("nightly", options.needs, (), how)
            failed = [name for name, code in zip(programs, ended, strict=True) if code]
    else:
        failed = [name for name, command in programs.items() if _once(how, name, command)]
        status = _on_devices("nightly", options.needs, (), how)
    print(f"nightly: {'failed: ' + '; '.join(failed) if failed else 'nothing wrong'} of "
          f"{len(programs)} programs", flush=True)
    return status or (1 if failed else 0)


def _programs(options: argparse.Namespace) -> dict[str, tuple[str, ...]]:
    """Return what runs at night beside tests, by a name that is the same every night."""
    share = SHARE if options.workers else options.count
    found: dict[str, tuple[str, ...]] = {}
    for module, first in itertools.product(RANDOM, range(0, options.count, share)):
        some = ("-m", module, "--count", str(min(share, options.count - first)))
        found[" ".join((*some, f"from {first}"))] = *some, "--seed", str(options.seed + first)
    rest = [*(("-m", f"tests.stress.{name}", "--seconds", str(options.seconds)) for name in STRESS),
            ("-m", "tests.stress.sizes"), ("-m", "tests.ranks.many"),
            *(("-m", "tests.cuda_texts", place) for place in (
                [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.joinpath(
                    CONFORMANCE).iterdir()) if path.is_dir() and path.name[0] not in "_."]
                if options.workers else [CONFORMANCE]))]
    return found | {" ".join(command): command for command in rest}


def _once(how: Run, name: str, command: Sequence[str]) -> int:
    """Run a command, but for one that is noted in a folder to have ended well."""
    mark = how.each / noted(name) if how.each else None
    if mark is not None and mark.exists():
        return 0
    if how.workers:
        left = how.until - time.monotonic()
        status, text = quietly(*command, limit=left) if left > 0 else (1, "no time was left\n")
        print(f"$ python {' '.join(command)}\n{text}status {status}", flush=True)
    else:
        status = run(*command)
    if mark is not None and not status:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    return status


def noted(name: str) -> str:
    """Return the file that says that something of a name ended well."""
    return re.sub(r"\W+", "-", name) + ".done"


def _needs(command: Callable[[Sequence[str]], int]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"dev.py {command.__name__}", description=command.__doc__)
    parser.add_argument("--needs", action="append", default=[], metavar="PLATFORM",
                        help="fail unless a device of a platform with this in its name is found")
    return parser


def _on_devices(title: str, needs: Sequence[str], options: Sequence[str], how: Run) -> int:
    """Run the tests on every device, the longest first."""
    require("test", *TEST)
    with byte_code() as environment:
        return _with({**ALONE, **environment}, title, needs, options, how)


def _with(shared: dict[str, str], title: str, needs: Sequence[str], options: Sequence[str],
          how: Run) -> int:
    """Run the tests in processes with an environment; with a folder what it does not hold yet."""
    places, without, words = found_devices(**shared)
    missing = [word for word in needs if not any(word in place for place in places.values())]
    if missing or not places:
        run("-m", "unisycl", "doctor")
        print(f"{title}: no device of {', '.join(missing) or 'any platform'}; found: {places}")
        return 1
    jobs = _jobs({name: words.get(name, "") for name in places if name not in OURS})
    each = how.each
    if each is not None:
        jobs = _by_file(jobs)
    kept = _rows_of(jobs, each)
    todo = {name: ((*command, *kept[name]), environment)
            for name, (command, environment) in jobs.items()
            if each is None or not (each / noted(name)).exists()}
    print(f"{title}: {len(jobs) - len(todo)} of {len(jobs)} parts have ended well before")
    failed = together(title, todo, options, how, **shared) if todo else []
    print(f"{title}: on {', '.join(f'{name} ({place})' for name, place in places.items())}")
    for name, why in without.items():
        print(f"{title}: without {name}: {why}")
    print(f"{title}: {'failed on ' + ', '.join(failed) if failed else 'all is well'}")
    return 1 if failed else 0


def _by_file(jobs: Mapping[str, tuple[tuple[str, ...], dict[str, str]]],
             ) -> dict[str, tuple[tuple[str, ...], dict[str, str]]]:
    """Return a process for each file of tests in place of each of some."""
    files = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("tests/**/test_*.py"))]
    found = {}
    for name, (command, environment) in jobs.items():
        without = [f"{w.removeprefix('--ignore=')}/" for w in command if w.startswith("--ignore=")]
        places = [f"{word}/" for word in command if word.startswith("tests")]
        words = [w for w in command if not w.startswith(("tests", "--ignore="))]
        found.update({f"{name} {file}": ((*words, file), environment) for file in files
                      if file.startswith(tuple(places)) and not file.startswith(tuple(without))})
    return found


def _rows_of(jobs: Mapping[str, tuple[tuple[str, ...], dict[str, str]]], each: Path | None,
             ) -> dict[str, tuple[str, ...]]:
    """Return for each process the arguments that have it write down what rows did.

    What is there is of another run, and goes, but what a folder holds. A level of memory may
    refuse what its device does.
    """
    folder = (each or ROWS).absolute()
    if each is None:
        shutil.rmtree(ROWS, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: re.sub(r"\W+", "-", name) + ".json"
             for name, (_, environment) in jobs.items() if not environment}
    (folder / "files").write_text("\n".join(files.values()), encoding="utf-8")
    return {name: ("--conformance-json", str(folder / files[name])) if name in files else ()
            for name in jobs}


def _jobs(others: Mapping[str, str]) -> dict[str, tuple[tuple[str, ...], dict[str, str]]]:
    """Return the arguments of pytest and the environment of each process, by its name.

    ``others``: the names of devices beyond ours, with what extensions they have. They begin in this
    order: what takes longest first, what is short at the end, so that all processors are busy.
    """
    ours = tuple(word for name in OURS for word in ("--device", name))
    small = tuple(f"--ignore={path}" for path in LARGE)
    language, oneapi = LARGE
    found: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
        "cpu and host, oneapi": ((*ours, oneapi), {}),
        "cpu and host, language": ((*ours, language), {})}
    rest = [f"tests/{p.name}" for p in sorted((ROOT / "tests").iterdir())
            if p.is_dir() and p.name[0] not in "_." and f"tests/{p.name}" != CONFORMANCE]
    found["all else"] = (*ours, *(path for path in rest if path != UNIT)), {}
    found["unit tests"] = (*ours, UNIT), {}
    levels: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {}
    turns = itertools.count()
    for begin, environment, paths, extension in SETTINGS:
        having = [name for name, words in others.items()
                  if name.startswith(begin) and extension in words]
        if environment and not extension and having:
            having = [having[next(turns) % len(having)]]
        for name in having:
            title = " ".join([name, *(f"{k}={v}" for k, v in environment.items())])
            command = ("--device", name, "--device-tests")
            if paths:
                levels[title] = (*command, "--alone", *paths), environment
            else:
                found[f"{title}, large"] = (*command, *LARGE), environment
                found[title] = (*command, "tests", *small), environment
    found["cpu and host, groups"] = (*ours, *GROUPS), {}
    found["cpu and host"] = (*ours, CONFORMANCE, *small, *(f"--ignore={p}" for p in GROUPS)), {}
    found.update(levels)
    return found


def together(title: str, jobs: Mapping[str, tuple[tuple[str, ...], dict[str, str]]],
             options: Sequence[str], how: Run, **environment: str) -> list[str]:
    """Run pytest in a process for each job, forked from one that collects; return what failed.

    What needs no conformance test is collected by a process of its own meanwhile. Two processes
    more than there are processors run at once, for each waits now and then, and the last ones are
    short. Many workers have one process that collects for all.
    """
    if how.workers:
        return _forked(title, jobs, options, how, how.workers, environment)
    some = max(1, (os.cpu_count() or 1) // 2)
    apart = {name: job for name, job in jobs.items()
             if not any(path == "tests" or f"{path}/".startswith(f"{CONFORMANCE}/")
                        for path in job[0])}
    halves = ((apart, some), ({k: v for k, v in jobs.items() if k not in apart},
                              (os.cpu_count() or 1) + 2 - some))
    with ThreadPoolExecutor() as pool:
        told = [pool.submit(_forked, title, half, options, how, count, environment)
                for half, count in halves if half]
        return [name for one in told for name in one.result()]


def _forked(title: str, jobs: Mapping[str, tuple[tuple[str, ...], dict[str, str]]],
            options: Sequence[str], how: Run, at_once: int,
            environment: Mapping[str, str]) -> list[str]:
    """Run a process for each job, some at once, forked from one; return what failed."""
    with tempfile.TemporaryDirectory(prefix="unisycl-parts-") as folder:
        file, failed = Path(folder, "parts"), Path(folder, "failed")
        file.write_text(json.dumps({
            "title": title, "options": ["--spent=10", *options], "limit": how.limit,
            "at_once": at_once, "failed": str(failed), "most": CASES if how.workers else None,
            "within": min(how.until - time.monotonic(), DAY),
            "done": {name: str(how.each.absolute() / noted(name)) for name in jobs}
            if how.each else {},
            "parts": [{"name": name, "command": command, "environment": own}
                      for name, (command, own) in jobs.items()]}), encoding="utf-8")
        subprocess.run([sys.executable, "-m", "tests.parts", str(file)], cwd=ROOT, check=False,
                       env={**os.environ, **environment})
        if not failed.exists():
            return [f"{', '.join(jobs)}: nothing was collected"]
        return failed.read_text(encoding="utf-8").splitlines()


def found_devices(**environment: str) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return by name the platforms of devices, why what else is there is none, and extensions."""
    status, text = quietly("-c", FOUND, limit=SAMPLE, **environment)
    if status:
        print(text)
        return {}, {}, {}
    places, problems, words = json.loads(text.splitlines()[-1])
    return places, problems, words


def bench(arguments: Sequence[str]) -> int:
    """The benchmarks: [NAMES] [--peers A,B] [--rounds N] [--json FILE] [--quick] [--list]."""
    require("bench", "numpy", "llvmlite")
    return run("-m", "bench.run", *arguments)


def conformance(arguments: Sequence[str]) -> int:
    """Rows x devices: [--from FOLDERS] [--json FILE] [--docs] [--device NAME] [--each FOLDER]."""
    require("test", "pytest", "hypothesis", "scipy", "mpmath", "numpy", "llvmlite")
    parser = argparse.ArgumentParser(prog="dev.py conformance", description=conformance.__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON")
    parser.add_argument("--docs", action="store_true", help="write docs/conformance.md")
    parser.add_argument("--device", action="append", default=[], metavar="NAME",
                        help="only this device; may be repeated")
    parser.add_argument("--sample", action="store_true",
                        help="a few cases of each test on devices beyond cpu and host")
    parser.add_argument("--each", metavar="FOLDER", type=Path,
                        help="a run for each device, whose JSON stays there; those that are there "
                             "are not run again; writes docs/conformance.md at the end")
    parser.add_argument("--from", metavar="FOLDER", type=Path, dest="seen", nargs="*",
                        help="run nothing, and write docs/conformance.md from what a run of "
                             "nightly, or runs of ci at both turns, left in these folders "
                             "(build/rows)")
    options = parser.parse_args(arguments)
    if options.seen is not None:
        return _seen(options.seen or [ROWS])
    if options.each:
        return _each(options.each, options.device, ["--sample"] if options.sample else [])
    command = ["-m", "pytest", "-q", "-m", "row", "--conformance", "tests"]
    if options.json:
        command += ["--conformance-json", str(Path(options.json).resolve())]
    if options.docs:
        command += ["--conformance-docs", str(DOCS)]
    if options.sample:
        command.append("--sample")
    for name in options.device:
        command += ["--device", name]
    for file in sorted((DOCS.parent / "dev" / "devices").glob("*.json")):
        command += ["--conformance-add", str(file)]
    return run(*command)


def _each(folder: Path, names: Sequence[str], options: Sequence[str]) -> int:
    """Run the rows' tests device by device, with those that need none beside the first."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for k, name in enumerate(names or found_devices()[0]):
        files.append(folder / f"{name.replace(':', '-')}.json")
        if not files[-1].exists():
            begun = time.monotonic()
            run("-m", "pytest", "-q", "-m", "row", "tests", "--device", name, *options,
                *(["--device-tests"] if k else []), "--conformance-json", str(files[-1].resolve()))
            print(f"conformance: {name} took {time.monotonic() - begun:.0f} s", flush=True)
    return _page(files)


def _seen(folders: Sequence[Path]) -> int:
    """Write the page from what the processes of runs left, all of them, at all turns."""
    files, turns = [], set()
    for folder in folders:
        told, turn = folder / "files", folder / TURN
        names = told.read_text(encoding="utf-8").split() if told.exists() else []
        missing = [name for name in names if not (folder / name).exists()]
        if missing or not names:
            print(f"conformance: {folder} has no {', '.join(missing) or 'run of dev.py ci'}")
            return 1
        files += [(folder / name).resolve() for name in names]
        turns |= {int(turn.read_text(encoding="utf-8"))} if turn.exists() else set()
    if 0 < len(turns) < TURNS:
        print(f"conformance: devices of a backend shared tests in this run of ci, --turn {turns}: "
              "give the folder of a run at the other turn, too")
        return 1
    return _page(files)


def _page(files: Sequence[Path]) -> int:
    """Write the page of some runs, with the columns of devices elsewhere."""
    added = (DOCS.parent / "dev" / "devices").glob("*.json")
    return run("-m", "unisycl.testing.joined", str(DOCS), *map(str, files),
               *(word for file in sorted(added) for word in ("--add", str(file))))


def docs(arguments: Sequence[str]) -> int:
    """The documentation site, in build/site/html; warnings are errors."""
    if arguments:
        sys.exit("docs takes no arguments")
    require("docs", "av", "sphinx", "myst_nb", "furo", "sphinx_copybutton", "matplotlib", "PIL")
    return run("-m", "docs.site.build")


def oclgrind(arguments: Sequence[str]) -> int:
    """The conformance tests on Oclgrind, for invalid accesses and races: [PATHS] [--notes FILE]."""
    require("test", *TEST, "pyopencl")
    return run("-m", "tests.device.oclgrind", *arguments)


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "check": check, "test": test, "ci": ci, "bench": bench, "conformance": conformance,
    "nightly": nightly, "docs": docs, "oclgrind": oclgrind}


def main() -> int:
    """Run the command that the first argument names."""
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        print(__doc__, file=sys.stderr)
        for name, command in COMMANDS.items():
            print(f"  {name:12} {(command.__doc__ or '').splitlines()[0]}", file=sys.stderr)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    return COMMANDS[sys.argv[1]](sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
