"""Describes this machine: versions, cores, vector instructions, the kernel cache, and missing packages."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
from typing import Any

from murmura import __version__

PACKAGES = ("numpy", "numba", "llvmlite", "scipy", "pydantic", "cyclopts", "rich")
EXTRAS = {
    "analysis": ("matplotlib", "pandas", "polars", "pyarrow", "xarray", "zarr"),
    "dask": ("distributed",),
    "fit": ("matplotlib", "pyabc"),
    "notebook": ("anywidget",),
    "search": ("SALib", "optuna"),
    "tracks": ("h5py", "movement", "polars"),
    "video": ("imageio_ffmpeg",),
    "webgpu": ("wgpu",),
}
"""Packages of each extra, by import name; cuda has its own line."""


def examine() -> dict[str, Any]:
    """Facts for a bug report, and how to install missing packages."""
    import llvmlite.binding as llvm

    from murmura.compute import kernel_cache
    from murmura.compute.cuda.device import device_name, missing
    from murmura.compute.machine import available_cores, cache_folder
    from murmura.compute.webgpu import device as webgpu

    no_cuda, no_webgpu = missing(), webgpu.missing()
    features = llvm.get_host_cpu_features()
    folder = cache_folder()
    absent = {
        extra: f'pip install "murmura[{extra}]"'
        for extra, packages in EXTRAS.items()
        if any(importlib.util.find_spec(package) is None for package in packages)
    }
    return {
        "murmura": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": available_cores(),
        "vector_instructions": [name for name in ("avx512f", "avx2", "fma", "neon") if features.get(name)],
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
        "kernel_cache": str(folder),
        "kernel_cache_writable": os.access(folder if folder.exists() else folder.parent, os.W_OK)
        or not folder.exists(),
        "kernels_kept": kernel_cache.count(),
        "backends": ["reference", "cpu", *([] if no_cuda else ["cuda"]), *([] if no_webgpu else ["webgpu"])],
        "cuda": no_cuda or device_name(),
        "webgpu": no_webgpu or "; ".join(webgpu.adapter_names()),
        "missing_extras": absent,
    }
