"""A hunter in a scenario: its kind and its parameters, which default to those of the kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from murmura.core.model import PLACES, Model, choice, quantity
from murmura.rules.predators import kinds  # noqa: F401 - they register themselves
from murmura.rules.predators.kind import KINDS, kind_names


class _KnownKind:
    """A name that is registered when it is read, so that a kind of somebody else's may come later."""

    @staticmethod
    def check(name: str) -> str:
        if name not in KINDS:
            raise PydanticCustomError(
                "literal_error", "unknown kind", {"expected": ", ".join(map(repr, kind_names()))}
            )
        return name

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"type": "string", "enum": kind_names()}


KindName = Annotated[str, _KnownKind()]

SPEED = "u/s or u/tick"
PERSONAL = ("kind", "numbers_from", "x", "y", "z")
"""What a kind does not say about a hunter."""


class Hunter(Model):
    """A predator. Numbers that are left out are those of its kind."""

    kind: KindName = choice("hawk", "Its kind, which determines how it hunts.")
    numbers_from: KindName | None = choice(
        None, "The kind whose numbers replace those not given; follows `kind` when that changes."
    )
    x: float | None = quantity(None, "Where it is at the start; none: drawn from the seed.", "u", PLACES)
    y: float | None = quantity(None, "Where it is at the start; none: drawn from the seed.", "u", PLACES)
    z: float | None = quantity(
        None, "Where it is at the start, in a 3-D world; none: drawn from the seed.", "u", (0, 1000)
    )

    max_speed: float = quantity(22.0, "Top speed without a burst.", SPEED, (1, 60), gt=0)
    max_force: float = quantity(1.2, "Maximum steering force.", "", (0.1, 3), gt=0)
    burst: float = quantity(
        1.8, "Top speed while attacking or diving, as a multiple of the top speed.", "", (1, 5), ge=1
    )
    max_energy: float = quantity(80.0, "Maximum energy.", "", (10, 300), gt=0)
    energy_regen: float = quantity(8.0, "Energy regained per second of rest.", "1/s", (0, 50), ge=0)
    hunting_drain: float = quantity(12.0, "Energy spent per second of hunting.", "1/s", (0, 50), ge=0)
    stalking_drain: float = quantity(4.0, "Energy spent per second of stalking.", "1/s", (0, 50), ge=0)
    attack_cost: float = quantity(20.0, "Energy that an attack costs, hit or miss.", "", (0, 100), ge=0)
    exhaustion_threshold: float = quantity(15.0, "Energy at which it must rest.", "", (0, 100), ge=0)
    hunt_energy: float = quantity(72.0, "Minimum energy to begin a hunt with.", "", (0, 300), ge=0)
    recovery_delay: float = quantity(2.0, "Rest before energy returns.", "s", (0, 20), ge=0)
    catch_cooldown: float = quantity(
        4.0, "Mean rest after a catch, within a quarter of it.", "s", (0, 60), ge=0
    )
    miss_cooldown: float = quantity(
        2.0, "Mean rest after a miss, within a quarter of it.", "s", (0, 60), ge=0
    )

    panic_radius: float = quantity(120.0, "Distance at which it frightens.", "u", (10, 400), gt=0)
    stealth_radius: float | None = quantity(
        None,
        "Distance at which it frightens while it hides or stalks; none: as always (it does not hide).",
        "u",
        (0, 400),
        ge=0,
    )
    sight: float = quantity(0.0, "How far it sees birds; 0: the whole flock.", "u", (0, 2000), ge=0)
    target_distance: float = quantity(
        0.0, "How far away it chooses targets; 0: in the whole flock.", "u", (0, 2000), ge=0
    )
    isolation_weight: float = quantity(1.0, "How much it likes birds that are alone.", "", (-3, 3))
    edge_weight: float = quantity(0.8, "How much it likes birds at the flock's edge.", "", (-3, 3))
    velocity_weight: float = quantity(0.6, "How much it likes birds that leave the flock.", "", (-3, 3))
    panic_weight: float = quantity(0.4, "How much it likes frightened birds.", "", (-3, 3))
    intercept_weight: float = quantity(1.0, "How much it likes near birds.", "", (-3, 3))
    pace_weight: float = quantity(
        0.0, "How much it likes fast birds; negative: slow and steady ones.", "", (-3, 3)
    )
    approach_weight: float = quantity(0.0, "How much it likes birds that come its way.", "", (-3, 3))

    attack_distance: float = quantity(45.0, "Distance from which it attacks.", "u", (5, 200), gt=0)
    catch_distance: float = quantity(12.0, "Distance from which it catches.", "u", (1, 100), gt=0)
    lose_distance: float = quantity(300.0, "Distance beyond which it gives up.", "u", (50, 2000), gt=0)
    hunt_time: float = quantity(6.0, "Maximum time of a hunt, including the attack.", "s", (1, 60), gt=0)
    pursuit_time: float = quantity(6.0, "Maximum time of a pursuit before an attack.", "s", (1, 60), gt=0)
    attack_time: float = quantity(2.0, "Maximum time of an attack, strike or dive.", "s", (0.1, 20), gt=0)
    attack_force: float = quantity(
        2.5, "Steering force while attacking, in units of max_force.", "", (0.5, 5), gt=0
    )
    circle_radius: float = quantity(200.0, "Radius of its circle around the flock.", "u", (50, 500), gt=0)
    circle_rate: float = quantity(0.5, "How fast it circles, if its speed allows.", "rad/s", (0, 3), ge=0)
    scan_time: float = quantity(8.0, "Maximum time to look for a target.", "s", (1, 60), gt=0)
    stalk_time: float = quantity(
        5.0, "Maximum time to stalk, herd, climb or reach a hiding place.", "s", (1, 60), gt=0
    )
    stalk_distance: float = quantity(80.0, "How near it comes while stalking.", "u", (0, 300), ge=0)
    hunt_distance: float = quantity(
        60.0, "Distance at which it stops stalking and hunts.", "u", (5, 300), gt=0
    )
    stalk_speed: float = quantity(
        1.0, "Speed while stalking, as a multiple of the top speed.", "", (0, 2), ge=0
    )
    stalk_force: float = quantity(
        1.0, "Steering force while stalking, in units of max_force.", "", (0, 3), ge=0
    )
    least_isolation: float = quantity(0.4, "Minimum isolation of a target.", "", (0, 1), ge=0, le=1)
    drop_isolation: float = quantity(
        0.2, "Isolation below which a target is dropped.", "", (0, 1), ge=0, le=1
    )

    bonus_rate: float = quantity(0.0, "What each second of pursuit adds to its speed.", "1/s", (0, 0.2), ge=0)
    bonus_max: float = quantity(1.0, "Maximum factor on its speed from pursuit.", "", (1, 2), ge=1)
    tiring: float = quantity(0.0, "Energy its target loses per second of pursuit.", "1/s", (0, 0.2), ge=0)
    tiring_max: float = quantity(0.3, "Maximum energy its target loses in a pursuit.", "", (0, 1), ge=0, le=1)
    climb_rate: float = quantity(0.0, "Altitude gained per second of climbing.", "1/s", (0, 2), ge=0)
    max_altitude: float = quantity(0.0, "Maximum altitude.", "", (0, 1), ge=0, le=1)
    scan_altitude: float = quantity(0.0, "Altitude while looking for a target.", "", (0, 1), ge=0, le=1)
    dive_altitude: float = quantity(0.0, "Minimum altitude for a dive.", "", (0, 1), ge=0, le=1)
    wait_time: float = quantity(1.5, "Minimum time in ambush.", "s", (0, 20), ge=0)
    ambush_time: float = quantity(12.0, "Maximum time in ambush.", "s", (1, 120), gt=0)
    strike_range: float = quantity(70.0, "How far it looks for prey from ambush.", "u", (5, 300), gt=0)
    agility: float = quantity(1.0, "Steering force while turning after prey.", "", (0.5, 5), gt=0)
    feint_rate: float = quantity(0.0, "Feints per second of hunting.", "1/s", (0, 3), ge=0)

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, data: Any) -> Any:
        """Use the kind's numbers where none were given, or where they were those of its previous kind."""
        if not isinstance(data, Mapping):
            return data
        kind = data.get("kind", "hawk")
        before = data.get("numbers_from") or kind
        if kind not in KINDS or before not in KINDS:
            return data
        old, new = numbers_of_kind(before), numbers_of_kind(kind)
        given = {
            name: value
            for name, value in data.items()
            if not (name in new and before != kind and value == old[name])
        }
        return new | given | {"numbers_from": kind}


def numbers_of_kind(kind: str) -> dict[str, float | None]:
    """Every number of a kind."""
    plain = {name: field.default for name, field in Hunter.model_fields.items() if name not in PERSONAL}
    own = dict(KINDS[kind].numbers)
    # Stalking costs a third of hunting, a hunt begins with nine tenths of all energy, and a pursuit may last as
    # long as the hunt. S0-99: only kinds that say so hide.
    return (
        plain
        | {"stalking_drain": own.get("hunting_drain", plain["hunting_drain"]) / 3.0}
        | {"hunt_energy": 0.9 * own.get("max_energy", plain["max_energy"])}
        | {"pursuit_time": own.get("hunt_time", plain["hunt_time"])}
        | own
    )
