"""What all hunters share, turn by turn, against the numbers in the documents."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from murmura.lab.films.plane.wildlife import outline_of
from murmura.rules.predators.hunter import numbers_of_kind
from murmura.rules.predators.kind import KINDS, Kind, kind_names, looks_of_kinds, register_kind
from murmura.rules.predators.row import LAYOUT, SETTINGS
from murmura.rules.predators.states import IDLE, SCANNING, STATE_NAMES

from .hunter_table import DT, HunterTable

# max speed, its burst, max energy, regen, drain, attack cost, threshold, recovery delay, panic radius, attack distance,
# weights of isolation, edge, velocity, panic and intercept.
TABLE = {
    "hawk": (22, 1.8, 80, 8, 12, 20, 15, 2, 120, 45, 1.5, 1.2, 0.8, 0.3, 1.0),
    "falcon": (18, 3.5, 60, 6, 10, 30, 10, 3, 180, 55, 0.6, 0.5, 0.4, 0.2, 1.8),
    "eagle": (18, 1.4, 120, 5, 6, 15, 20, 2.5, 200, 60, 0.4, 0.3, 1.2, 0.8, 0.6),
    "owl": (8, 3.5, 90, 10, 18, 25, 15, 1, 80, 40, 0.3, 0.2, 0.5, -0.5, 2.0),
    "shark": (16, 1.5, 100, 6, 8, 18, 18, 2, 180, 55, 1.3, 1.0, 0.7, 0.5, 0.9),
    "orca": (14, 1.4, 150, 4, 5, 12, 25, 3, 250, 70, 0.6, 0.8, 0.5, 1.0, 0.7),
    "barracuda": (12, 2.2, 70, 10, 15, 25, 12, 1.5, 100, 40, 1.8, 0.5, 1.0, 0.2, 1.5),
    "sea_lion": (17, 1.7, 85, 7, 10, 15, 15, 1.8, 140, 45, 0.8, 0.6, 0.4, 0.7, 1.4),
    "osprey": (17, 2.2, 90, 7, 9, 18, 12, 2, 90, 50, 0.4, 0.2, 0.2, 0.2, 1.5),
}
# S0-108…S0-112
BURST_SPEEDS = {"hawk": 39.6, "falcon": 63.0, "eagle": 25.2, "owl": 28.0, "shark": 24.0}
FAR_AWAY = {"x": 9e4, "y": 0.0, "vx": 0.0, "vy": 0.0, "isolation": 1.0}


def test_a_row_keeps_its_width_and_order():
    """Checkpoints and recordings keep whole rows, so columns may only be added at the end."""
    assert len(LAYOUT) == 123
    places = {"x": 0, "vy": 3, "fright": 4, "center_x": 9, "watch_y": 16, "sight": 19, "approach_weight": 26,
              "state": 27, "alive": 33, "goal_y": 45, "prey_here": 56, "prey_x": 57, "feint": 65, "meals": 70,
              "kind": 71, "start_x": 73, "max_speed": 77, "stalk_time": 98, "hunt_distance": 122}  # fmt: skip
    assert {name: LAYOUT.place[name] for name in places} == places


def test_every_number_of_a_hunter_has_a_place_in_its_row():
    numbers = set(numbers_of_kind("hawk"))
    own = {"kind", "listed", "start", "line", "rows"}
    assert numbers == set(SETTINGS) - own


def test_kinds_keep_their_codes():
    """Rows and checkpoints store kinds by number."""
    assert kind_names()[:8] == ["hawk", "falcon", "eagle", "owl", "shark", "orca", "barracuda", "sea_lion"]
    assert [KINDS[name].code for name in kind_names()] == list(range(len(kind_names())))
    for name, code in (("hawk", 99), ("kite", 0)):
        with pytest.raises(ValueError, match="of its own"):
            register_kind(Kind(name, {}, (), {}, code=code))


def test_a_new_kind_needs_only_to_be_registered(monkeypatch: pytest.MonkeyPatch):
    """A registered kind gets its turns: its own behaviour in its own states, idling in all others."""

    def scanning(it: Any, turn: Any) -> None:
        it.goal_score = 7.0

    def remember(it: Any, turn: Any) -> None:
        it.tries = it.tries + 1.0

    machine = ((SCANNING, IDLE, "never"),)
    monkeypatch.setitem(KINDS, "newt", Kind("newt", {}, machine, {SCANNING: scanning}, remember, code=99))
    den = HunterTable({"kind": "hawk"})
    den.begin("scanning", kind=99.0, kind_before=99.0)
    den.turn()
    assert (den.state(), den.get("goal_score"), den.get("tries")) == ("scanning", 7.0, 1.0)
    den.begin("ambush")
    den.turn()
    assert (den.state(), den.get("tries")) == ("idle", 2.0)


# S0-67, S0-73, S0-79, S0-88, S0-94, S0-113, S0-114
@pytest.mark.parametrize("kind", kind_names())
def test_a_hunter_has_the_numbers_of_its_kind(kind: str):
    den = HunterTable({"kind": kind})
    h = den.rule.hunters[0]
    found = (
        h.max_speed, h.burst, h.max_energy, h.energy_regen, h.hunting_drain, h.attack_cost, h.exhaustion_threshold,
        h.recovery_delay, h.panic_radius, h.attack_distance, h.isolation_weight, h.edge_weight, h.velocity_weight,
        h.panic_weight, h.intercept_weight,
    )  # fmt: skip
    assert found == TABLE[kind]
    assert den.get("max_speed") == h.max_speed and den.get("energy") == h.max_energy
    for name in ("time", "state_time", "cooldown", "state", "failed_hunts"):
        assert den.get(name) == 0.0
    assert den.get("target") == -1.0


def test_states_have_the_documents_names():
    """S0-73."""
    assert set(STATE_NAMES) == {
        "idle", "scanning", "stalking", "hunting", "attacking", "climbing", "diving", "ambush", "recovering",
    }  # fmt: skip


# S0-107…S0-112
@pytest.mark.parametrize("kind", BURST_SPEEDS)
def test_top_speeds_are_those_of_the_reference_table(kind: str):
    state = "diving" if kind == "falcon" else "attacking"
    den = HunterTable({"kind": kind, "attack_time": 20.0, "hunt_time": 60.0, "hunting_drain": 0.0})
    den.begin(state, target=5, hunt_clock=30.0, altitude=0.5)
    reached = 0.0
    for _ in range(200):
        den.turn(prey={"x": den.get("x") + 100.0, "y": den.get("y"), "vx": 0.0, "vy": 0.0})
        reached = max(reached, den.speed())
    assert reached == pytest.approx(BURST_SPEEDS[kind], rel=1e-6)
    # Without a burst no hunter exceeds its top speed, however fast it was.
    den.begin("recovering", energy=0.1, vx=300.0, vy=0.0)
    den.put(exhaustion_threshold=0.01)
    den.turn()
    assert den.speed() <= den.get("max_speed") * 1.0001


def test_timers_run_with_the_step():
    """S0-67, S0-68, trap 7: twice the step, twice the time."""
    for dt in (DT, 2.0 * DT):
        den = HunterTable({"kind": "hawk"}, time_step=dt)
        den.put(cooldown=1.0)
        for _ in range(10):
            den.turn()
        assert den.get("time") == pytest.approx(10 * dt)
        assert den.get("state_time") == pytest.approx(10 * dt)
        assert den.get("cooldown") == pytest.approx(1.0 - 10 * dt)
    den.put(cooldown=0.01)
    den.turn()
    assert den.get("cooldown") == 0.0


# S0-68, S0-113
@pytest.mark.parametrize(("state", "drain"), [("stalking", 4.0), ("hunting", 12.0), ("attacking", 12.0)])
def test_hunting_drains_energy(state: str, drain: float):
    den = HunterTable({"kind": "hawk"})
    den.begin(state, target=5, energy=70.0, x=500.0, y=500.0)
    for _ in range(30):
        den.turn(seen=1, center=(900.0, 500.0), prey={"x": 640.0, "y": 500.0, "isolation": 1.0})
        den.put(state=STATE_NAMES.index(state), state_time=DT)
    assert den.get("energy") == pytest.approx(70.0 - drain * 0.5)


def test_energy_comes_back_after_a_delay_and_no_further_than_full():
    """S0-68."""
    den = HunterTable({"kind": "hawk"})
    den.begin("idle", energy=50.0)
    for _ in range(119):
        den.turn()
    assert den.get("energy") == 50.0
    for _ in range(60):
        den.turn()
    assert den.get("energy") == pytest.approx(58.0, abs=0.3)
    den.put(energy=79.9)
    for _ in range(30):
        den.turn()
    assert den.get("energy") == 80.0


# S0-69
@pytest.mark.parametrize(
    ("state", "collapses"),
    [("scanning", True), ("stalking", True), ("hunting", True), ("attacking", True), ("idle", False),
     ("recovering", False)],
)  # fmt: skip
def test_exhaustion_ends_a_hunt(state: str, collapses: bool):
    den = HunterTable({"kind": "hawk"})
    den.begin(state, target=5, energy=15.0)
    den.turn(prey=FAR_AWAY)
    assert den.get("failed_hunts") == (1.0 if collapses else 0.0)
    assert (den.state() == "recovering") == (collapses or state == "recovering")
    if collapses:
        assert den.get("target") == -1.0


def test_a_stoop_is_not_broken_off():
    """Decision 12: it ends with a hit, with the loss of the target or after 2.5 s."""
    den = HunterTable({"kind": "falcon"})
    den.begin("diving", target=5, energy=1.0)
    den.turn(prey=FAR_AWAY)
    assert den.state() == "diving"


def test_a_tired_hunter_rests_until_it_has_three_fifths_of_its_energy():
    den = HunterTable({"kind": "hawk"})
    den.begin("recovering", energy=10.0, vx=10.0, vy=0.0)
    den.turn()
    assert den.get("vx") == pytest.approx(9.8)
    steps = 0
    while den.state() == "recovering":
        den.turn()
        steps += 1
        assert steps < 1000
    # From 10 to 48 at 8 a second, after a delay of 2 s.
    assert den.get("energy") == pytest.approx(48.0, abs=0.3)
    assert steps * DT == pytest.approx(2.0 + 38.0 / 8.0, abs=0.1)


def test_a_tired_hunter_is_slow():
    """S0-70: 0.7 of its top speed without energy, all of it from twice the threshold on."""
    for energy, share in ((0.0, 0.7), (15.0, 0.85), (30.0, 1.0), (80.0, 1.0)):
        den = HunterTable({"kind": "hawk"}, edge_push=0.0)
        den.begin("idle", energy=energy, vx=100.0, vy=0.0, hunting_drain=0.0, energy_regen=0.0)
        den.turn()
        assert den.speed() == pytest.approx(22.0 * share)


def test_the_order_of_a_turn():
    """S0-70: energy before exhaustion before behaviour; the speed limit before the move; the boundary last."""
    den = HunterTable({"kind": "hawk"}, boundary="soft")
    # The drain of this turn exhausts it, and it rests immediately instead of steering.
    den.begin("attacking", target=5, energy=15.1, x=1000.0, y=1000.0, vx=20.0, vy=0.0)
    den.turn(prey={"x": 1000.0, "y": 1500.0, "isolation": 1.0})
    assert den.state() == "recovering"
    # 0.98 of its velocity (S0-70's recovering), less for being tired, moved with the limited velocity.
    limited = min(20.0 * 0.98, 22.0 * (0.7 + 0.3 * den.get("energy") / 30.0))
    assert den.get("vx") == pytest.approx(limited)
    assert den.get("vy") == 0.0
    assert den.get("x") == pytest.approx(1000.0 + limited * DT)
    # The push of the edge comes after the move, so it does not change the position yet.
    den.begin("recovering", energy=10.0, x=50.0, vx=-5.0, vy=0.0)
    den.turn()
    assert den.get("vx") == pytest.approx(-5.0 * 0.98 + 0.5)
    assert den.get("x") == pytest.approx(50.0 - 5.0 * 0.98 * DT)


# S0-70
@pytest.mark.parametrize("boundary", ["soft", "reflect", "wrap", "open"])
def test_edges(boundary: str):
    den = HunterTable({"kind": "hawk"}, boundary=boundary)
    den.begin("recovering", energy=16.0, x=1999.9, y=1000.0, vx=20.0, vy=0.0, energy_regen=0.0)
    for _ in range(30):
        den.turn()
    x = den.get("x")
    if boundary == "wrap":
        assert 0.0 < x < 20.0
    elif boundary == "open":
        assert x > 2000.0
    else:
        assert 1980.0 < x <= 2000.0 and den.get("vx") < 0.0


def test_steering():
    """S0-71: v += limit(unit x max_speed x speed - v, max_force x force), here with burst 1.4 and 1.8."""
    den = HunterTable({"kind": "hawk"})
    den.begin("hunting", target=5, burst_left=1.0, x=1000.0, y=1000.0, vx=3.0, vy=-4.0, energy=60.0)
    den.turn(prey={"x": 1100.0, "y": 1100.0, "vx": 0.0, "vy": 0.0, "isolation": 1.0})
    wish = np.array([1.0, 1.0]) / math.sqrt(2.0) * 22.0 * 1.4 - [3.0, -4.0]
    wish *= 1.2 * 1.8 / np.hypot(*wish)
    assert [den.get("vx"), den.get("vy")] == pytest.approx([3.0 + wish[0], -4.0 + wish[1]])


def test_idle_hunters_begin_a_hunt_by_mood_and_strength():
    den = HunterTable({"kind": "hawk"}, aggression=0.7)
    waits = []
    for k in range(60):
        den.begin("idle", cooldown=0.0, energy=80.0)
        den.step = 1000 * k
        count = 0
        while den.state() == "idle":
            den.turn()
            count += 1
        assert den.state() == "scanning"
        waits.append(count * DT)
    # 3.6 a second at full aggression.
    assert np.mean(waits) == pytest.approx(1.0 / (3.6 * 0.7), rel=0.4)
    for values in ({"cooldown": 9.0, "energy": 80.0}, {"cooldown": 0.0, "energy": 71.0}):
        den.begin("idle", energy_regen=0.0, **values)
        for _ in range(300):
            den.turn()
        assert den.state() == "idle"


def test_idle_hunters_wander_everywhere():
    den = HunterTable({"kind": "hawk", "max_speed": 60.0}, boundary="soft", time_step=0.1)
    places = []
    for _ in range(1300):
        den.turn()
        places.append((den.get("x"), den.get("y")))
    spread = np.ptp(np.array(places), axis=0)
    assert (spread > 800.0).all()
    assert den.speed() <= 30.0 + 1e-6


def test_a_lost_target_ends_the_hunt():
    """S0-80: a target that died or was caught by another hunter no longer reports."""
    for state in ("stalking", "hunting", "attacking"):
        den = HunterTable({"kind": "hawk"})
        den.begin(state, target=5, hunts=1.0)
        den.turn()
        assert (den.state(), den.get("target"), den.get("failed_hunts")) == ("idle", -1.0, 1.0)
        assert 1.5 <= den.get("cooldown") <= 2.5


BEFORE_THE_ATTACK = {"falcon": "climbing", "owl": "ambush", "barracuda": "ambush", "osprey": "stalking"}


def at_attack(kind: str, **numbers: float) -> tuple[HunterTable, dict[str, float], str]:
    """A hunter that begins its attack in its next turn, what its prey reports, and what the attack is called."""
    den = HunterTable(
        {"kind": kind, "hunting_drain": 0.0, "stalking_drain": 0.0, "energy_regen": 0.0, **numbers}
    )
    den.begin(
        BEFORE_THE_ATTACK.get(kind, "hunting"), state_time=2.0, target=17, energy=55.0, altitude=0.9, hunger=9.0,
        vx=0.0, vy=0.0,
    )  # fmt: skip
    away = 120.0 if kind == "falcon" else 0.9 * den.get("attack_distance")
    prey = {"x": den.get("x") + away, "y": den.get("y"), "vx": 0.0, "vy": 0.0, "isolation": 1.0}
    return den, prey, "diving" if kind == "falcon" else "attacking"


# S0-114: an attack is paid once, when it begins
@pytest.mark.parametrize("kind", kind_names())
def test_an_attack_is_paid_when_it_begins(kind: str):
    den, prey, attack = at_attack(kind)
    den.turn(prey=prey, best=(1.0, 17))
    assert den.state() == attack
    paid = 55.0 - TABLE[kind][5]
    assert den.get("energy") == pytest.approx(paid)
    den.turn(prey=prey)
    assert (den.state(), den.get("energy")) == (attack, pytest.approx(paid)), "and not again while it lasts"


# S0-114: hit
@pytest.mark.parametrize("kind", kind_names())
def test_a_catch(kind: str):
    den, prey, _ = at_attack(kind)
    den.turn(prey=prey, best=(1.0, 17))
    paid = den.get("energy")
    den.turn(prey=prey | {"x": den.get("x") + 3.0, "y": den.get("y")})
    assert den.get("caught") == 17.0
    assert (den.state(), den.get("catches"), den.get("hunger")) == ("recovering", 1.0, 0.0)
    assert 3.0 <= den.get("cooldown") <= 5.0
    assert den.get("energy") == paid
    den.turn()
    assert den.get("caught") == -1.0


# S0-114: or miss
@pytest.mark.parametrize("kind", kind_names())
def test_a_miss_costs_as_much(kind: str):
    den, prey, _ = at_attack(kind)
    den.turn(prey=prey, best=(1.0, 17))
    den.turn()
    assert den.get("failed_hunts") == 1.0 and den.get("energy") == pytest.approx(55.0 - TABLE[kind][5])


def test_one_bird_is_caught_once():
    """Two hunters strike the same bird in the same step: only the first catches it."""
    den = HunterTable({"kind": "hawk"}, {"kind": "eagle"})
    for number in range(2):
        den.begin("attacking", number, target=17, x=500.0, y=500.0, energy=55.0)
    for number in range(2):
        den.turn(number, prey={"x": 503.0, "y": 500.0, "vx": 0.0, "vy": 0.0})
    assert [den.get("caught", k) for k in range(2)] == [17.0, -1.0]
    den.turn(1)
    assert den.get("catches", 1) == 0.0 and den.get("failed_hunts", 1) == 1.0


def test_hunters_starve_if_starvation_is_on():
    for limit, alive in ((0.0, 1.0), (0.5, 0.0)):
        den = HunterTable({"kind": "hawk"}, starve_after=limit)
        for _ in range(60):
            den.turn()
        assert den.get("alive") == alive
        assert (den.get("fright") > 0.0) == bool(alive)
        place = den.get("x")
        den.turn()
        assert (den.get("x") == place) != bool(alive)


def test_fed_hunters_breed_where_there_is_room():
    den = HunterTable({"kind": "hawk"}, {"kind": "owl"}, breed_after=2, most_hunters=4)
    assert den.items[:, LAYOUT.place["alive"]].tolist() == [1, 1, 0, 0]
    for _ in range(2):
        den.begin("attacking", target=17, energy=55.0)
        den.turn(prey={"x": den.get("x"), "y": den.get("y"), "vx": 0.0, "vy": 0.0})
    assert den.items[:, LAYOUT.place["alive"]].tolist() == [1, 1, 1, 0]
    assert den.get("kind", 2) == den.get("kind", 0) and den.get("meals") == 0.0
    assert (den.get("x", 2), den.get("energy", 2)) == (den.get("x"), 80.0)
    den.turn(2)
    assert den.state(2) == "idle" and den.get("fright", 2) == 120.0
    # The last free row is the owl's.
    den.put(meals=5.0)
    den.turn()
    assert den.items[:, LAYOUT.place["alive"]].tolist() == [1, 1, 1, 0]


def test_another_kind_in_the_same_row_begins_again():
    den = HunterTable({"kind": "falcon"})
    den.begin("climbing", target=5, altitude=0.8, energy=11.0)
    den.put(kind=0.0, start_x=70.0, start_y=80.0, max_energy=80.0)
    den.turn()
    assert den.state() == "idle" and den.get("energy") == 80.0 and den.get("altitude") == 0.0
    assert abs(den.get("x") - 70.0) < 1.0
    den.put(listed=0.0)
    den.turn()
    assert den.get("alive") == 0.0


def test_every_kind_has_looks_and_any_other_hunter_too():
    looks = looks_of_kinds()
    assert set(looks) == {"", *kind_names()}
    assert {looks[name]["body"] for name in ("orca", "sea_lion", "shark", "barracuda")} == {"fish"}
    assert looks["osprey"] == looks["eagle"] != looks[""]
    for name, kind in looks.items():
        corners = outline_of(name)
        assert np.abs(corners).max() < 1.5 and corners[:, 0].max() > 0.4, kind
