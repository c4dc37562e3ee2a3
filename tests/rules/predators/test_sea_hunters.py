"""Hunters at sea, turn by turn: the documents' shark, the orca, the barracuda and the sea lion."""

from __future__ import annotations

import math

import pytest

from murmura.core.vec import Vec

from .hunter_table import DT, HunterTable, steered, steered_to_place

STILL = {"vx": 0.0, "vy": 0.0}


class TestShark:
    @pytest.mark.parametrize(("fish", "ideal"), [(10, 180.0), (300, 240.0), (4000, 300.0)])
    def test_circles_as_wide_as_the_school_requires(self, fish: int, ideal: float):
        """S0-100."""
        den = HunterTable({"kind": "shark"})
        den.begin("scanning", radius=250.0, angle=0.0, x=1250.0, y=1000.0, vx=0.0, vy=0.0, state_time=1.0)
        angle = den.get("angle")
        den.turn(seen=fish, center=(1000.0, 1000.0))
        assert den.get("radius") == pytest.approx(250.0 + (ideal - 250.0) * DT)
        assert den.get("angle") - angle == pytest.approx(0.4 * DT)
        assert den.speed() == pytest.approx(0.7 * 0.5)
        for _ in range(600):
            den.put(state_time=1.0)
            den.turn(seen=fish, center=(1000.0, 1000.0))
        assert den.get("radius") == pytest.approx(ideal, abs=0.1)
        assert den.speed() == pytest.approx(16.0 * 0.7, rel=0.01)

    def test_spirals_in(self):
        """S0-101."""
        den = HunterTable({"kind": "shark", "stalking_drain": 0.0, "hunt_distance": 90.0})
        den.begin("stalking", target=4, angle=0.0, x=1300.0, y=1000.0, vx=0.0, vy=0.0)
        prey = {"x": 1000.0, "y": 1000.0, "isolation": 0.5, **STILL}
        den.turn(prey=prey)
        assert den.get("radius") == pytest.approx(210.0)
        assert den.get("angle") == pytest.approx(0.5 * DT)
        assert den.speed() == pytest.approx(0.7 * 0.6)
        last = 300.0
        while den.state() == "stalking":
            den.put(state_time=0.1)
            den.turn(prey=prey)
            assert den.get("radius") <= last + 1e-6
            last = den.get("radius")
        assert den.state() == "hunting" and last == pytest.approx(80.0, abs=1.0)
        den.begin("stalking", x=1095.0, y=1000.0)
        den.turn(prey=prey)
        assert den.get("radius") == 80.0

    def test_keeps_its_target_whatever_else_it_sees(self):
        """S0-101, S0-102: one locked target, from the spiral to the strike."""
        den = HunterTable({"kind": "shark", "stalking_drain": 0.0, "hunting_drain": 0.0, "attack_cost": 0.0})
        den.begin("stalking", target=4, x=1100.0, y=1000.0)
        states = []
        while "attacking" not in states:
            # A better one each time, nearer and alone.
            den.turn(best=(9.0, 5 + len(states)), prey={"x": 1000.0, "y": 1000.0, "isolation": 0.5, **STILL})
            assert den.get("target") == 4.0
            states.append(den.state())
        assert list(dict.fromkeys(states)) == ["stalking", "hunting", "attacking"]
        den.turn(best=(9.0, 5), prey={"x": 1000.0, "y": 1000.0, "isolation": 0.5, **STILL})
        assert den.get("target") == 4.0

    def test_begins_and_drops_by_isolation(self):
        for isolation, state in ((0.36, "stalking"), (0.34, "scanning")):
            den = HunterTable({"kind": "shark"})
            den.begin("scanning")
            den.turn(seen=9, center=(0.0, 0.0), prey={"x": 900.0, "y": 0.0, "isolation": isolation})
            assert den.state() == state
        den.begin("stalking", target=4)
        den.turn(prey={"x": 900.0, "y": 0.0, "isolation": 0.04})
        assert den.state() == "idle"

    def test_tracks_better_with_time(self):
        """S0-102, S0-112."""
        den = HunterTable({"kind": "shark", "hunting_drain": 0.0, "pursuit_time": 30.0, "hunt_time": 30.0})
        den.begin("hunting", target=4, x=0.0, y=0.0)
        for seconds, bonus in ((4, 1.1), (20, 1.35)):
            while den.get("hunt_clock") < seconds - 1e-6:
                den.turn(prey={"x": den.get("x") + 200.0, "y": den.get("y"), **STILL})
            assert den.get("bonus") == pytest.approx(bonus)
            assert den.speed() == pytest.approx(16.0 * bonus, rel=1e-3)
        angle = steered(den, 200.0)
        assert angle == pytest.approx(math.atan2(40.0 * 0.4 * 1.35, 200.0), abs=1e-3)
        assert den.speed() == pytest.approx(0.7 * 0.9)
        for distance, clock in ((351.0, 0.1), (200.0, 30.1)):
            den.begin("hunting", target=4, hunt_clock=clock, x=0.0, y=0.0)
            den.turn(prey={"x": distance, "y": 0.0, **STILL})
            assert den.state() == "idle"
        den.begin("hunting", target=4, hunt_clock=0.0, x=0.0, y=0.0)
        den.turn(prey={"x": 54.0, "y": 0.0, **STILL})
        assert den.state() == "attacking"


class TestSea:
    def test_an_orca_herds_a_dense_school_and_hunts_a_loose_one(self):
        for watched, state in ((26, "stalking"), (24, "hunting")):
            den = HunterTable({"kind": "orca"})
            den.begin("scanning", state_time=1.0)
            den.turn(seen=99, center=(0.0, 0.0), watched=watched, prey={"x": 900.0, "y": 0.0, **STILL})
            assert den.state() == state
        den.begin("stalking", target=4, x=1000.0, y=1000.0)
        prey = {"x": 1200.0, "y": 1000.0, "isolation": 0.1}
        # Between the prey and the school, which is to its right.
        assert steered_to_place(den, prey, (1500.0, 1000.0)) == pytest.approx(0.0, abs=1e-6)
        den.put(x=1400.0)
        assert abs(steered_to_place(den, prey, (1500.0, 1000.0))) == pytest.approx(math.pi, abs=1e-6)
        den.turn(prey=prey | {"isolation": 0.41})
        assert den.state() == "hunting"
        for _ in range(60 * 12):
            den.turn(prey={"x": den.get("x") + 300.0, "y": den.get("y"), **STILL})
        assert den.get("bonus") == pytest.approx(1.5)

    def test_a_barracuda_waits_ahead_of_the_school(self):
        den = HunterTable({"kind": "barracuda"})
        den.begin("scanning", x=1000.0, y=900.0, tries=0.0)
        den.turn(seen=99, center=(1000.0, 1000.0), flying=(0.0, 5.0))
        assert den.get("goal_x") == pytest.approx(1000.0) and 1150.0 <= den.get("goal_y") <= 1250.0
        den.begin("ambush", state_time=0.5, target=4, x=0.0, y=0.0)
        den.turn(best=(1.0, 6), prey={"x": 30.0, "y": 0.0, **STILL})
        assert den.state() == "ambush" and den.get("target") == 6.0
        assert (den.get("reach"), den.get("fright")) == (120.0, 30.0)
        assert den.get("least_approach") == pytest.approx(0.2)
        den.put(state_time=2.0)
        den.turn(best=(1.0, 6), prey={"x": 50.0, "y": 0.0, **STILL})
        assert den.state() == "ambush"
        den.turn(best=(1.0, 6), prey={"x": 39.0, "y": 0.0, **STILL})
        assert den.state() == "attacking"
        den.put(energy=70.0, vx=0.0, vy=0.0)
        den.turn(prey={"x": 39.0, "y": 0.0, **STILL})
        # A burst doubles the energy that the hunt costs.
        assert den.get("energy") == pytest.approx(70.0 - 2.0 * 15.0 * DT)
        assert den.speed() == pytest.approx(1.2 * 3.0)

    def test_a_sea_lion_weaves_predicts_turns_and_feints(self):
        den = HunterTable({"kind": "sea_lion"})
        den.begin("scanning", time=math.pi / 4.0 - DT, x=0.0, y=0.0)
        den.put(vx=0.0, vy=0.0)
        den.turn(seen=9, center=(500.0, 0.0))
        assert math.atan2(den.get("vy"), den.get("vx")) == pytest.approx(0.3, abs=1e-3)
        den = HunterTable({"kind": "sea_lion", "feint_rate": 0.0})
        den.begin("hunting", target=4, x=0.0, y=0.0, vx=0.0, vy=0.0)
        den.hunter().prey_velocity_before = Vec(0.0, 9.0)
        den.turn(prey={"x": 200.0, "y": 0.0, "vx": 0.0, "vy": 10.0})
        # 0.5 s ahead, and the turn that it has begun: 1 in a step, over half the lead squared.
        ahead = 10.0 * 0.5 + 0.5 * 0.5**2 * (1.0 / DT)
        assert math.atan2(den.get("vy"), den.get("vx")) == pytest.approx(math.atan2(ahead, 200.0), abs=1e-6)
        assert den.speed() == pytest.approx(1.1 * 1.8)
        den = HunterTable({"kind": "sea_lion"})
        feints = 0
        for k in range(60 * 20):
            before = den.get("feint")
            den.begin("hunting", target=4, x=0.0, y=0.0, energy=80.0)
            den.step = k
            den.turn(prey={"x": 100.0, "y": 0.0, **STILL})
            if den.get("feint") > before:
                feints += 1
                assert 0.3 <= den.get("feint") <= 0.5
        # 0.3 per second over 20 s, while none is under way: 5 expected.
        assert 2 <= feints <= 11
