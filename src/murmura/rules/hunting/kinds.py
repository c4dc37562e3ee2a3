"""A hunter in a scenario: its kind, and every number of it. What is left out is filled in from the kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from pydantic import model_validator

from murmura.core.model import Model, choice, quantity

Kind = Literal["hawk", "falcon", "eagle", "owl", "shark", "orca", "barracuda", "sea_lion"]
KIND_NAMES: tuple[str, ...] = get_args(Kind)
HAWK, FALCON, EAGLE, OWL, SHARK, ORCA, BARRACUDA, SEA_LION = range(8)

SPEED = "u/s or u/tick"


class Hunter(Model):
    """A predator. Numbers that are left out are those of its kind."""

    kind: Kind = choice("hawk", "What it is, which says how it hunts.")
    numbers_from: Kind | None = choice(
        None, "The kind whose numbers stand where none were given; follows `kind` when that is changed."
    )
    x: float | None = quantity(None, "Where it is at the start; none: drawn from the seed.", "u")
    y: float | None = quantity(None, "Where it is at the start; none: drawn from the seed.", "u")

    max_speed: float = quantity(22.0, "Top speed without a burst.", SPEED, (1, 60), gt=0)
    max_force: float = quantity(1.2, "Greatest steering force.", "", (0.1, 3), gt=0)
    burst: float = quantity(1.8, "Top speed while attacking or diving, in top speeds.", "", (1, 5), ge=1)
    max_energy: float = quantity(80.0, "Greatest energy.", "", (10, 300), gt=0)
    energy_regen: float = quantity(8.0, "Energy regained in a second of rest.", "1/s", (0, 50), ge=0)
    hunting_drain: float = quantity(12.0, "Energy spent in a second of hunting.", "1/s", (0, 50), ge=0)
    stalking_drain: float = quantity(4.0, "Energy spent in a second of stalking.", "1/s", (0, 50), ge=0)
    attack_cost: float = quantity(20.0, "Energy that a catch costs.", "", (0, 100), ge=0)
    exhaustion_threshold: float = quantity(15.0, "Energy at which it must rest.", "", (0, 100), ge=0)
    hunt_energy: float = quantity(72.0, "Least energy to begin a hunt with.", "", (0, 300), ge=0)
    recovery_delay: float = quantity(2.0, "Rest before energy comes back.", "s", (0, 20), ge=0)
    catch_cooldown: float = quantity(
        4.0, "Mean rest after a catch, within a quarter of it.", "s", (0, 60), ge=0
    )
    miss_cooldown: float = quantity(
        2.0, "Mean rest after a miss, within a quarter of it.", "s", (0, 60), ge=0
    )

    panic_radius: float = quantity(120.0, "How far it frightens.", "u", (10, 400), gt=0)
    stealth_radius: float = quantity(
        120.0, "How far it frightens from its hiding, or while it stalks under cover.", "u", (0, 400), ge=0
    )
    sight: float = quantity(400.0, "How far it sees birds.", "u", (50, 2000), gt=0)
    target_distance: float = quantity(400.0, "How far it chooses its target.", "u", (20, 2000), gt=0)
    isolation_weight: float = quantity(1.0, "How much it likes birds that are alone.", "", (-3, 3))
    edge_weight: float = quantity(0.8, "How much it likes birds at the flock's edge.", "", (-3, 3))
    velocity_weight: float = quantity(0.6, "How much it likes birds that leave the flock.", "", (-3, 3))
    panic_weight: float = quantity(0.4, "How much it likes frightened birds.", "", (-3, 3))
    intercept_weight: float = quantity(1.0, "How much it likes near birds.", "", (-3, 3))
    pace_weight: float = quantity(0.0, "How much it likes fast birds; negative: slow ones.", "", (-3, 3))
    approach_weight: float = quantity(0.0, "How much it likes birds that come its way.", "", (-3, 3))

    attack_distance: float = quantity(45.0, "From where it attacks.", "u", (5, 200), gt=0)
    catch_distance: float = quantity(12.0, "From where it catches.", "u", (1, 100), gt=0)
    lose_distance: float = quantity(300.0, "Beyond this it gives up.", "u", (50, 2000), gt=0)
    hunt_time: float = quantity(6.0, "Longest hunt, an attack included.", "s", (1, 60), gt=0)
    pursuit_time: float = quantity(6.0, "Longest pursuit before an attack.", "s", (1, 60), gt=0)
    attack_time: float = quantity(2.0, "Longest attack, strike or dive.", "s", (0.1, 20), gt=0)
    attack_force: float = quantity(2.5, "Steering force while attacking, in max_force.", "", (0.5, 5), gt=0)
    circle_radius: float = quantity(200.0, "Radius of its circle round the flock.", "u", (50, 500), gt=0)
    circle_rate: float = quantity(0.5, "How fast it circles, if it can.", "rad/s", (0, 3), ge=0)
    scan_time: float = quantity(8.0, "Longest look for a target.", "s", (1, 60), gt=0)
    stalk_time: float = quantity(
        5.0, "Longest stalking, herding, climbing or way to a hiding.", "s", (1, 60), gt=0
    )
    stalk_distance: float = quantity(80.0, "How near it comes while stalking.", "u", (0, 300), ge=0)
    hunt_distance: float = quantity(60.0, "How near it stops stalking and hunts.", "u", (5, 300), gt=0)
    stalk_speed: float = quantity(1.0, "Speed while stalking, in top speeds.", "", (0, 2), ge=0)
    stalk_force: float = quantity(1.0, "Steering force while stalking, in max_force.", "", (0, 3), ge=0)
    least_isolation: float = quantity(0.4, "How alone a target must be.", "", (0, 1), ge=0, le=1)
    drop_isolation: float = quantity(0.2, "Less alone than this it is dropped.", "", (0, 1), ge=0, le=1)

    bonus_rate: float = quantity(0.0, "What a second of pursuit adds to its speed.", "1/s", (0, 0.2), ge=0)
    bonus_max: float = quantity(1.0, "Most that pursuit makes of its speed.", "", (1, 2), ge=1)
    tiring: float = quantity(0.0, "Energy its target loses in a second of pursuit.", "1/s", (0, 0.2), ge=0)
    tiring_max: float = quantity(0.3, "Most energy its target loses in a pursuit.", "", (0, 1), ge=0, le=1)
    climb_rate: float = quantity(0.0, "Altitude gained in a second of climbing.", "1/s", (0, 2), ge=0)
    max_altitude: float = quantity(0.0, "Greatest altitude.", "", (0, 1), ge=0, le=1)
    scan_altitude: float = quantity(0.0, "Altitude while looking for a target.", "", (0, 1), ge=0, le=1)
    dive_altitude: float = quantity(0.0, "Least altitude for a dive.", "", (0, 1), ge=0, le=1)
    wait_time: float = quantity(1.5, "Least time in ambush.", "s", (0, 20), ge=0)
    ambush_time: float = quantity(12.0, "Longest time in ambush.", "s", (1, 120), gt=0)
    strike_range: float = quantity(70.0, "How far it looks for prey from ambush.", "u", (5, 300), gt=0)
    agility: float = quantity(1.0, "Steering force while turning after prey.", "", (0.5, 5), gt=0)
    feint_rate: float = quantity(0.0, "Feints in a second of hunting.", "1/s", (0, 3), ge=0)

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, data: Any) -> Any:
        """Numbers that were not given, or were those of the kind it had before, become those of its kind."""
        if not isinstance(data, Mapping):
            return data
        kind = data.get("kind", "hawk")
        before = data.get("numbers_from") or kind
        if kind not in NUMBERS or before not in NUMBERS:
            return data
        old, new = numbers_of_kind(before), numbers_of_kind(kind)
        given = {
            name: value
            for name, value in data.items()
            if not (name in new and before != kind and value == old[name])
        }
        return new | given | {"numbers_from": kind}


def numbers_of_kind(kind: str) -> dict[str, float]:
    """Every number of a kind."""
    plain = {
        name: float(field.default)
        for name, field in Hunter.model_fields.items()
        if isinstance(field.default, int | float)
    }
    own = NUMBERS[kind]
    # Stalking costs a third of hunting, a hunt begins with nine tenths of all energy, a pursuit may last as
    # long as the hunt, and a hunter that does not hide frightens as always.
    return (
        plain
        | {"stalking_drain": own.get("hunting_drain", plain["hunting_drain"]) / 3.0}
        | {"hunt_energy": 0.9 * own.get("max_energy", plain["max_energy"])}
        | {"pursuit_time": own.get("hunt_time", plain["hunt_time"])}
        | {"stealth_radius": own.get("panic_radius", plain["panic_radius"])}
        | own
    )


def _weights(
    isolation: float, edge: float, velocity: float, panic: float, intercept: float
) -> dict[str, float]:
    return {
        "isolation_weight": isolation,
        "edge_weight": edge,
        "velocity_weight": velocity,
        "panic_weight": panic,
        "intercept_weight": intercept,
    }


NUMBERS: dict[str, dict[str, float]] = {
    "hawk": _weights(1.5, 1.2, 0.8, 0.3, 1.0)
    | {
        "max_speed": 22.0, "max_force": 1.2, "burst": 1.8, "max_energy": 80.0, "energy_regen": 8.0,
        "hunting_drain": 12.0, "attack_cost": 20.0, "exhaustion_threshold": 15.0, "recovery_delay": 2.0,
        "panic_radius": 120.0, "attack_distance": 45.0, "catch_distance": 20.0, "hunt_time": 6.0,
        "attack_time": 2.0, "attack_force": 2.5, "lose_distance": 300.0, "circle_radius": 200.0, "circle_rate": 0.5,
        "scan_time": 8.0, "stalk_time": 8.0, "stalk_distance": 80.0, "least_isolation": 0.4, "drop_isolation": 0.05,
        "target_distance": 150.0,
        "stealth_radius": 60.0,
        "hunt_distance": 60.0,
    },
    "falcon": _weights(0.6, 0.5, 0.4, 0.2, 1.8)
    | {
        "max_speed": 18.0, "max_force": 0.7, "burst": 3.5, "max_energy": 60.0, "energy_regen": 6.0,
        "hunting_drain": 10.0, "attack_cost": 30.0, "exhaustion_threshold": 10.0, "recovery_delay": 3.0,
        "panic_radius": 180.0, "attack_distance": 55.0, "catch_distance": 28.0, "hunt_time": 10.0,
        "attack_time": 2.5, "attack_force": 3.0, "lose_distance": 400.0, "circle_radius": 250.0, "circle_rate": 0.3,
        "stalk_time": 6.0, "climb_rate": 0.15, "max_altitude": 1.0, "scan_altitude": 0.4, "dive_altitude": 0.6,
        "target_distance": 150.0,
    },
    "eagle": _weights(0.4, 0.3, 1.2, 0.8, 0.6)
    | {
        "max_speed": 18.0, "max_force": 0.6, "burst": 1.4, "max_energy": 120.0, "energy_regen": 5.0,
        "hunting_drain": 6.0, "attack_cost": 15.0, "exhaustion_threshold": 20.0, "recovery_delay": 2.5,
        "panic_radius": 200.0, "attack_distance": 60.0, "catch_distance": 30.0, "hunt_time": 20.0,
        "pursuit_time": 15.0, "attack_force": 2.0, "circle_radius": 250.0, "circle_rate": 0.3, "pace_weight": -0.6,
        "bonus_rate": 0.02, "bonus_max": 1.4, "tiring": 0.015, "tiring_max": 0.3,
        "target_distance": 250.0,
    },
    "owl": _weights(0.3, 0.2, 0.5, -0.5, 2.0)
    | {
        "max_speed": 8.0, "max_force": 0.4, "burst": 3.5, "max_energy": 90.0, "energy_regen": 10.0,
        "hunting_drain": 18.0, "attack_cost": 25.0, "exhaustion_threshold": 15.0, "recovery_delay": 1.0,
        "panic_radius": 80.0, "stealth_radius": 40.0, "attack_distance": 40.0, "catch_distance": 30.0,
        "hunt_time": 3.0, "attack_time": 1.5, "attack_force": 3.5, "stalk_time": 20.0, "wait_time": 1.5,
        "ambush_time": 12.0, "strike_range": 70.0,
        "approach_weight": 1.0,
    },
    "shark": _weights(1.3, 1.0, 0.7, 0.5, 0.9)
    | {
        "max_speed": 16.0, "max_force": 0.7, "burst": 1.5, "max_energy": 100.0, "energy_regen": 6.0,
        "hunting_drain": 8.0, "attack_cost": 18.0, "exhaustion_threshold": 18.0, "recovery_delay": 2.0,
        "panic_radius": 180.0, "attack_distance": 55.0, "catch_distance": 30.0, "hunt_time": 15.0,
        "pursuit_time": 12.0, "attack_time": 5.0, "attack_force": 2.2, "lose_distance": 350.0,
        "circle_radius": 250.0, "circle_rate": 0.4, "scan_time": 20.0, "stalk_time": 15.0, "stalk_distance": 80.0,
        "stalk_speed": 0.85, "stalk_force": 0.6, "least_isolation": 0.35, "drop_isolation": 0.05,
        "bonus_rate": 0.025, "bonus_max": 1.35,
        "target_distance": 220.0,
        "stealth_radius": 70.0,
        "hunt_distance": 80.0,
    },
    "orca": _weights(0.6, 0.8, 0.5, 1.0, 0.7)
    | {
        "max_speed": 14.0, "max_force": 0.5, "burst": 1.4, "max_energy": 150.0, "energy_regen": 4.0,
        "hunting_drain": 5.0, "attack_cost": 12.0, "exhaustion_threshold": 25.0, "recovery_delay": 3.0,
        "panic_radius": 250.0, "attack_distance": 70.0, "catch_distance": 30.0, "hunt_time": 25.0,
        "attack_time": 6.0, "attack_force": 2.0, "lose_distance": 400.0, "circle_radius": 250.0, "circle_rate": 0.3,
        "scan_time": 12.0, "stalk_time": 5.0, "stalk_distance": 80.0, "least_isolation": 0.4, "bonus_rate": 0.05,
        "bonus_max": 1.5,
        "target_distance": 250.0,
    },
    "barracuda": _weights(1.8, 0.5, 1.0, 0.2, 1.5)
    | {
        "max_speed": 12.0, "max_force": 1.2, "burst": 2.2, "max_energy": 70.0, "energy_regen": 10.0,
        "hunting_drain": 15.0, "attack_cost": 25.0, "exhaustion_threshold": 12.0, "recovery_delay": 1.5,
        "panic_radius": 100.0, "stealth_radius": 30.0, "attack_distance": 40.0, "catch_distance": 18.0,
        "hunt_time": 5.0, "attack_time": 1.2, "attack_force": 3.0, "stalk_time": 12.0, "wait_time": 1.0,
        "ambush_time": 10.0, "strike_range": 120.0, "approach_weight": 1.0,
    },
    "sea_lion": _weights(0.8, 0.6, 0.4, 0.7, 1.4)
    | {
        "max_speed": 17.0, "max_force": 1.1, "burst": 1.7, "max_energy": 85.0, "energy_regen": 7.0,
        "hunting_drain": 10.0, "attack_cost": 15.0, "exhaustion_threshold": 15.0, "recovery_delay": 1.8,
        "panic_radius": 140.0, "attack_distance": 45.0, "catch_distance": 20.0, "hunt_time": 10.0,
        "attack_time": 4.0, "attack_force": 2.5, "lose_distance": 300.0, "scan_time": 10.0, "pace_weight": 0.5,
        "agility": 1.8, "feint_rate": 0.3,
        "target_distance": 200.0,
    },
}  # fmt: skip
"""Of each kind what the documents and the public systems give; documents win where they differ (decisions 11, 12)."""

COLORS = {
    "hawk": "#ff6b35", "falcon": "#4ecdc4", "eagle": "#8b4513", "owl": "#9b59b6", "shark": "#5f7c8a",
    "orca": "#1a1a2e", "barracuda": "#c0c0c0", "sea_lion": "#8b6914",
}  # fmt: skip
