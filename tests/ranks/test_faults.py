"""Messages that are late change nothing; those that are lost are missed within the limit."""

from __future__ import annotations

import pytest

import unisycl as sycl
from tests.ranks import programs, queue_checks, test_queue
from tests.ranks.faults import FaultyLink
from unisycl.ranks.links import threads

x = sycl.ext.unisycl


@pytest.mark.part("R-2")
def test_late_messages_change_no_result() -> None:
    one = queue_checks.check_programs(x.distr_queue("cpu"))
    for found in threads.run(3, lambda link: queue_checks.check_programs(x.distr_queue("cpu")),
                             wrap=lambda link: FaultyLink(link, 1, 0.003, 0.0)):
        test_queue.compare(found, one)


@pytest.mark.part("R-6")
def test_lost_messages_are_missed_within_the_limit() -> None:
    with pytest.raises(sycl.exception, match="did not come within 1 s|has failed"):
        threads.run(3, lambda link: [programs.heat(x.distr_queue("cpu")) for _ in range(20)],
                    limit=1.0, wrap=lambda link: FaultyLink(link, 1, 0.0, 0.2))
