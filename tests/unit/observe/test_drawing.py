"""Drawings as SVG, Graphviz and JSON."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from unisycl.observe.drawing import Box, Drawing, Line

SVG = "{http://www.w3.org/2000/svg}"
DRAWING = Drawing(
    [Box("fill <&> \"x\"", ("copy",), "copy"), Box("add", ("kernel 8 x 8", "a device")),
     Box("print", (), "host")],
    [Line(0, 1, ("x: write → read", "y: write → read")), Line(1, 2, ("depends_on",), data=False)],
    "3 more commands are not shown")


def test_the_picture_is_xml_with_every_text_in_it() -> None:
    root = ElementTree.fromstring(DRAWING.to_svg())
    texts = [t.text for t in root.iter(f"{SVG}text")]
    for text in ('fill <&> "x"', "kernel 8 x 8", "x: write → read", "depends_on", DRAWING.note):
        assert text in texts
    assert 2 == len([p for p in root.iter(f"{SVG}path") if p.get("marker-end")])


def test_graphviz_gets_quoted_text_and_dashes_for_what_is_no_data() -> None:
    text = DRAWING.to_dot()
    assert r'label="fill <&> \"x\"\ncopy"' in text
    assert 'n1 -> n2 [label="depends_on", style=dashed];' in text
    assert text.startswith("digraph")


def test_json_says_the_same() -> None:
    read = json.loads(DRAWING.to_json())
    assert ["fill <&> \"x\"", "add", "print"] == [c["name"] for c in read["commands"]]
    assert {"from": 0, "to": 1, "causes": ["x: write → read", "y: write → read"],
            "data": True} == read["edges"][0]
