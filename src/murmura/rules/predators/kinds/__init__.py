"""The kinds of hunters, a file each. Every module in this folder is imported and registers its kind."""

import importlib
import pkgutil

from murmura.rules.predators.kind import KINDS

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

KIND_NAMES = tuple(sorted(KINDS, key=lambda name: KINDS[name].code))
"""Names of all kinds; a kind's code is its place among them."""

if [KINDS[name].code for name in KIND_NAMES] != list(range(len(KIND_NAMES))):
    raise ValueError(
        f"codes of kinds of hunters must count up from 0: {[(k.name, k.code) for k in KINDS.values()]}"
    )
