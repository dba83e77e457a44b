"""Devices as a table of HTML, for notebooks. Non-goals: descriptors that few need."""

from __future__ import annotations

import importlib
from collections.abc import Iterable

from unisycl.base.enums import aspect
from unisycl.runtime.devices.devices import DeviceState

_KINDS = (aspect.gpu, aspect.accelerator, aspect.cpu)


def of(states: Iterable[DeviceState]) -> str:
    """Return the table: a row for each device."""
    head = ("device", "name", "kind", "compute units", "memory", "largest group", "double", "half")
    return f"<table>{_row('th', head)}{''.join(_row('td', cells(s)) for s in states)}</table>"


def cells(state: DeviceState) -> tuple[str, ...]:
    """Return what the row of a device says."""
    info = state.info
    kind = next((k.name for k in _KINDS if k in info.aspects), "other")
    words = [("no", "yes")[a in info.aspects] for a in (aspect.fp64, aspect.fp16)]
    return (state.name, info.name, kind, str(info.max_compute_units),
            f"{info.global_mem_size / 2**30:.1f} GiB", str(info.max_work_group_size), *words)


def _row(tag: str, texts: Iterable[str]) -> str:
    escape = importlib.import_module("html").escape
    return f"<tr>{''.join(f'<{tag}>{escape(t)}</{tag}>' for t in texts)}</tr>"
