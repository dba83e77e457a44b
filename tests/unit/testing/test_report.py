"""The report of rows × devices."""

from __future__ import annotations

import json

from unisycl.testing import load_rows
from unisycl.testing.report import Report


def make() -> Report:
    return Report(["cpu", "host"])


def test_what_nobody_recorded_is_untested() -> None:
    assert make().outcome("D-17", "cpu") == "untested"


def test_a_test_without_a_device_has_a_column_of_its_own_and_claims_nothing_of_devices() -> None:
    report = make()
    report.record("D-12", None, "passed")
    assert report.columns == ["any", "cpu", "host"]
    assert [report.outcome("D-12", d) for d in report.columns] == ["passed", "untested", "untested"]
    assert "|D-12|" in report.to_markdown()
    line = next(x for x in report.to_markdown().splitlines() if x.startswith("|D-12|"))
    assert line.endswith("|passed|untested|untested|")


def test_a_skip_leaves_a_row_untested_whatever_else_passed() -> None:
    report = make()
    for outcome in ("passed", "skipped", "passed"):
        report.record("D-1", "cpu", outcome)
    assert report.outcome("D-1", "cpu") == "untested"
    assert report.totals("cpu")["untested"] == len(load_rows())
    report.record("D-1", "cpu", "refused")
    assert report.outcome("D-1", "cpu") == "refused"


def test_what_is_not_built_is_not_refused() -> None:
    report = make()
    for outcome in ("refused", "not built", "passed"):
        report.record("D-1", "cpu", outcome)
    assert report.outcome("D-1", "cpu") == "not built"
    assert (report.totals("cpu")["not built"], report.totals("cpu")["refused"]) == (1, 0)


def test_one_failure_makes_the_row_failed_whatever_else_passed() -> None:
    report = make()
    for outcome in ("passed", "failed", "refused", "passed"):
        report.record("D-1", "cpu", outcome)
    assert report.outcome("D-1", "cpu") == "failed"
    assert report.outcome("D-1", "host") == "untested"


def test_a_row_refused_in_part_is_refused() -> None:
    report = make()
    report.record("D-1", "cpu", "refused")
    report.record("D-1", "cpu", "passed")
    assert report.outcome("D-1", "cpu") == "refused"


def test_json_has_every_row_and_device() -> None:
    report = make()
    report.record("D-17", "host", "passed")
    document = json.loads(report.to_json())
    assert document["devices"] == ["cpu", "host"]
    assert list(document["rows"]) == list(load_rows())
    assert document["rows"]["D-17"] == {"any": "untested", "cpu": "untested", "host": "passed"}


def test_totals_add_up_to_all_rows() -> None:
    report = make()
    report.record("A-1", "cpu", "failed")
    assert report.totals("cpu")["failed"] == 1
    assert sum(report.totals("cpu").values()) == len(load_rows())


def test_text_and_markdown_name_every_row() -> None:
    report = make()
    for text in (report.to_text(), report.to_markdown()):
        assert all(row in text for row in load_rows())


def test_the_page_says_what_a_device_is() -> None:
    page = Report(["cpu", "mine"], {"mine": "an abacus, driver 3"}).to_markdown()
    assert "\n- `mine`: an abacus, driver 3\n\n|rows|any|cpu|mine|\n" in page
    assert "\n- " not in make().to_markdown()


def test_a_device_elsewhere_is_a_column() -> None:
    report = make()
    report.add(json.dumps({"name": "far", "about": "a card", "rows": {"D-1": "refused",
                                                                     "Z-99": "passed"}}))
    assert ["cpu", "host", "far"] == report.devices
    assert "refused" == report.outcome("D-1", "far")
    assert "untested" == report.outcome("D-2", "far")
    page = report.to_markdown()
    assert "- `far`: a card" in page
    assert "|D-1|" in page
    assert "Z-99" not in page
