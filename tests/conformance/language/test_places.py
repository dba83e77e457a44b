"""Kernels written in unusual places, each in its own Python: pipes, archives, timers, doctests.

Where the text cannot be had, the diagnostic says what to do, and doing that works.
"""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import unisycl as sycl
from tests import children

pytestmark = pytest.mark.row("D-11")

KERNEL = """
import numpy as np
import unisycl as sycl
queue = sycl.queue(sycl.host_selector_v)
out = np.zeros(4, np.int64)
def helper(x):
    return x * 7
def kernel(i):
    out[i] = helper(i) + 1
def show():
    queue.parallel_for(4, kernel).wait()
    print(out.tolist())
    queue.parallel_for(4, lambda i: put(i, 3)).wait()
    print(out.tolist())
def put(i, x):
    out[i] = helper(i) + x
"""
PROGRAM = KERNEL + "show()\n"
SEEN = "[1, 8, 15, 22]\n[3, 10, 17, 24]\n"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(
    [str(Path(sycl.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)}


def run(*arguments: str, **options) -> str:
    done = children.run([sys.executable, "-W", "error", *arguments], text=True, timeout=300,
                          capture_output=True, env=ENVIRONMENT, check=False, **options)
    return done.stdout + done.stderr


@pytest.mark.parametrize("arguments", [("-",), ()])
def test_in_a_file_that_is_the_standard_input(tmp_path, arguments):
    path = tmp_path / "program.txt"
    path.write_text(PROGRAM)
    with path.open() as file:
        assert SEEN == run(*arguments, stdin=file)


def test_at_a_prompt_that_reads_a_file(tmp_path):
    path = tmp_path / "session.txt"
    path.write_text(PROGRAM.replace("\ndef ", "\n\ndef ").replace("\nshow", "\n\nshow"))
    with path.open() as file:
        found = run("-i", "-q", stdin=file)
    assert SEEN == found.replace(">>> ", "").replace("... ", "").strip() + "\n"


def test_the_advice_for_text_in_a_pipe_works():
    found = run("-", input=PROGRAM)
    assert "K022" in found
    assert "hand it over as python -c \"$(cat <<'EOF' ... EOF)\"" in found
    command = f"{sys.executable} -c \"$(cat <<'EOF'\n{PROGRAM}EOF\n)\""
    done = subprocess.run(["bash", "-c", command],
                          text=True, capture_output=True, timeout=300, env=ENVIRONMENT, check=False)
    assert SEEN == done.stdout + done.stderr


def test_in_a_module_of_a_zip_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("package/__init__.py", "")
        archive.writestr("package/kernels.py", KERNEL)
    found = run("-c", "import sys; sys.path.insert(0, 'archive.zip'); "
                "from package.kernels import show; show()", cwd=tmp_path)
    assert SEEN == found


def test_in_a_zip_application(tmp_path):
    with zipfile.ZipFile(tmp_path / "program.pyz", "w") as archive:
        archive.writestr("__main__.py", PROGRAM)
    assert SEEN == run("program.pyz", cwd=tmp_path)


def test_without_the_source_the_advice_works(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNEL)
    py_compile.compile(str(tmp_path / "kernels.py"), str(tmp_path / "compiled" / "kernels.pyc"))
    (tmp_path / "kernels.py").rename(tmp_path / "away.py")
    found = run("-c", "from kernels import show; show()", cwd=tmp_path / "compiled")
    assert "K022" in found
    assert "put it beside the compiled .pyc" in found
    (tmp_path / "away.py").rename(tmp_path / "compiled" / "kernels.py")
    assert SEEN == run("-c", "from kernels import show; show()", cwd=tmp_path / "compiled")


def test_the_advice_for_exec_works():
    program = f"text = {PROGRAM!r}\nexec(text)\n"
    found = run("-c", program)
    assert "K022" in found
    assert "call unisycl.remember_exec() before its text" in found
    assert SEEN == run("-c", "import unisycl; unisycl.remember_exec()\n" + program)


@pytest.mark.parametrize("name", ["<generated>", "generated.py", "/nowhere/generated.py"])
def test_exec_of_code_compiled_under_any_name(name):
    program = f"text = {PROGRAM!r}\nexec(compile(text, {name!r}, 'exec'))\n"
    found = run("-c", program)
    assert "K022" in found
    assert "call unisycl.remember_exec() before" in found
    assert SEEN == run("-c", "import unisycl; unisycl.remember_exec()\n" + program)


def test_code_made_of_a_syntax_tree_says_what_to_do():
    program = (f"import ast, unisycl; unisycl.remember_exec()\ntree = ast.parse({PROGRAM!r})\n"
               "exec({})\n")
    found = run("-c", program.format("compile(tree, '<generated>', 'exec')"))
    assert "K022" in found
    assert "before its text, not a syntax tree, is given to exec()" in found
    assert SEEN == run("-c", program.format("ast.unparse(tree)"))


def test_in_timeit():
    setup = KERNEL.strip()
    program = f"import timeit\ntimeit.timeit('show()', {setup!r}, number=1)\n"
    assert "[1, 8, 15, 22]" in run("-c", program)
    found = run("-m", "timeit", "-n", "1", "-r", "1", "-s", setup,
                "queue.parallel_for(4, lambda i: put(i, 3)).wait(); print(out.tolist())")
    assert "[3, 10, 17, 24]" in found, found


def test_in_a_doctest(tmp_path):
    lines = [(">>> " if line[:1].strip() else "... ") + line
             for line in KERNEL.strip().split("\n")]
    path = tmp_path / "documented.txt"
    path.write_text("\n".join(lines) + "\n>>> show()\n" + SEEN)
    assert "" == run("-m", "doctest", str(path))


def test_in_a_module_that_pytest_rewrites(tmp_path):
    (tmp_path / "test_rewritten.py").write_text(KERNEL.replace(
        "    out[i] = helper(i) + 1\n", "    assert i < 4, 'too far'\n    out[i] = helper(i) + 1\n"
        "    assert i >= 0\n") + "def test_it():\n    show()\n    assert out[1] == 10\n")
    found = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:zarr",
                "test_rewritten.py", cwd=tmp_path)
    assert "1 passed" in found, found


def test_in_a_module_that_pytest_rewrites_and_that_is_edited(tmp_path):
    """What pytest put in place of assertions is no excuse for another text."""
    (tmp_path / "test_rewritten.py").write_text(KERNEL.replace(
        "    out[i] = helper(i) + 1\n", "    assert i < 4\n    out[i] = helper(i) + 1\n")
        + "from pathlib import Path\ndef test_it():\n    path = Path(__file__)\n"
        "    path.write_text(path.read_text().replace('helper(i) + 1', 'helper(i) + 2'))\n"
        "    show()\n    assert out[1] == 10\n")
    found = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:zarr",
                "test_rewritten.py", cwd=tmp_path)
    assert "K022" in found
    assert "has changed since" in found


def test_lambdas_on_one_line_without_columns(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(KERNEL + """
both = (lambda i: put(i, 1)), (lambda i: put(i, 2))
for one in both:
    queue.parallel_for(4, one).wait()
    print(out.tolist())
""")
    expected = "[1, 8, 15, 22]\n[2, 9, 16, 23]\n"
    assert expected == run(str(path))
    assert expected == run("-X", "no_debug_ranges", str(path))


def test_a_compiled_file_with_columns_run_without_them(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNEL)
    for options in ((), ("-X", "no_debug_ranges"), ("-O",), ("-OO",)):
        assert SEEN == run(*options, "-c", "from kernels import show; show()", cwd=tmp_path)


def test_text_at_which_python_warns_is_read_without_another_warning(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + 'pattern = "\\d"\n')
    for filter in ("ignore", "default"):
        done = children.run([sys.executable, "-W", filter, str(path)], text=True, timeout=300,
                              capture_output=True, env=ENVIRONMENT, check=False)
        assert SEEN == done.stdout
        assert done.stderr.count("invalid escape") <= (filter == "default")


def test_a_program_that_is_a_pipe_does_not_block(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = subprocess.run(["bash", "-c", f"{sys.executable} <(cat {path})"], text=True, timeout=300,
                          capture_output=True, env=ENVIRONMENT, check=False)
    assert "K022" in done.stderr
    assert "save it in a file" in done.stderr


def test_decorators_wrappers_and_loops(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(KERNEL + """
import functools
def same(function):
    return function
def wrapped(function):
    @functools.wraps(function)
    def inner(i):
        function(i)
        out[i] += 100
    return inner
@same
@wrapped
@same
def stacked(i):
    out[i] = helper(i)
queue.parallel_for(4, stacked).wait()
print(out.tolist())
@sycl.kernel
@wrapped
def marked(i):
    out[i] = helper(i) + 1
queue.parallel_for(4, marked).wait()
print(out.tolist())
made = []
for k in range(3):
    def one(i, k=k):
        out[i] = helper(i) * k
    made += [one, lambda i, k=k: put(i, k)]
for one in made:
    queue.parallel_for(4, one).wait()
    print(out[1])
""")
    assert ("[100, 107, 114, 121]\n[101, 108, 115, 122]\n0\n7\n7\n8\n14\n9\n" == run(str(path)))


def test_the_latest_of_several_functions_of_one_name_at_a_prompt(tmp_path):
    """An older function keeps its own text."""
    path = tmp_path / "session.txt"
    path.write_text(KERNEL.replace("\ndef ", "\n\ndef ") + """
old = kernel
def kernel(i):
    out[i] = helper(i) + 2

foo(
)
queue.parallel_for(4, kernel).wait(); print(out.tolist())
queue.parallel_for(4, old).wait(); print(out.tolist())
""")
    with path.open() as file:
        found = run("-i", "-q", stdin=file)
    assert "[2, 9, 16, 23]" in found, found
    assert "[1, 8, 15, 22]" in found, found
