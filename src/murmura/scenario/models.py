"""The models of a scenario: the only place for defaults, ranges and units."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Unpack

from pydantic import (
    ConfigDict,
    Field,
    PrivateAttr,
    SerializeAsAny,
    ValidationError,
    create_model,
    model_validator,
)

from murmura.core.algebra import sin_cos_of_degrees, where
from murmura.core.errors import ScenarioError, UnknownNameError
from murmura.core.model import Model, choice, quantity
from murmura.core.rule import Rule, registered_rule
from murmura.core.world.perception import MOST_NEAREST
from murmura.rules import built_in_rules
from murmura.rules.environment.terrain import Box, Circle, Cylinder, Plane, Polygon, Wall
from murmura.scenario.document_names import names_by_path
from murmura.scenario.messages import scenario_error
from murmura.scenario.parts import plain_number
from murmura.scenario.paths import edited_values

MOST_AGENTS = 20_000_000
MOST_NEIGHBORS = 20_000.0
MOST_SPECIES = 256


class World(Model):
    """The plane, or space if there is a depth, and what happens at the edges."""

    width: float = quantity(1600.0, "Width of the world.", "u", (100, 10_000), gt=0, le=1e7)
    height: float = quantity(1000.0, "Height of the world.", "u", (100, 10_000), gt=0, le=1e7)
    boundary: Literal["wrap", "soft", "reflect", "open"] = choice(
        "soft",
        "Wrap: leave on one side, enter on the other. Soft: the boundary rule pushes back, with a wall behind "
        "it. Reflect: bounce. Open: no edge at all.",
    )
    depth: float | None = quantity(
        None, "Depth of the world along z; none: the world is a plane.", "u", (100, 2_000), gt=0, le=1e7
    )
    boundary_y: Literal["wrap", "soft", "reflect"] | None = choice(
        None,
        "What happens at the edges along y; none: as along x. A world that wraps along x alone is a channel.",
    )
    boundary_z: Literal["wrap", "soft", "reflect", "open"] | None = choice(
        None,
        "What happens at the floor and the ceiling of a 3-D world; none: as at the other edges.",
    )

    @property
    def dimension(self) -> int:
        """2 for a plane, 3 for a 3-D world."""
        return 2 if self.depth is None else 3

    @property
    def sides(self) -> tuple[float, ...]:
        """Width, height and, where there is one, depth [u]."""
        return (self.width, self.height) if self.depth is None else (self.width, self.height, self.depth)

    @property
    def edges(self) -> tuple[str, ...]:
        """What happens at the edges of each axis."""
        flat = (self.boundary, self.boundary_y or self.boundary)
        return flat if self.depth is None else (*flat, self.boundary_z or self.boundary)


class Motion(Model):
    """How forces become movement."""

    policy: Literal["capped", "constant", "overdamped"] = choice(
        "capped",
        "Whether speed has an upper limit or is constant; overdamped: without inertia, the force is the velocity "
        "(up to the upper limit).",
    )
    max_speed: float = quantity(
        15.0, "Maximum speed, where speed is not constant.", "u/s or u/tick", (1, 40), gt=0
    )
    speed: float = quantity(1.0, "The speed, where it is constant.", "u/s or u/tick", (0.1, 40), gt=0)
    min_speed: float = quantity(
        0.0, "Minimum speed, where speed is capped; 0: none.", "u/s or u/tick", (0, 40), ge=0
    )
    max_force: float = quantity(
        0.5, "Maximum steering force of a rule, and of the sum of all rules.", "", (0.01, 2), True, gt=0
    )
    clamp_total: bool = choice(True, "Whether max_force also limits the sum of all steering forces.")
    panic_force: float = quantity(1.0, "How much full panic adds to that limit on the sum.", "", (0, 3), ge=0)
    panic_speed: float = quantity(0.5, "How much full panic adds to the top speed.", "", (0, 2), ge=0)
    velocity_unit: Literal["second", "tick"] = choice(
        "second", "Whether velocities are per second or per step."
    )
    time_step: float = quantity(1.0 / 60.0, "Simulated time of one step.", "s", gt=0, le=1000)

    @property
    def top_speed(self) -> float:
        """The top speed without panic and hunger, under either policy."""
        return self.speed if self.policy == "constant" else self.max_speed

    @property
    def stride(self) -> float:
        """The distance that one unit of velocity covers in a step [u]."""
        return 1.0 if self.velocity_unit == "tick" else self.time_step

    @property
    def thrust(self) -> float:
        """How much velocity one unit of force gives in a step."""
        return 1.0 if self.velocity_unit == "tick" else 60.0 * self.time_step


class Perception(Model):
    """How far and how wide an agent perceives."""

    radius: float = quantity(50.0, "How far an agent sees.", "u", (5, 200), gt=0)
    field_of_view: float = quantity(
        270.0, "Angle an agent sees, centred on its heading.", "deg", (10, 360), gt=0, le=360
    )
    nearest: int | None = quantity(
        None,
        "Only this many nearest visible neighbours count (topological perception); none: all.",
        "",
        ge=1,
        le=MOST_NEAREST,
    )
    rear_attention: float = quantity(
        1.0, "Weight of a neighbour straight behind; one straight ahead has weight 1.", "", (0, 1), ge=0, le=1
    )
    occlusion: bool = choice(
        False, "Whether nearer bodies and obstacles hide what is behind them (in the plane)."
    )
    body: float = quantity(
        5.0, "Width of an agent in the eyes of others, where bodies hide each other.", "u", (0.5, 20), gt=0
    )
    bins: int = quantity(
        64,
        "Equal bins of the visual field, where bodies hide each other: each is 360/bins degrees wide.",
        "",
        (16, 360),
        ge=8,
        le=3600,
    )

    @property
    def view_cosine(self) -> float:
        """Minimum cosine between heading and a visible neighbour."""
        from murmura.core.world.perception import EDGE, SEES_ALL

        _, cosine = sin_cos_of_degrees(self.field_of_view / 2.0)
        least: float = where(self.field_of_view == 360.0, SEES_ALL, cosine - EDGE)
        return least


class Interaction(Model):
    """How one species reacts to another: factors on the neighbour rules."""

    separation: float = quantity(1.0, "How much it keeps apart.", "", (0, 3), ge=0)
    alignment: float = quantity(0.0, "How much it flies along.", "", (0, 3), ge=0)
    cohesion: float = quantity(0.0, "How much it joins.", "", (0, 3), ge=0)
    flee: float = quantity(0.0, "How much it flees (rules.flee).", "", (0, 3), ge=0)
    chase: float = quantity(0.0, "How much it hunts (rules.chase).", "", (0, 3), ge=0)


RELATIONS: dict[str, Interaction] = {
    "flock": Interaction(alignment=1.0, cohesion=1.0),
    "align": Interaction(alignment=1.0),
    "join": Interaction(cohesion=1.0),
    "avoid": Interaction(separation=2.0),
    "separate": Interaction(),
    "flee": Interaction(flee=1.0),
    "chase": Interaction(separation=0.0, chase=1.0),
    "ignore": Interaction(separation=0.0),
}
Relation = Literal["flock", "align", "join", "avoid", "separate", "flee", "chase", "ignore"]


class Species(Model):
    """A kind of animal: its share of the agents, its own values, and its reactions to other kinds."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$", description="Its name.")
    share: float = quantity(1.0, "Its share of all agents, relative to the other species.", "", (0, 10), gt=0)
    values: dict[str, float] = Field(
        default_factory=dict, description="Numbers of motion, perception and rules that differ, by path."
    )
    towards: dict[str, Relation | Interaction] = Field(
        default_factory=dict,
        description="How it reacts to other species; it keeps apart from those not named.",
    )
    color: str = Field("#4cc9f0", pattern=r"^#[0-9a-fA-F]{6}$", description="Its colour in the live view.")

    def interaction(self, other: str) -> Interaction:
        """How this species reacts to another; it flocks with its own."""
        wanted = self.towards.get(other, "flock" if other == self.name else "separate")
        return RELATIONS[wanted] if isinstance(wanted, str) else wanted


class Start(Model):
    """Where agents start, and at what speed."""

    layout: Literal["uniform", "disc"] = choice(
        "uniform", "Throughout the world, or in a disc around the centre (in space, a ball)."
    )
    margin: float = quantity(0.0, "Distance kept from the edges.", "u", (0, 500), ge=0)
    radius: float = quantity(200.0, "Radius of the disc.", "u", (10, 1000), gt=0)
    speed: float = quantity(5.0, "Initial speed.", "u/s or u/tick", (0, 40), ge=0)
    speed_spread: float = quantity(
        0.0, "Maximum random addition to that speed.", "u/s or u/tick", (0, 40), ge=0
    )
    direction: float | None = quantity(
        None,
        "Common initial direction, counter-clockwise from x, level in space; none: each agent a random one.",
        "deg",
        (0, 360),
    )
    direction_spread: float = quantity(
        0.0, "Maximum random deviation from that direction.", "deg", (0, 180), ge=0, le=180
    )


class Display(Model):
    """Hints for drawing the flock."""

    size: float = quantity(1.0, "Size of an agent.", "", (0.2, 2.5), gt=0)
    glow: float = quantity(0.0, "How much it glows.", "", (0, 2), ge=0)
    speed: float = quantity(
        1.0, "Simulated seconds per second in the live view.", "", (0.25, 8), ge=0.05, le=16
    )
    trails: bool = choice(True, "Whether the live view begins with trails.")
    follow_window: bool = choice(False, "Whether the world has the size of the window in the live view.")
    shape: Literal["bird", "fish"] = choice(
        "bird", "What agents of a 3-D world look like. Fish swim in water."
    )


class RulesBase(Model):
    """Every rule by name. Your own rules appear under their registered names."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, SerializeAsAny[Rule]]

    @model_validator(mode="before")
    @classmethod
    def _read_own_rules(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        read = dict(data)
        for name in data.keys() - cls.model_fields.keys():
            if isinstance(data[name], Rule):
                continue
            try:
                rule = registered_rule(name)
            except UnknownNameError as error:
                raise ValueError(str(error)) from None
            try:
                read[name] = rule.model_validate_json(json.dumps(data[name]))
            except ValidationError as error:
                raise ValueError(str(scenario_error(error, rule, f"rules.{name}"))) from None
        return read

    def __iter__(self) -> Iterator[tuple[str, Rule]]:  # type: ignore[override]
        """All rules by name: the built-in ones in their fixed order, then the user's by name."""
        for name in type(self).model_fields:
            yield name, getattr(self, name)
        yield from sorted((self.__pydantic_extra__ or {}).items())


if TYPE_CHECKING:
    from murmura.scenario.typed import Rules as Rules
    from murmura.scenario.typed import ScenarioEdits
else:
    Rules = create_model(
        "Rules",
        __base__=RulesBase,
        __module__=__name__,
        __doc__=RulesBase.__doc__,
        **{name: (rule, rule(enabled=rule.on_by_default)) for name, rule in built_in_rules()},
    )


class Scenario(Model):
    """A world, its animals and their rules. A run is a function of scenario, seed and step count alone."""

    model_config = ConfigDict(json_schema_extra={"names": names_by_path()})  # type: ignore[dict-item]

    schema_version: Literal[1] = 1
    name: str = Field("custom", pattern=r"^[a-z0-9][a-z0-9_-]*$", description="Its name.")
    title: str = Field("", description="One sentence: what it shows and what to watch for.")
    agents: int = quantity(2000, "How many agents at the start.", "", (100, 100_000), ge=0, le=MOST_AGENTS)
    world: World = World()
    motion: Motion = Motion()
    perception: Perception = Perception()
    rules: Rules = Rules()
    obstacles: tuple[Circle | Polygon | Wall | Cylinder | Box | Plane, ...] = Field(
        (), description="Obstacles that agents cannot pass.", strict=False
    )
    species: tuple[Species, ...] = Field(
        (), description="Kinds of animals; none: all are of one kind.", max_length=MOST_SPECIES, strict=False
    )
    start: Start = Start()
    display: Display = Display()

    _lives: tuple[Scenario, ...] = PrivateAttr(())
    """The scenario with the values of each species, computed once at validation."""
    _switched_on: dict[str, str] = PrivateAttr(default_factory=dict)
    """Rules that others need and nobody named, and why; not part of the model."""

    def __eq__(self, other: object) -> bool:
        """Scenarios with the same values are equal, however they came about."""
        return isinstance(other, Scenario) and dict(self) == dict(other)

    @model_validator(mode="after")
    def _check(self) -> Scenario:
        from murmura.scenario.consistency import lives_of, problems_of

        found = problems_of(self)
        if not found:
            self._lives, found = lives_of(self)
        if found:
            raise ValueError("\n".join(found))
        return self

    def with_values(self, values: Mapping[str, object]) -> Scenario:
        """Return a copy with some values changed, by path: `{"rules.alignment.weight": 2.0, "agents": 500}`.

        Naming a value of a rule switches the rule on, and the rules that it needs, unless `values` says otherwise.
        """
        from murmura.scenario.changes import changed

        return changed(self, values)

    def edit(self, **changes: Unpack[ScenarioEdits]) -> Scenario:
        """Return a copy with some values changed, in the layout of a scenario file; editors and mypy check all names.

        `scenario.edit(agents=500, world={"width": 800.0}, rules={"alignment": {"weight": 2.0}})`. Lists
        (obstacles, species, hunters) are replaced as a whole, by models or tables.
        """
        return self.with_values(dict(edited_values(self, changes)))

    def with_rules(self, change: Callable[[Rules], Mapping[str, Rule]]) -> Scenario:
        """Return a copy with rules replaced by a function, for every species. The result must be valid."""

        def changed(one: Scenario) -> Scenario:
            return one.model_copy(update={"rules": one.rules.model_copy(update=dict(change(one.rules)))})

        copy = changed(self)
        copy._lives = tuple(changed(life) for life in self._lives)
        return copy

    @classmethod
    def from_data(cls, data: object, source: str = "") -> Scenario:
        """Read a scenario from plain data, with messages a person can act on."""
        from murmura.scenario.changes import with_needed_rules
        from murmura.scenario.plugins import plugins

        plugins()
        data, needed = with_needed_rules(data)
        try:
            text = json.dumps(data, default=plain_number)
        except (TypeError, ValueError, RecursionError) as error:
            raise ScenarioError(
                f"{source or 'a scenario'} must be made of text, numbers, true, false, lists and tables: {error}"
            ) from None
        try:
            found = cls.model_validate_json(text)
        except ValidationError as error:
            raise scenario_error(error, cls, source) from None
        found._switched_on = needed
        return found

    def switched_on(self) -> list[str]:
        """Rules that are on only because others need them, although nobody named them: one line for each."""
        return list(self._switched_on.values())

    def idle_rules(self) -> dict[str, str]:
        """Rules that are on and cannot act here, by name, with the condition under which they act."""
        return {
            name: rule.acts_where or "where its `takes_part` allows it"
            for name, rule in self.rules
            if rule.enabled and not rule.takes_part(self)
        }

    def hidden_values(self) -> list[str]:
        """Values that have no effect: one line for each, with the reason and what to do."""
        lives = [(f"species.{k} ({kind.name}): ", self.of_species(k)) for k, kind in enumerate(self.species)]
        found: dict[str, str] = {}
        if self.start.direction_spread and self.start.direction is None:
            line = (
                f"start.direction_spread = {self.start.direction_spread:g} [deg] does not act: without a "
                "start.direction all directions are equally likely; set start.direction"
            )
            found[line] = line
        for prefix, life in lives or [("", self)]:
            for name, rule in life.rules:
                own = prefix if rule != getattr(self.rules, name) else ""
                for line in rule.hidden(life) if rule.enabled else ():
                    found.setdefault(own + line, line)
        return list(found)

    def _repr_html_(self) -> str:
        from murmura.scenario.about import html_table

        wanted = [name for name, rule in self.rules if rule.enabled]
        size = f"{' x '.join(f'{side:g}' for side in self.world.sides)} u, {self.world.boundary}"
        facts = {"": self.title, "agents": f"{self.agents:,}", "world": size, "rules": ", ".join(wanted)}
        if self.species:
            facts["species"] = ", ".join(self.species_names())
        return html_table(self.name, facts)

    def of_species(self, index: int) -> Scenario:
        """The scenario with the values of one species, and no other species."""
        return self._lives[index] if self.species else self

    def species_names(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.species) or ("default",)
