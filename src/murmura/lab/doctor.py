"""Describes this machine: versions, cores, vector instructions, the kernel cache, and missing packages."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
from typing import Any

from murmura import __version__
from murmura.core.extras import install_command
from murmura.scenario.plugins import plugins

PACKAGES = ("numpy", "llvmlite", "scipy", "pydantic", "cyclopts", "rich")
EXTRAS = {
    "analysis": ("matplotlib", "pandas", "polars", "pyarrow", "xarray", "zarr"),
    "dask": ("distributed",),
    "fit": ("matplotlib", "pyabc"),
    "networks": ("networkx",),
    "notebook": ("anywidget",),
    "rl": ("gymnasium", "pettingzoo"),
    "search": ("SALib", "optuna"),
    "tracks": ("h5py", "movement", "polars"),
    "video": ("imageio_ffmpeg", "numba"),
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
        extra: install_command(extra)
        for extra, packages in EXTRAS.items()
        if any(importlib.util.find_spec(package) is None for package in packages)
    }
    found = {
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
        "plugins": {
            plugin.name: plugin.error or f"{plugin.package} {plugin.version}" for plugin in plugins()
        },
        "missing_extras": absent,
    }
    return found | {"verdict": _verdict(found)}


def _verdict(found: dict[str, Any]) -> str:
    """The first thing to do, or that there is nothing."""
    broken = next((plugin for plugin in plugins() if plugin.error), None)
    if broken:
        return f"reinstall or remove the plugin {broken.package}: {broken.error}"
    if not found["kernel_cache_writable"]:
        return f"let your user write to {found['kernel_cache']}, so that kernels are compiled once"
    if found["missing_extras"]:
        return "everything needed is here; missing_extras says how to add the rest"
    return "everything is fine"
