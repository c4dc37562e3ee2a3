"""Where these tests run: on a CUDA device, or on the host, which runs the same C text one thread after the other."""

from __future__ import annotations

from murmura.compute.cuda.device import missing

REASON = missing()
ON_HOST = bool(REASON)
