"""Archives of kernels that were damaged, or made by somebody to do harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from unisycl.process import packages


@pytest.mark.parametrize("text", [
    b"[]", b"null", b"3", b"", b"{}", b'{"blobs": 1, "head": {}}', b'{"blobs": {}, "head": "x"}',
    b'{"blobs": {}, "head": {}}', b"[" * 100_000, b"\xff"], ids=lambda t: t[:12].decode("latin"))
def test_an_archive_that_is_none_is_not_used_and_said(text: bytes, tmp_path: Path) -> None:
    raw = b"unisyclK" + len(text).to_bytes(8, "little") + text
    (tmp_path / packages.FILE).write_bytes(raw)
    with pytest.warns(RuntimeWarning, match="are not used"):
        assert packages._opened(str(tmp_path)) is None
