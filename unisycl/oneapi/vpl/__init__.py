"""Public: video, as oneVPL has it (oneAPI's specification, oneVPL): ``pip install 'unisycl[av]'``.

Loaders and sessions, decoders and encoders by PyAV's FFmpeg, and video processing by kernels on a
queue. Non-goals: sound, files with several streams, rate control beyond bits a second.
"""

from unisycl.oneapi.vpl.coding import decoder, encoder, from_frame, read, to_frame
from unisycl.oneapi.vpl.errors import bitstream_error, invalid_argument, unsupported
from unisycl.oneapi.vpl.processing import compose, deinterlace, denoise, process
from unisycl.oneapi.vpl.sessions import config, implementation, loader, session
from unisycl.oneapi.vpl.surfaces import surface

__all__ = ["bitstream_error", "compose", "config", "decoder", "deinterlace", "denoise", "encoder",
           "from_frame", "implementation", "invalid_argument", "loader", "process", "read",
           "session", "surface", "to_frame", "unsupported"]
