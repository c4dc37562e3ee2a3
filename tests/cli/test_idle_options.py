"""Options that would do nothing are refused (issue 29, point 25): every command, every situation, every such option."""

from __future__ import annotations

from pathlib import Path

import pytest

import murmura as mm
from murmura.cli import app, main
from murmura.lab.runs.recording import record

SIMULATED = {"--agents": "5", "--seed": "9", "--set": "agents=5"}
CAMERA = {"--orbit": "20", "--elevation": "20", "--distance": "9", "--turn": "3"}
LINEAGE = {"--edges": "e.parquet", "--lineage": "a.csv", "--living": "", "--least": "3"}

IDLE: list[tuple[str, dict[str, str]]] = [
    ("bench --scenario classic", {"--space": ""}),
    ("bench --backend reference", {"--threads": "2", "--ensemble": ""}),
    ("compare run run", SIMULATED | {"--backend": "cpu", "--left": "agents=5", "--right": "agents=5"}),
    ("compare run classic", {"--left": "agents=5"}),
    ("compare classic run", {"--right": "agents=5"}),
    ("compare classic classic --backend reference", {"--threads": "2"}),
    ("export run --to csv", SIMULATED | {"--backend": "cpu", "--also": "fish", "--living": "", "--least": "3"}),
    ("export run --lineage a.csv", SIMULATED | {"--out": "b.csv"}),
    ("export run --to html", SIMULATED | LINEAGE | {"--backend": "cpu", "--also": "fish"}),
    ("export classic --to html", LINEAGE),
    (
        "export --gallery site",
        LINEAGE
        | {"--to": "html", "--out": "b.html", "--also": "fish"}
        | {"--agents": "5", "--set": "agents=5", "--rules": "r.py"},
    ),
    ("fit couzin --to run --out out --vary motion.speed=1:2", {"--vary-against": "motion.speed=1:2", "--reach": "5"}),
    ("fit couzin --to run --out out --vary motion.speed=1:2 --backend reference", {"--threads": "2"}),
    ("infer couzin --to run --out out --vary motion.speed", {"--vary-against": "motion.speed=1:2"}),
    ("live classic --no-open --backend reference", {"--threads": "2"}),
    ("plot run --out a.svg", {"--dpi": "90"}),
    ("plot run --out a.png --kind series", {"--x": "time", "--y": "agents"}),
    ("plot run --out a.png --kind population", {"--x": "time", "--of": "agents"}),
    ("render run --out a.png", SIMULATED | CAMERA),
    ("render run --out a.png", {"--beside-set": "agents=5", "--backend": "cuda", "--threads": "7"}),
    ("render run --out a.png", {"--quality": "best"}),
    ("render run --out a.png --at 2", {"--smooth": ""}),
    ("render classic --steps 2 --out a.png --backend reference", CAMERA),
    ("render classic --steps 2 --out a.png", {"--at": "2", "--smooth": "", "--beside-set": "agents=5"}),
    ("render classic --steps 2 --out a.png --backend reference", {"--threads": "2"}),
    ("replay run", {"--live": "", "--json": "", "--threads": "2"}),
    ("replay run --backend reference", {"--threads": "2"}),
    ("replay run.gsd", {"--live": "", "--json": "", "--backend": "cpu", "--threads": "2"}),
    ("replay actions.json", {"--speed": "2", "--port": "8500", "--no-open": ""}),
    ("replay actions.json --live", {"--json": ""}),
    ("resume run", {"--threads": "2"}),
    ("resume sweep", {"--steps": "9", "--threads": "2", "--expect-hash": "ab"}),
    ("resume fit", {"--steps": "9", "--threads": "2", "--expect-hash": "ab", "--rules": "r.py"}),
    ("run classic --steps 2 --out out --backend reference", {"--threads": "2"}),
    ("optimize classic --out out --steps 2 --maximize spread --backend cuda", {"--threads": "2"}),
    ("sensitivity classic --out out --steps 2 --backend webgpu", {"--threads": "2"}),
    ("sweep classic --out out --steps 2 --backend reference", {"--threads": "2", "--samples": "3"}),
    ("tracks a.csv --out out", {"--order": "3", "--keypoint": "nose", "--trust-pickle": ""}),
    ("conformance --check a.json", {"--force": "", "--model": "vicsek-1995"}),
    ("measure run", {"--force": ""}),
    ("measure sweep", {"--every": "2"}),
    ("tracks a.npy --out out", {"--columns": "x=X"}),
    ("tracks a.h5 --out out --from SLEAP", {"--columns": "x=X", "--trust-pickle": ""}),
]  # fmt: skip
"""Commands, and options that have no effect in them, with a value each."""

SWEEP = (
    "--vary --steps --out --repeats --seed --agents --set --measure --discard --every --workers --scheduler --backend "
    "--rules --plot --yes --json"
)
ALWAYS = {
    "bench": "--agents --backend --scenario --no-baselines --json",
    "compare": "--port --no-open --speed --rules",
    "conformance": "--out --check --json",
    "doctor": "--json",
    "export": "--gallery --force --json",
    "fit": "--to --out --vary --measure --against --population --generations --seconds --discard --instants --distance "
    "--own-world --predictions --seed --batch --most-runs --set --workers --scheduler --backend --rules --plot --json",
    "infer": "--to --out --vary --against --every --frames --compared --reach --forward --no-shares --own-world --seed "
    "--set --rules --plot --json",
    "live": "--agents --seed --set --host --port --no-open --exit-on-close --speed --backend --rules --share --lessons "
    "--runs",
    "measure": "--measure --discard --every --out --rules --json",
    "optimize": f"{SWEEP} --maximize --minimize --trials --batch",
    "plot": "--out --kind --width --force --rules --json",
    "render": "--out --size --fps --speed --from --to --color --palette --trails --theme --follow --zoom --no-labels "
    "--beside --steps --force --rules --json",
    "replay": "--rules",
    "resume": "--json",
    "run": "--steps --out --portable --agents --seed --set --every --columns --metrics-every --measure "
    "--checkpoint-every --backend --rules --expect-hash --json",
    "scenarios": "--json",
    "sensitivity": f"{SWEEP} --method --samples",
    "sweep": f"{SWEEP} --design --constant-density",
    "tracks": "--out --fps --scale --arena --fill --smooth --radius --from --max-speed --flip --json",
    "verify": "--rules --json",
    "verify-page": "--step --hash --seed --scenario --rules --json",
}
"""Options that have an effect wherever they are accepted."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("idle")
    scenario = mm.load_scenario("classic").with_values({"agents": 5})
    record(mm.Simulation(scenario, 1, "reference"), 4, place / "run", 2)
    for task in ("sweep", "fit"):
        (place / task).mkdir()
        (place / task / f"{task}.json").write_text("{}")
    return place


@pytest.mark.parametrize(
    ("words", "option", "value"),
    [(words, option, value) for words, options in IDLE for option, value in options.items()],
)
def test_an_option_without_effect_is_refused(
    words: str,
    option: str,
    value: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    with pytest.raises(SystemExit) as left:
        main([*words.split(), option, *([value] if value else [])])
    said = capsys.readouterr().err
    assert left.value.code == 2, said
    assert option.replace("--no-b", "--b") in said and "no effect here: " in said, said
    assert said.count("\n") == 1 and sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("command", ALWAYS)
def test_every_option_is_tried_or_always_has_an_effect(command: str):
    options = {
        name
        for argument in app[command].assemble_argument_collection()
        for name in argument.names
        if name.startswith("--")
    } - {"--baselines", "--shares", "--measure" if command == "plot" else ""}
    tried = {option for words, found in IDLE if words.split()[0] == command for option in found}
    assert tried | set(ALWAYS[command].split()) == options
    assert set(ALWAYS) == {name for name in app if not name.startswith("-")}
