"""What readers tell of one instant, as dictionaries whose keys have types.

Keys that only some scenarios have are marked `NotRequired`: `z` in space, `life` where agents age, and so on.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Event(TypedDict):
    """Something that happened to an agent in a step."""

    step: int
    kind: str
    id: int
    other: int | None
    x: float
    y: float
    z: NotRequired[float]
    cause: str | None
    amount: float
    father: NotRequired[int | None]
    species: NotRequired[int]


class HunterStats(TypedDict):
    """Numbers of a hunter that do not change while it lives."""

    max_energy: float
    energy_regen: float
    hunting_drain: float
    attack_cost: float
    exhaustion_threshold: float


class Hunter(TypedDict):
    """A hunter that is alive."""

    id: int
    kind: str
    state: str
    x: float
    y: float
    z: NotRequired[float]
    vx: float
    vy: float
    vz: NotRequired[float]
    heading: float
    time: float
    state_time: float
    cooldown: float
    energy: float
    stats: HunterStats
    target: int | None
    target_x: float | None
    target_y: float | None
    target_z: NotRequired[float | None]
    altitude: float
    fright: float
    hunts: int
    catches: int
    failed_hunts: int
    listed: bool


class FoodSource(TypedDict):
    """A source of food, full or empty."""

    id: int
    x: float
    y: float
    z: NotRequired[float]
    amount: float
    full: float
    feeders: int
    radius: float


class RuleEffect(TypedDict):
    """What a rule does to an agent: the neighbours it uses, by id, and its force."""

    neighbors: list[int]
    force: list[float]


class AgentState(TypedDict):
    """An agent's state in words and numbers."""

    species: str
    gender: str
    panic: float
    energy: float
    feeding: str
    mating: str


class NearHunter(TypedDict):
    """A hunter that frightens an agent or hunts it."""

    id: int
    kind: str
    state: str
    distance: float
    frightens: bool
    hunts: bool


class StanceFacts(TypedDict):
    """What an agent with a genome is about, why, and for how long [s]."""

    name: str
    reason: str
    time: float


class Explanation(TypedDict):
    """Why an agent does what it does."""

    id: int
    position: list[float]
    velocity: list[float]
    neighbors: list[int]
    rules: dict[str, RuleEffect]
    state: AgentState
    target: dict[str, int]
    doing: list[str]
    steering: list[float]
    hunters: NotRequired[list[NearHunter]]
    stance: NotRequired[StanceFacts]
    life: NotRequired[dict[str, float]]
    genome: NotRequired[dict[str, float]]
