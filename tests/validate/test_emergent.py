"""The scenario `emergent` as it ships against a float64 transcription of document 003: each animal's stance and force.

The document's pseudocode has an order, radii and formulas; what it leaves open (who is ready to mate, which partner,
what a crowd does) is taken from docs/evolution.md.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import murmura as mm
from murmura.engine.reading.surroundings import FOOD_COLUMNS
from murmura.rules.evolution.stances import Stance
from tests.sizes import size

PREY, PREDATOR = 0, 1
HUNGRY, AHEAD, LEAST_SIGHT = 0.3, 3.0, 60.0
FEAR_RADIUS = CHASE_RADIUS = MATE_RADIUS = CARCASS_RADIUS = 150.0
FOOD_RADIUS, SEPARATION_RADIUS, FLOCK_RADIUS = 200.0, 25.0, 50.0
RADII = (FEAR_RADIUS, SEPARATION_RADIUS, FLOCK_RADIUS)  # and the animal's own sight
EDGE = 1e-3  # [u] nearer than this to a radius, single precision may decide otherwise

Vector = NDArray[np.float64]
NOTHING = np.zeros(2)


def limit(v: Vector, longest: float) -> Vector:
    length = float(np.hypot(*v))
    return v * (longest / length) if length > longest else v


def unit(v: Vector) -> Vector:
    return v / np.hypot(*v)


class Flock:
    """The state at time t, as the document's functions read it."""

    def __init__(self, sim: mm.Simulation) -> None:
        state = sim.state.copy()
        self.ids = state.ids.tolist()
        own = (
            "species",
            "energy",
            "ready",
            *(c for c in state.own_columns if c.startswith(("gene_", "part_"))),
        )
        self.of = {name: state[name].astype(float) for name in own}
        self.places = np.stack([state["position_x"], state["position_y"]], 1).astype(float)
        self.velocities = np.stack([state["velocity_x"], state["velocity_y"]], 1).astype(float)
        self.size = np.array([sim.scenario.world.width, sim.scenario.world.height])
        at = [FOOD_COLUMNS.index(name) for name in ("x", "y", "room")]
        food, carcasses = state.items["feeding"][:, at], state.items["remains"][:, [1, 2, 3]]
        self.food = {PREY: self._with_some(food), PREDATOR: self._with_some(carcasses)}
        o = self.of
        # S3-30 to S3-32
        self.max_speed = 10.0 * o["gene_speed"] * (1.0 + 0.05 * o["part_tail"])
        self.max_force = 0.5 * o["gene_force"] * (1.0 + 0.05 * o["part_fin"])
        sight = 220.0 * o["gene_vision"] * (1.0 + 0.1 * o["part_eye"] + 0.15 * o["part_antenna"])
        self.sight = np.maximum(LEAST_SIGHT, sight)

    @staticmethod
    def _with_some(rows: NDArray[Any]) -> Vector:
        return np.asarray(rows[rows[:, 2] > 0.0, :2], float)

    def ways(self, me: int, places: Vector) -> Vector:
        """S3-44: the shortest way from an animal to each place."""
        way = places - self.places[me]
        return np.asarray(way - self.size * np.round(way / self.size))

    def seek(self, me: int, way: Vector, boost: float = 1.0) -> Vector:
        return limit(unit(way) * self.max_speed[me] * boost - self.velocities[me], self.max_force[me])


class Animal:
    """What one animal perceives (S3-19), and the document's rules for it."""

    def __init__(self, flock: Flock, me: int) -> None:
        self.flock, self.me = flock, me
        self.ways = flock.ways(me, flock.places)
        self.distances = np.hypot(*self.ways.T)
        self.distances[me] = np.inf
        self.near = self.distances <= flock.sight[me]
        self.role = int(flock.of["species"][me])
        self.foods = flock.ways(me, flock.food[self.role])
        self.to_food = np.hypot(*self.foods.T) if len(self.foods) else np.array([])

    @property
    def is_clear(self) -> bool:
        """Whether nothing lies on an edge, and its energy is not at the threshold."""
        on_edge = any(np.abs(self.distances - r).min() < EDGE for r in (*RADII, self.flock.sight[self.me]))
        reach = CARCASS_RADIUS if self.role == PREDATOR else FOOD_RADIUS
        on_edge |= bool((np.abs(self.to_food - reach) < EDGE).any())
        # Of two at the same distance, such as a newborn and its mother, either may be the nearest.
        first, second = np.sort(self.distances)[:2]
        on_edge |= self.role == PREDATOR and second - first < EDGE
        # A predator's bite of a carcass counts in the same step.
        slack = 0.06 if self.role == PREDATOR else 1e-6
        return not on_edge and abs(self.flock.of["energy"][self.me] - HUNGRY) > slack

    def within(self, radius: float, species: int) -> NDArray[np.int64]:
        mask = self.near & (self.distances <= radius) & (self.flock.of["species"] == species)
        return np.flatnonzero(mask)

    def evaluate(self) -> tuple[str, Vector | None]:
        """evaluateBoidBehavior: stance and force; no force towards a partner, whom the document leaves open."""
        flock, me = self.flock, self.me
        predators = self.within(FEAR_RADIUS, PREDATOR)
        if self.role == PREY and len(predators):
            return "fleeing", self.fear(predators)
        prey = self.within(CHASE_RADIUS, PREY)
        if self.role == PREDATOR and len(prey):
            return "hunting", self.chase(prey)
        reach = CARCASS_RADIUS if self.role == PREDATOR else FOOD_RADIUS
        if flock.of["energy"][me] < HUNGRY and len(self.to_food) and self.to_food.min() <= reach:
            return "seeking_food", flock.seek(me, self.foods[self.to_food.argmin()])
        if flock.of["ready"][me] == 1.0 and len(self.partners()):
            return "mating", None
        return "flocking", self.flocking()

    def partners(self) -> NDArray[np.int64]:
        mates = self.within(MATE_RADIUS, self.role)
        return mates[self.flock.of["ready"][mates] == 1.0]

    def apart(self, others: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those at a distance above 0."""
        return others[self.distances[others] > 0.0]

    def fear(self, predators: NDArray[np.int64]) -> Vector:
        away = sum((-self.ways[j] / self.distances[j] ** 2 for j in self.apart(predators)), NOTHING)
        return self.flock.seek(self.me, away, boost=1.0 + self.flock.of["gene_fear"][self.me])

    def chase(self, prey: NDArray[np.int64]) -> Vector:
        nearest = prey[self.distances[prey].argmin()]
        return self.flock.seek(self.me, self.ways[nearest] + AHEAD * self.flock.velocities[nearest])

    def flocking(self) -> Vector:
        social = self.flock.of["gene_sociability"][self.me]
        close, mates = (self.apart(self.within(r, self.role)) for r in (SEPARATION_RADIUS, FLOCK_RADIUS))
        force = NOTHING
        if len(close):
            away = sum((-self.ways[j] / self.distances[j] ** 2 for j in close), NOTHING)
            force = force + (1.5 - 0.5 * social) * self.flock.seek(self.me, away)
        if len(mates):
            heading, middle = self.flock.velocities[mates].mean(0), self.ways[mates].mean(0)
            crowd = max(0.0, 1.0 - float(self.near.sum()) / (10.0 + 40.0 * social))  # S3-36
            force = force + (1.0 + 1.5 * social) * self.flock.seek(self.me, heading)
            force = force + (1.0 + 2.0 * social) * crowd * self.flock.seek(self.me, middle)
        return force


# S3-1 to S3-10, S3-12 to S3-19, S3-30 to S3-36; decisions 32 and 36
def test_every_animal_decides_and_steers_as_the_document_says() -> None:
    sim = mm.Simulation("emergent", seed=2, backend="cpu", threads=1)
    compared: Counter[str] = Counter()
    for _ in range(size(12, 60)):
        sim.step(97)
        flock = Flock(sim)
        animals = [Animal(flock, me) for me in range(len(flock.ids))]
        sim.step()
        stances, forces = sim.column("stance"), sim.forces.astype(float)
        row_of = {agent: row for row, agent in enumerate(sim.ids.tolist())}
        mates = dict(zip(sim.ids.tolist(), sim.column("target_mate_id").tolist(), strict=True))
        for animal, agent in zip(animals, flock.ids, strict=True):
            if agent not in row_of or not animal.is_clear:
                continue
            stance, force = animal.evaluate()
            row = row_of[agent]
            assert Stance(int(stances[row])).name.lower() == stance, (sim.step_count, agent)
            if force is None:
                if mates[agent] not in flock.ids:
                    continue  # just mated
                partner = flock.ids.index(mates[agent])
                assert partner in animal.partners()
                force = flock.seek(animal.me, animal.ways[partner])
            np.testing.assert_allclose(forces[row], force, atol=2e-5, err_msg=f"{stance} {agent}")
            compared[stance] += 1
    assert sum(compared.values()) > size(3000, 15_000), compared
    assert all(compared[name] > 20 for name in ("fleeing", "hunting", "seeking_food", "mating", "flocking"))


def met(
    values: dict[str, float], *, places: Any, kinds: Any, velocities: Any = None, steps: int = 1
) -> mm.Simulation:
    """The scenario as it ships, begun with a few animals with given columns."""
    speeds = np.zeros((len(places), 2)) if velocities is None else velocities
    sim = mm.Simulation("emergent", 0, "cpu", positions=places, velocities=speeds, species=np.asarray(kinds))
    state = sim.state.copy()
    for name, value in values.items():
        state[name][:] = value
    sim.load_state(state)
    sim.step(steps)
    return sim


def stance(sim: mm.Simulation, row: int = 0) -> str:
    return Stance(int(sim.column("stance")[row])).name.lower()


# S3-30, S3-7; decision 36: neither efficiency nor hunger slows
@pytest.mark.parametrize(("fear", "speed"), [(0.0, 4.0), (0.5, 6.0), (1.0, 8.0)])
@pytest.mark.parametrize(("efficiency", "energy"), [(0.0, 1.0), (1.0, 0.5)])
def test_flight_is_as_fast_as_speed_and_fear_say(
    fear: float, speed: float, efficiency: float, energy: float
) -> None:
    genes = {
        "gene_speed": 0.4,
        "part_tail": 0.0,
        "gene_fear": fear,
        "gene_efficiency": efficiency,
        "energy": energy,
    }
    sim = met(genes, places=[[500, 500], [560, 500]], kinds=[PREY, PREDATOR], velocities=[[-30, 0], [0, 0]])
    assert np.hypot(*sim.velocities[0]) == pytest.approx(speed, rel=1e-5)


# S3-30: 10 x 0.7 x (1 + 2 x 0.05) = 7.7
def test_top_speed_is_gene_and_bonus_alone() -> None:
    genes = {"gene_speed": 0.7, "part_tail": 2.0, "gene_efficiency": 1.0, "energy": 0.4}
    sim = met(genes, places=[[500, 500]], kinds=[PREY], velocities=[[50, 0]])
    assert np.hypot(*sim.velocities[0]) == pytest.approx(7.7, rel=1e-5)


# S3-8, S3-15: the radius alone decides; a tame predator hunts as far as a fierce one
@pytest.mark.parametrize("aggression", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(("distance", "hunts"), [(3.0, True), (125.0, True), (149.0, True), (151.0, False)])
def test_prey_within_the_chase_radius_is_hunted(aggression: float, distance: float, hunts: bool) -> None:
    genes = {"gene_aggression": aggression, "gene_vision": 1.0}
    sim = met(genes, places=[[500, 500], [500 + distance, 500]], kinds=[PREDATOR, PREY])
    assert stance(sim) == ("hunting" if hunts else "flocking")


# S3-32: 220 x 1 x (1 + 2 x 0.1) = 264
def test_sight_is_as_far_as_genes_reach() -> None:
    ring = [[500.0 + r, 500.0] for r in (263.0, 265.0)]
    sim = met(
        {"gene_vision": 1.0, "part_eye": 2.0}, places=[[500.0, 500.0], *ring], kinds=[PREY] * 3, steps=0
    )
    assert sim.neighbors(0).tolist() == [1]
    best = mm.load_scenario("emergent")
    most = best.rules.genome.max_vision * (
        1.0 + 5 * best.rules.genome.eye_vision + 5 * best.rules.genome.antenna_vision
    )
    assert best.perception.radius >= most, "no genome sees less than its formula says"


# S3-12; decision 32
def test_a_lone_animal_is_flocking() -> None:
    sim = met({}, places=[[500, 500], [1500, 1500]], kinds=[PREY, PREDATOR])
    assert [stance(sim, row) for row in range(2)] == ["flocking", "flocking"]


# Decision 32: a partner that cannot be had falls through to flocking
def test_without_a_partner_the_ready_are_flocking() -> None:
    columns = {"ready": np.array([1, 0]), "energy": 1.0, "age": np.array([50.0, 1.0])}
    sim = met(columns, places=[[500, 500], [540, 500]], kinds=[PREY, PREY])
    assert stance(sim) == "flocking"
    assert np.hypot(*sim.forces[0]) > 0.0, "and it flocks"


# S3-18: what acts are the three rules, and the stances' own
def test_nothing_else_steers() -> None:
    sim = mm.Simulation("emergent", seed=3, backend="cpu")
    sim.step(200)
    acting: set[str] = set()
    for agent in sim.ids[::7].tolist():
        told = sim.explain(agent)["rules"]
        acting |= {name for name, rule in told.items() if np.hypot(*rule["force"]) > 1e-6}
    assert {"separation", "alignment", "cohesion", "behavior"} <= acting
    assert acting <= {"separation", "alignment", "cohesion", "behavior", "feeding", "remains"}


def test_the_documents_numbers() -> None:
    scenario = mm.load_scenario("emergent")
    for kind in (PREY, PREDATOR):
        rules = scenario.of_species(kind).rules
        b = rules.behavior
        holds = (
            b.least_idle,
            b.least_flocking,
            b.least_fleeing,
            b.least_hunting,
            b.least_food,
            b.least_mating,
        )
        assert b.decision == "ladder" and not np.any(holds)
        assert (rules.feeding.hungry_below, b.hungry_below, b.hunts_below, b.sprint) == (0.3, 0.3, 1.0, 0.0)
        assert rules.reproduction.keeps == 0.5
        assert rules.combat.food_healing == 0.5
    assert scenario.motion.panic_speed == 1.0


# S3-13, S3-45, S3-46: as it ships, with seeds on which nothing was tuned
def test_both_roles_survive() -> None:
    """Twenty minutes and twenty seeds in the long version."""
    seeds, minutes = range(100, 100 + size(2, 20)), size(14, 20)
    survived = 0
    for seed in seeds:
        sim = mm.Simulation("emergent", seed=seed, backend="cpu", threads=1)
        sim.step(round(minutes * 60 / sim.scenario.motion.time_step))
        kinds = sim.column("species")
        survived += bool((kinds == PREY).any() and (kinds == PREDATOR).any())
        kills = [
            event for event in sim.events() if event["kind"] == "death" and event["cause"] == "predation"
        ]
        assert len(kills) > 100, "there is hunting as long as there are hunters"
    assert survived >= 0.75 * len(seeds)
