"""The kinds of hunters, a file each. Every module in this folder is imported and registers its kind."""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
