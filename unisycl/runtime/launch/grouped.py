"""The tiny launch of a command group that comes again, seen without looking for it.

Non-goals: launches of a queue's shortcuts (``launch``), running them (``graph.repeated``).
Invariant: all is asked that is asked of any launch.
"""

from __future__ import annotations

from typing import Any

from unisycl.backends.base import Geometry
from unisycl.base import requested_checks
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import Capturable, Group, Template
from unisycl.runtime.launch import compiled_kernels


def note(channel: Channel, again: Any, found: tuple[Any, tuple[Any, ...]],
         geometry: Geometry, function: Any, count: int) -> None:
    """Note the tiny launch of a command group as ``launch`` does that of a shortcut."""
    before, channel.latest_group = channel.latest_group, again
    if before is not again or requested_checks.asked():
        return
    known, raw = found
    templates: list[Template | None] = []
    for given in raw:
        template: Template | None = None
        if isinstance(given, Capturable):
            template = given._template
            if template is None:
                return
        templates.append(template)
    channel.latest_group = (geometry, function.__code__, count, known[0].match, known[2], again,
                            templates)


def once_more(group: Group, latest: Any, geometry: Geometry, function: Any,
              arguments: tuple[Any, ...]) -> bool:
    """Set the tiny launch that command groups had last as the command of one more.

    False: it is another one. Accessors made as those of the launch were are bound to what those
    were while their memory stays where it is.
    """
    channel = group.channel
    if type(latest) is not tuple:
        return False
    channel.latest_group = None
    templates: list[Template | None]
    over, code, count, match, repeats, one, templates = latest
    if geometry is not over or function.__code__ is not code or len(arguments) != count or (
            not (channel.repeats and channel.warm) or compiled_kernels.watchers
            or requested_checks.asked()):
        return False
    raw = match(function, arguments, ())
    launch, placed = one.launch, one.run is None
    if raw is None or launch is None or (placed and not channel.extends):
        return False
    for ref, given, template, value in zip(  # noqa: B905
            one.refs, raw, templates, launch.values):
        if template is None:
            if ref() is not given:
                return False
        elif not isinstance(given, Capturable) or given._template is not template or (
                given._group is not group or template.memory.version != template.version) or (
                placed and not given.still(group, value)):
            return False
    group._repeat(one)
    repeats.missed = repeats.kin.missed = 0
    channel.latest_group = latest
    return True
