"""`murmura verify`."""

from __future__ import annotations

from pathlib import Path

from murmura.cli.options import Json, RuleFiles, app, load_rules, print_facts
from murmura.core.errors import RunError
from murmura.core.notices import print_notice


@app.command
def verify(folder: Path, /, *, rules: RuleFiles = None, as_json: Json = False) -> None:
    """Read a whole run or sweep and verify all checksums; the exit code is 1 if anything is damaged.

    Parameters
    ----------
    folder
        The folder of the run or the sweep.
    """
    load_rules(rules)
    from murmura.lab.sweeps.folder import is_sweep
    from murmura.lab.verify import verify_run, verify_sweep

    report = verify_sweep(folder) if is_sweep(folder) else verify_run(folder)
    for damage in report.damages:
        print_notice(str(damage))
    facts = report.data()
    if not as_json:
        facts = {key: value for key, value in facts.items() if value != []} | {"damages": len(report.damages)}
    print_facts(facts, as_json)
    if not report.is_whole:
        raise RunError(f"{folder} is damaged (reports above: {len(report.damages)}); the rest is intact")
