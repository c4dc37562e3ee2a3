"""Writes films: raw frames go through a pipe to ffmpeg, a child process; PNG is written here.

Files are written atomically. A film that is stopped early, for example by Ctrl-C, is complete up to that point.
"""

from __future__ import annotations

import contextlib
import os
import queue
import struct
import subprocess
import tempfile
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import BackendError, RunError, ScenarioError
from murmura.core.extras import needs
from murmura.core.request import check_free
from murmura.lab.files.atomic_write import atomic_write, discard, temporary_path
from murmura.lab.films.request import Quality

Pixels = NDArray[np.uint8]
COMPRESSION = {
    quality: ["-preset", preset, "-crf", crf]
    for quality, preset, crf in (
        ("small", "veryfast", "28"),
        ("good", "veryfast", "23"),
        ("best", "superfast", "18"),
    )
}
SUFFIXES = (".mp4", ".gif", ".png")
WAITING = 3  # frames queued between painter and encoder: enough to even out their speeds
FASTEST_GIF = 50.0  # browsers slow down GIFs with less than 2/100 s per frame


class Encoder(Protocol):
    """Receives the frames of a film one after the other, as planes (3, height, width)."""

    def add(self, pixels: Pixels) -> None: ...

    def finish(self) -> None:
        """Complete the file and rename it."""

    def abort(self) -> None:
        """Remove everything that was written."""


def ffmpeg() -> str:
    """The path of ffmpeg."""
    with needs("video"):
        from imageio_ffmpeg import get_ffmpeg_exe
    try:
        return str(get_ffmpeg_exe())
    except RuntimeError as error:
        raise BackendError(f"films need ffmpeg, which was not found: {error}") from None


def check_target(out: Path, size: tuple[int, int], fps: float, force: bool = False) -> None:
    """Raise if a film of this kind cannot be written there, before any frame is painted."""
    suffix = out.suffix.lower()
    if suffix not in SUFFIXES:
        raise ScenarioError(f"--out must end in {', '.join(SUFFIXES)}, got {out.name!r}")
    with needs("video"):
        import numba  # noqa: F401  # all painting needs it
    if suffix != ".png":
        ffmpeg()
    if suffix == ".mp4" and (size[0] % 2 or size[1] % 2):
        raise ScenarioError(f"an mp4 needs an even width and height, got {size[0]}x{size[1]}")
    fastest = FASTEST_GIF if suffix == ".gif" else 1000.0
    if not 0.1 <= fps <= fastest:
        raise ScenarioError(f"--fps takes a number from 0.1 to {fastest:g} for {suffix}, got {fps:g}")
    if out.is_dir():
        raise ScenarioError(f"{out} is a folder: choose a file name")
    if not out.parent.is_dir():
        raise ScenarioError(f"cannot write {out}: there is no folder {out.parent}")
    check_free(out.with_name(out.name % 0) if is_numbered(out) else out, force=force)


class Mp4:
    """H.264 that every browser and player can show, at exactly the requested frame rate."""

    def __init__(self, out: Path, size: tuple[int, int], fps: float, quality: Quality = "good") -> None:
        self._out, self._temporary = out, temporary_path(out)
        # State that the input already has the output's colour space: otherwise FFmpeg 9 assumes BT.601 and converts it.
        look = ["-vf", "setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709"]
        look += ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]
        look += ["-color_range", "tv", "-chroma_sample_location", "center"]
        code = ["-c:v", "libx264", *COMPRESSION[quality], "-movflags", "+faststart", "-f", "mp4"]
        self._size = size
        self._pipe = _Pipe([*_raw(size, fps, "yuv420p"), *look, *code, str(self._temporary)])

    def add(self, pixels: Pixels) -> None:
        from murmura.compute.raster.plane import to_yuv

        planes = np.empty(self._size[0] * self._size[1] * 3 // 2, np.uint8)
        to_yuv(np.ascontiguousarray(pixels), planes)
        self._pipe.put(planes)

    def finish(self) -> None:
        self._pipe.close()
        self._temporary.replace(self._out)

    def abort(self) -> None:
        self._pipe.kill()
        discard(self._temporary)


class Gif:
    """A GIF with its own palette. Frames are first stored losslessly, because the palette depends on all of them."""

    def __init__(self, out: Path, size: tuple[int, int], fps: float) -> None:
        self._out, self._temporary = out, temporary_path(out)
        self._folder = tempfile.TemporaryDirectory(prefix=".murmura-gif-", dir=out.parent)
        self._kept = Path(self._folder.name) / "kept.mkv"
        code = ["-c:v", "ffv1", "-level", "3", "-f", "matroska"]
        self._pipe = _Pipe([*_raw(size, fps, "gbrp"), "-pix_fmt", "gbrp", *code, str(self._kept)])

    def add(self, pixels: Pixels) -> None:
        self._pipe.put(pixels[[1, 2, 0]])  # ffmpeg orders planes as green, blue, red

    def finish(self) -> None:
        self._pipe.close()
        palette = Path(self._folder.name) / "palette.png"
        source = ["-i", str(self._kept)]
        _ffmpeg([*source, "-vf", "palettegen=stats_mode=diff", "-update", "1", str(palette)])
        dither = "[0:v][1:v]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle"
        _ffmpeg(
            [*source, "-i", str(palette), "-lavfi", dither, "-loop", "0", "-f", "gif", str(self._temporary)]
        )
        self._temporary.replace(self._out)
        self._folder.cleanup()

    def abort(self) -> None:
        self._pipe.kill()
        self._folder.cleanup()
        discard(self._temporary)


class Pictures:
    """PNG: one file, or with %d in its name (`flock-%05d.png`) a numbered sequence."""

    def __init__(self, out: Path) -> None:
        self._out, self._count = out, 0
        self._numbered = is_numbered(out)

    def add(self, pixels: Pixels) -> None:
        path = self._out.with_name(self._out.name % self._count) if self._numbered else self._out
        self._count += 1
        with atomic_write(path) as (temporary,):
            temporary.write_bytes(png(pixels))

    def finish(self) -> None:
        """Nothing to do: each file was complete when its frame was added."""

    def abort(self) -> None:
        """Complete files stay."""


def is_numbered(out: Path) -> bool:
    """Whether a name stands for a numbered sequence of files."""
    if "%" not in out.name:
        return False
    try:
        if out.name % 1 != out.name % 2:
            return True
    except (TypeError, ValueError):
        pass
    raise ScenarioError(
        f"a numbered sequence needs one number in its name, like flock-%05d.png, got {out.name!r}"
    )


def make_encoder(
    out: Path, size: tuple[int, int], fps: float, quality: Quality = "good", force: bool = False
) -> Encoder:
    """The encoder for a file name."""
    check_target(out, size, fps, force)
    kinds: dict[str, Callable[[], Encoder]] = {
        ".mp4": lambda: Mp4(out, size, fps, quality),
        ".gif": lambda: Gif(out, size, fps),
        ".png": lambda: Pictures(out),
    }
    try:
        return kinds[out.suffix.lower()]()
    except OSError as error:
        raise RunError(f"cannot write {out}: {error}") from None


class _Pipe:
    """Feeds ffmpeg from its own thread: painting and encoding overlap, and Ctrl-C cannot truncate a frame.

    Simple queues, because Ctrl-C inside `queue.Queue.put` can leave its lock held for ever. A frame needs a token.
    """

    def __init__(self, arguments: list[str]) -> None:
        self._frames: queue.SimpleQueue[Pixels | None] = queue.SimpleQueue()
        self._tokens: queue.SimpleQueue[None] = queue.SimpleQueue()
        for _ in range(WAITING):
            self._tokens.put(None)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = _start(arguments, self._errors)
        self._broken = threading.Event()
        self._thread = threading.Thread(target=self._feed, name="murmura-film", daemon=True)
        self._thread.start()

    def put(self, planes: Pixels) -> None:
        """Hand over a frame, which must not be changed afterwards."""
        while True:
            if self._broken.is_set():
                raise self._failure()
            with contextlib.suppress(queue.Empty):
                self._tokens.get(timeout=0.5)
                self._frames.put(planes)
                return

    def _feed(self) -> None:
        stdin: Any = self._process.stdin
        try:
            while (planes := self._frames.get()) is not None:
                stdin.write(planes.data.cast("B"))
                self._tokens.put(None)
            stdin.close()
        except OSError:
            self._broken.set()

    def close(self) -> None:
        """Wait until everything is encoded."""
        self._frames.put(None)
        self._thread.join()
        if self._process.wait() != 0 or self._broken.is_set():
            raise self._failure()
        self._errors.close()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._broken.set()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        self._errors.close()

    def _failure(self) -> RunError:
        self._process.wait()
        return RunError(f"the film could not be written: {_last_line(self._errors)}")


def _start(arguments: list[str], errors: Any) -> subprocess.Popen[bytes]:
    command = [ffmpeg(), "-hide_banner", "-loglevel", "error", "-nostdin", "-y", *arguments]
    # In its own process group: Ctrl-C must not end ffmpeg before it has finished the film.
    apart: dict[str, Any] = (
        {"creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP, which is defined only on Windows
        if os.name == "nt"
        else {"start_new_session": True}
    )
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors, **apart)


def _ffmpeg(arguments: list[str]) -> None:
    with tempfile.TemporaryFile() as errors:
        process = _start(arguments, errors)
        try:
            process.communicate()
        except BaseException:
            process.kill()
            process.wait()
            raise
        if process.returncode != 0:
            raise RunError(f"the film could not be written: {_last_line(errors)}")


def _last_line(errors: Any) -> str:
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "ffmpeg stopped without an error message"


def _raw(size: tuple[int, int], fps: float, planes: str) -> list[str]:
    shape = f"{size[0]}x{size[1]}"
    return ["-f", "rawvideo", "-pix_fmt", planes, "-s", shape, "-r", repr(fps), "-i", "pipe:0", "-an"]


def png(pixels: Pixels) -> bytes:
    """Planes (3, height, width) as a PNG file: each row as its difference from the one above, which compresses well."""
    height, width = pixels.shape[1:]
    rows = np.ascontiguousarray(np.moveaxis(pixels, 0, 2)).reshape(height, width * 3)
    up = rows.copy()
    up[1:] -= rows[:-1]
    filtered = np.concatenate([np.full((height, 1), 2, np.uint8), up], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(filtered.tobytes(), 6)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
