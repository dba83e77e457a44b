"""Finding the very function a code object was compiled from."""

from __future__ import annotations

import ast
import linecache

import pytest

from unisycl.frontend.source import SourceMissing, function_source


def first():
    return 1


def decorated(fn):
    return fn


@decorated
@decorated
def second(a, *, b=2):
    return a + b


def test_functions_are_found_with_their_positions():
    source = function_source(first.__code__)
    assert ("first", __file__) == (source.name, source.file.name)
    place = source.span(source.node.body[0])
    assert (first.__code__.co_firstlineno + 1, 4) == (place.line, place.column)


def test_decorators_count_to_the_function():
    assert "second" == function_source(second.__code__).name


def test_lambdas_on_one_line_are_told_apart_by_position():
    pair = (lambda x: x + 1, lambda x: x + 2)
    texts = [ast.unparse(function_source(f.__code__).node.body) for f in pair]
    assert ["x + 1", "x + 2"] == texts


def test_columns_count_characters_not_bytes():
    text = "def f():\n    ä = 'öö'; return ä\n"
    name = "<columns>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    source = function_source(space["f"].__code__)
    span = source.span(source.node.body[1])
    assert "return ä" == text.splitlines()[1][span.column:span.end_column]


def test_an_edited_file_is_not_mistaken_for_the_code(tmp_path):
    path = tmp_path / "m.py"
    path.write_text("def f():\n    return one\n")
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    path.write_text("def f():\n    return another_name\n")
    linecache.checkcache(str(path))
    linecache.cache.clear()
    with pytest.raises(SourceMissing, match="has changed since") as caught:
        function_source(space["f"].__code__)
    assert "K022" == caught.value.id


def test_async_functions_are_named_as_such():
    async def f():
        return 1
    with pytest.raises(SourceMissing) as caught:
        function_source(f.__code__)
    assert "K012" == caught.value.id
    assert caught.value.span.line == f.__code__.co_firstlineno
