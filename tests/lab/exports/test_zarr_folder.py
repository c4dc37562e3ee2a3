"""Zarr's folder, once it was removed, stays removed (issue 29, point 22)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event

import pytest
from zarr.core.buffer import default_buffer_prototype
from zarr.core.sync import _get_loop

from murmura.lab.exports.zarr_folder import zarr_folder
from murmura.lab.files.atomic_write import atomic_write


def test_a_write_that_comes_after_an_error_brings_nothing_back(tmp_path: Path):
    """Of many chunks that Zarr writes at once one fails on a full disk, and the others go on."""
    failed = Event()
    buffer = default_buffer_prototype().buffer.from_bytes(b"chunk")

    def break_off() -> None:
        nonlocal late
        with atomic_write(tmp_path / "run.zarr") as (temporary,), zarr_folder(temporary) as store:

            async def write_late() -> None:
                await asyncio.to_thread(failed.wait)
                await store.set("position/0.0", buffer)

            asyncio.run_coroutine_threadsafe(store.set("position/.zarray", buffer), _get_loop()).result(30)
            late = asyncio.run_coroutine_threadsafe(write_late(), _get_loop())
            raise ZeroDivisionError

    late = None
    with pytest.raises(ZeroDivisionError):
        break_off()
    failed.set()
    with pytest.raises(OSError, match="the folder is closed"):
        late.result(30)
    assert not list(tmp_path.iterdir())
