"""What the functions of a rule are called with: the agent that decides, its neighbours, and the world.

Each field is declared here once, with its type, its unit in brackets and its meaning. Editors show them, mypy and
pyright check them, the table in docs/add-a-rule.md is made from them, and so are the messages about unknown fields.
The classes are never instantiated: a rule gets a `Record` with these fields, or with those that its scenario needs.

A rule that adds columns declares them in a subclass: `class Lonely(Agent): alone_for: Number`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from murmura.core.algebra import Condition, Integer, Number
from murmura.core.tracing.fields import Fields
from murmura.core.vec import Vec

if TYPE_CHECKING:
    from murmura.core.world.visual_field import Eye


class Columns(Fields):
    """State columns: in a step, those that some active rule names in `reads` or `writes`."""

    @classmethod
    def why_absent(cls, name: str) -> str:
        is_column = name not in {**Agent.__annotations__, **Neighbor.__annotations__}
        return "name the column in `reads` of the rule" if is_column else super().why_absent(name)

    panic: Number
    """Fear, from 0 to 1; always known."""
    energy: Number
    """From 0 (starved) to 1; always known."""
    species: Integer
    """Which species of the scenario; always known."""
    heading_angle: Number
    """[rad] The direction of flight, kept while at rest; always known."""
    gender: Number
    """0 female, 1 male."""
    aggression: Number
    """From 0 to 1."""
    feeding_state: Number
    """See `murmura.core.state.FeedingState`."""
    feeding_timer: Number
    """[s] Since it entered that state."""
    target_food_id: Number
    """The food it has chosen; -1: none."""
    mating_state: Number
    """See `murmura.core.state.MatingState`."""
    mating_timer: Number
    """[s] Since it entered that state."""
    mating_cooldown: Number
    """[s] Until it may seek a mate again."""
    target_mate_id: Number
    """The mate it has chosen; -1: none."""


class Agent(Columns):
    """The agent that decides. Where a function also gets `was`, that is the agent before any `feel` of the step."""

    argument: ClassVar[str] = "me"

    id: Integer
    """Its number, which no other agent ever has."""
    position: Vec
    """[u]"""
    velocity: Vec
    """[u/s], or [u/tick] where the scenario's unit of speed is the tick."""
    heading: Vec
    """The direction of flight, of length 1; along the first axis at rest."""
    speed: Number
    """[u/s or u/tick] Its current speed."""
    max_speed: Number
    """[u/s or u/tick] Its top speed without fear and hunger."""
    max_force: Number
    """The limit of the sum of its clamped forces."""
    keeps_speed: bool
    """Whether its speed is constant; an option of the motion."""
    neighbors: Number
    """How many neighbours it perceives; 0 inside `pair`."""
    eye: Eye
    """What covers its view: for rules with `uses_eye`, after `pair`, where `world.occludes`."""
    force: Vec
    """What steered it in this step; in `age` only."""


class Neighbor(Columns):
    """A neighbour, as the agent perceives it."""

    argument: ClassVar[str] = "seen"

    id: Integer
    """Its number."""
    offset: Vec
    """[u] From the agent to it, the shortest way on a torus."""
    square: Number
    """[u^2] The squared distance."""
    distance: Number
    """[u]"""
    inverse: Number
    """[1/u] 1 / distance, finite even in the same place."""
    nearness: Number
    """1 - distance / `perception.radius`."""
    velocity: Vec
    """[u/s], or [u/tick] where the scenario's unit of speed is the tick."""
    attention: Number
    """How much it counts by its angle: 1, or less for those behind by `perception.rear_attention`."""
    separation: Number
    """Factor on separation from its species, by the interaction table, as are the next four."""
    alignment: Number
    """Factor on alignment with its species."""
    cohesion: Number
    """Factor on cohesion with its species."""
    flee: Number
    """How much the agent flees from its species."""
    chase: Number
    """How much the agent chases its species."""
    visible: Condition
    """Whether it is in view: for rules with `meets_everyone`."""
    sees_me: Condition
    """Whether it sees the agent, by its own radius and field of view."""
    bins: Number
    """How many bins of the agent's visual field show it, where `world.occludes`; 0: it is hidden."""


class World(Fields):
    """The world and the time."""

    argument: ClassVar[str] = "world"

    size: Vec
    """[u] Width, height and, in space, depth."""
    width: Number
    """[u]"""
    height: Number
    """[u]"""
    depth: Number
    """[u]; 0 in the plane."""
    edges: tuple[str, ...]
    """What happens at the edges, axis by axis."""
    wraps: bool
    """Whether it wraps along x."""
    walled: bool
    """Whether its edges along x turn agents back."""
    occludes: bool
    """Whether bodies and obstacles hide what is behind them."""
    overdamped: bool
    """Whether forces are velocities; an option of the motion."""
    dt: Number
    """[s] How long a step is."""
    time: Number
    """[s] Since step 0."""
    noise_time: Number
    """[s] The same, from 0 again every 5120 s."""
    step: Integer
    """The number of the step."""
    thrust: Number
    """Velocity that one unit of force adds in a step."""
    stride: Number
    """Distance that one unit of velocity covers in a step."""
    pace: Number
    """Factor from a velocity to u/s."""
    skin: Number
    """[u] Distance kept from obstacles."""
    seed_low: Integer
    """The lower 32 bits of the run's seed."""
    seed_high: Integer
    """The upper 32 bits."""
    noise_x: Number
    """Where the seed's world lies on the noise lattice, as do the next two."""
    noise_y: Number
    """The second coordinate."""
    noise_z: Number
    """The third; 0 in the plane."""
