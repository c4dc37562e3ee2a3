"""What can be asked of an inference, in Python and by `murmura infer`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from murmura.core.errors import ScenarioError
from murmura.core.request import Request, argument, option
from murmura.lab.sweeps.request import NO_SECOND_MODEL, Announce, Progress, silent

if TYPE_CHECKING:
    from murmura.lab.runs.run import Run
    from murmura.scenario import Scenario

Compared = Literal["turns", "velocities"]
"""Speed and turn, each with a noise of its own; or all components of the velocity, with one noise."""


@dataclass(frozen=True)
class InferRequest(Request):
    """An inference of one model's numbers, or of two, from a run."""

    scenario: Scenario | str | Path
    to: Run | str | Path
    vary: list[str]
    out: str | Path
    _: KW_ONLY
    against: Scenario | str | Path | None = option(
        None, "A second model; both are judged by motion that they were not fitted to.", typed=str | None
    )
    vary_against: list[str] | None = option(None, "Numbers of the second model: PATH or PATH=LOW:HIGH.")
    every: int = option(1, "Frames ahead to predict; more suffer less from tracking errors.")
    frames: int = option(1000, "Greatest number of frames to predict from.")
    compared: Compared = option(
        "turns",
        "What of a prediction is compared: speed and turn, each with its own noise, or (velocities) components, for "
        "particles and animals that rest.",
    )
    reach: float | None = option(
        None,
        "Greatest distance of neighbours in the free force [u]; by default the greatest perception radius.",
    )
    forward: Sequence[str] | None = option(
        None, "Rules to select from, separated by commas, beginning with none.", typed=str | None
    )
    shares: bool = option(True, "Find what the model loses without each of its rules.")
    own_world: bool = option(False, "Keep the scenario's own world; by default it gets that of the run.")
    seed: int = option(0, "Seed of the model's random numbers.")
    rules: Iterable[str | Path] = option(
        (), "Python file or module with your own rules; it is executed.", typed=list[str] | None
    )
    changes: Mapping[str, object] | None = argument(None, "Values to change in both models, by path.")
    progress: Progress | None = argument(None, "Called with the work that is done and the whole.")
    announce: Announce = argument(silent, "Called with a line of text that a user should see.")

    idle = (NO_SECOND_MODEL,)

    def __post_init__(self) -> None:
        if self.every < 1 or self.frames < 10:
            raise ScenarioError(
                f"expected every >= 1 and at least 10 frames, got {self.every} and {self.frames}"
            )
