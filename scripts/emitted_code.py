"""Write the C, WGSL and LLVM text of every shipped scenario to a folder, to compare two versions by `diff -r`."""

from __future__ import annotations

import sys
from pathlib import Path

from murmura.compute.cpu.kernel import Kernel
from murmura.compute.cuda.program import program_text
from murmura.compute.plan import Plan
from murmura.compute.shapes import shapes_of
from murmura.compute.webgpu.program import program_of
from murmura.scenario.files import load_scenario, scenario_names


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in scenario_names():
        plan = Plan(load_scenario(name))
        text = program_text(plan)
        (folder / f"{name}.c").write_text(text.plain + text.scan, encoding="utf-8")
        kernels = program_of(plan).kernels
        parts = (f"// {kernel.name} {kernel.bindings} {kernel.groups}\n{kernel.code}" for kernel in kernels)
        (folder / f"{name}.wgsl").write_text("\n".join(parts), encoding="utf-8")
        modules = Kernel(plan, shapes_of(plan), wide=True, portable=False).modules()
        (folder / f"{name}.ll").write_text("\n".join(str(module) for _, module in modules), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
