"""Hunters turn by turn, against the documents: hawk, falcon, eagle, owl and shark."""

from __future__ import annotations

import math

import pytest

from .hunter_table import DT, HunterTable, steered, steered_to_place

STILL = {"vx": 0.0, "vy": 0.0}


class TestHawk:
    def test_circles_the_flock(self):
        """S0-74: the angle advances by 0.5 per second, 200 from the middle; 0.8 of the speed, 0.6 of the force."""
        den = HunterTable({"kind": "hawk"})
        den.begin("scanning", x=1200.0, y=1000.0, vx=0.0, vy=0.0, angle=0.0, radius=200.0)
        den.turn(seen=50, center=(1000.0, 1000.0))
        den.put(state_time=1.0)
        angle = den.get("angle")
        den.turn(seen=50, center=(1000.0, 1000.0))
        assert den.get("angle") - angle == pytest.approx(0.5 * DT)
        # From rest, two turns of at most 1.2 x 0.6 each.
        assert den.speed() == pytest.approx(2 * 1.2 * 0.6, rel=1e-3)
        for _ in range(600):
            den.put(state_time=1.0)
            den.turn(seen=50, center=(1000.0, 1000.0))
            assert 110.0 < math.hypot(den.get("x") - 1000.0, den.get("y") - 1000.0) < 230.0
        assert den.speed() == pytest.approx(22.0 * 0.8, rel=0.05)
        assert den.get("angle") != pytest.approx(angle, abs=0.5), "it moved along its circle"

    def test_begins_to_stalk_what_is_alone(self):
        """S0-75."""
        for isolation, state in ((0.41, "stalking"), (0.39, "scanning")):
            den = HunterTable({"kind": "hawk"})
            den.begin("scanning")
            den.turn(seen=50, center=(800.0, 800.0), best=(2.0, 9))
            assert den.get("target") == 9.0
            den.turn(
                seen=50,
                center=(800.0, 800.0),
                best=(2.5, 3),
                prey={"x": 900.0, "y": 900.0, "isolation": isolation},
            )
            assert den.state() == state
            # It keeps a target it has seen to be alone, otherwise it watches the next one.
            assert den.get("target") == (9.0 if state == "stalking" else 3.0)
            assert den.get("hunts") == (1.0 if state == "stalking" else 0.0)

    def test_gives_up_a_fruitless_search(self):
        den = HunterTable({"kind": "hawk"})
        den.begin("scanning", state_time=8.1)
        den.turn(seen=3, center=(800.0, 800.0))
        assert den.state() == "idle" and den.get("failed_hunts") == 0.0

    def test_stalks_from_outside(self):
        den = HunterTable({"kind": "hawk"})
        den.begin("stalking", target=9, x=1000.0, y=1500.0)
        prey = {"x": 1200.0, "y": 1000.0, "isolation": 0.5}
        # The middle of the flock is to the left of the prey: the hawk's place is 80 to its right.
        angle = steered_to_place(den, prey, (1000.0, 1000.0))
        assert angle == pytest.approx(math.atan2(1000.0 - 1500.0, 1280.0 - 1000.0), abs=1e-6)
        for x, y in ((1270.0, 1000.0), (1150.0, 1000.0)):
            den.begin("stalking", x=x, y=y)
            den.turn(seen=9, center=(1000.0, 1000.0), prey=prey)
            assert den.state() == "hunting", "in place, or near its prey"
            den.turn(prey=prey)

    @pytest.mark.parametrize("kind", ["hawk", "shark"])
    def test_stalks_under_cover_only_where_the_scenario_says_so(self, kind: str):
        """S0-99: the document gives a second radius to falcon and owl only (decision 34)."""
        for option, radius in (({}, None), ({"panic_radius": 90.0}, 90.0), ({"stealth_radius": 60.0}, 60.0)):
            den = HunterTable({"kind": kind, **option})
            usual = den.rule.hunters[0].panic_radius
            for state, fright in (("stalking", radius or usual), ("hunting", usual), ("scanning", usual)):
                den.begin(state, target=9, x=1000.0, y=1200.0)
                den.turn(prey={"x": 1200.0, "y": 1200.0, "isolation": 0.2})
                assert (den.state(), den.get("fright")) == (state, fright)

    @pytest.mark.parametrize(("isolation", "time"), [(0.04, 0.1), (0.9, 8.1)])
    def test_drops_prey_that_joins_the_flock_or_takes_too_long(self, isolation: float, time: float):
        den = HunterTable({"kind": "hawk"})
        den.begin("stalking", state_time=time, target=9)
        den.turn(seen=9, center=(0.0, 0.0), prey={"x": 900.0, "y": 900.0, "isolation": isolation})
        assert den.state() == "idle" and den.get("failed_hunts") == 1.0

    def test_hunts_where_the_prey_will_be(self):
        """S0-76."""
        den = HunterTable({"kind": "hawk"})
        den.begin("hunting", target=9)
        angle = steered(den, 200.0)
        assert angle == pytest.approx(math.atan2(40.0 * 0.5, 200.0), abs=1e-6)

    @pytest.mark.parametrize(
        ("distance", "energy", "bursts"), [(119.0, 40.0, True), (121.0, 40.0, False), (119.0, 30.0, False)]
    )
    def test_bursts_when_near_and_strong(self, distance: float, energy: float, bursts: bool):
        """S0-77, S0-78."""
        den = HunterTable({"kind": "hawk", "hunting_drain": 0.0})
        den.begin("hunting", target=9, x=0.0, y=0.0, vx=0.0, vy=0.0, energy=energy)
        den.turn(prey={"x": distance, "y": 0.0, **STILL})
        assert den.get("burst_left") == (1.5 if bursts else 0.0)
        assert den.get("vx") == pytest.approx(1.2 * (1.8 if bursts else 1.0))
        if bursts:
            den.put(x=-2000.0, energy=10000.0)
            reached = 0.0
            for _ in range(89):
                den.turn(prey={"x": -1900.0 + 200.0, "y": 0.0, **STILL})
                den.put(x=-2000.0)
                reached = max(reached, den.speed())
            assert reached == pytest.approx(22.0 * 1.4)
            for _ in range(60):
                den.turn(prey={"x": -1800.0, "y": 0.0, **STILL})
                den.put(x=-2000.0)
            assert den.get("burst_left") == 0.0 and den.speed() == pytest.approx(22.0 * 1.1)

    @pytest.mark.parametrize(("distance", "time"), [(301.0, 0.1), (200.0, 6.1)])
    def test_gives_up(self, distance: float, time: float):
        den = HunterTable({"kind": "hawk"})
        den.begin("hunting", state_time=time, target=9, x=0.0, y=0.0)
        den.turn(prey={"x": distance, "y": 0.0, **STILL})
        assert den.state() == "idle" and den.get("failed_hunts") == 1.0

    def test_attacks_recoils_and_tires_of_it(self):
        den = HunterTable({"kind": "hawk"})
        den.begin("hunting", target=9, x=0.0, y=0.0)
        den.turn(prey={"x": 44.0, "y": 0.0, **STILL})
        assert den.state() == "attacking"
        den.put(vx=10.0, vy=0.0)
        den.turn(prey={"x": 5.0, "y": 0.0, **STILL})
        assert den.state() == "recovering" and den.get("vx") == pytest.approx(-3.0 * 0.98, abs=0.1)
        den.begin("attacking", state_time=2.1, target=9)
        den.turn(prey={"x": 60.0, "y": 0.0, **STILL})
        assert den.state() == "idle"


class TestFalcon:
    def test_waits_on_and_climbs(self):
        """S0-81, S0-82: 0.15 a second up to 1; lead 1.5 s, 0.5 / 0.4."""
        den = HunterTable({"kind": "falcon", "hunting_drain": 0.0, "stalk_time": 60.0})
        den.begin("scanning")
        for _ in range(180):
            den.turn(seen=9, center=(500.0, 500.0), best=(0.4, 3))
        assert den.get("altitude") == pytest.approx(0.4, abs=1e-6)
        den.turn(seen=9, center=(500.0, 500.0), best=(0.6, 3), prey={"x": 500.0, "y": 500.0, **STILL})
        assert den.state() == "climbing" and den.get("hunts") == 1.0
        den.turn(prey={"x": 5000.0, "y": 500.0, **STILL})
        assert den.get("altitude") == pytest.approx(0.4 + 0.15 * DT, abs=1e-6)
        angle = steered(den, 5000.0)
        assert angle == pytest.approx(math.atan2(40.0 * 1.5, 5000.0), abs=1e-6)
        assert den.speed() == pytest.approx(0.7 * 0.4)
        for _ in range(400):
            den.turn(prey={"x": 9000.0, "y": 500.0, **STILL})
        assert den.get("altitude") == 1.0
        assert den.speed() == pytest.approx(18.0 * 0.5)

    @pytest.mark.parametrize(
        ("altitude", "energy", "distance", "dives"),
        [(0.7, 50.0, 200.0, True), (0.5, 50.0, 200.0, False), (0.7, 30.0, 200.0, False), (0.7, 50.0, 99.0, False),
         (0.7, 50.0, 351.0, False), (0.7, 50.0, 101.0, True), (0.7, 50.0, 349.0, True)],
    )  # fmt: skip
    def test_dives_from_height_with_strength_and_room(
        self, altitude: float, energy: float, distance: float, dives: bool
    ):
        """S0-83."""
        den = HunterTable({"kind": "falcon", "hunting_drain": 0.0})
        den.begin("climbing", target=9, altitude=altitude, energy=energy, x=0.0, y=0.0, vx=0.0, vy=0.0)
        den.turn(prey={"x": distance, "y": 0.0, **STILL})
        assert (den.state() == "diving") == dives
        if dives:
            assert den.speed() == pytest.approx(18.0 * 1.5)

    def test_falls_at_three_and_a_half_times_its_speed(self):
        """S0-84, S0-85, S0-86, S0-88, S0-109."""
        den = HunterTable({"kind": "falcon"})
        den.begin("diving", target=9, altitude=0.9, energy=60.0, x=0.0, y=0.0, vx=0.0, vy=0.0)
        den.turn(prey={"x": 1000.0, "y": 0.0, "vx": 0.0, "vy": 40.0})
        assert den.get("altitude") == pytest.approx(0.9 - 2.0 * DT)
        # The drain of any hunt, and twice that for the dive.
        assert den.get("energy") == pytest.approx(60.0 - 10.0 * DT - 20.0 * DT)
        assert math.atan2(den.get("vy"), den.get("vx")) == pytest.approx(math.atan2(12.0, 1000.0))
        assert den.speed() == pytest.approx(0.7 * 3.0)
        for _ in range(60):
            den.turn(prey={"x": 1000.0, "y": 0.0, **STILL})
        assert den.speed() == pytest.approx(63.0)
        assert den.get("altitude") == 0.0 and den.state() == "diving"

    def test_pulls_out_after_a_miss(self):
        den = HunterTable({"kind": "falcon"})
        den.begin("diving", state_time=2.6, target=9, vx=60.0, vy=0.0, x=0.0, y=0.0)
        den.turn(prey={"x": 100.0, "y": 0.0, **STILL})
        assert den.state() == "idle" and den.get("vx") == pytest.approx(18.0)

    def test_frightens_less_from_above(self):
        """S0-87."""
        den = HunterTable({"kind": "falcon"})
        for altitude in (0.0, 0.5, 1.0):
            den.begin("idle", altitude=altitude)
            den.turn()
            assert den.get("fright") == pytest.approx(180.0 * (1.0 - 0.6 * altitude))


class TestEagle:
    def test_locks_on_one_bird_and_looks_for_another_when_it_is_gone(self):
        """S0-89."""
        den = HunterTable({"kind": "eagle"})
        den.begin("scanning", state_time=1.0)
        den.turn(seen=9, center=(500.0, 500.0), best=(1.0, 4), prey={"x": 900.0, "y": 500.0, **STILL})
        assert den.state() == "hunting"
        den.put(target=4, x=0.0, y=0.0)
        for _ in range(10):
            den.turn(seen=9, center=(500.0, 500.0), best=(5.0, 7), prey={"x": 900.0, "y": 500.0, **STILL})
        assert den.get("target") == 4.0
        den.turn(seen=9, center=(500.0, 500.0), best=(5.0, 7))
        assert den.state() == "scanning"

    def test_gains_as_the_chase_continues(self):
        """S0-90, S0-91, S0-92, S0-93, S0-110."""
        den = HunterTable({"kind": "eagle", "hunting_drain": 0.0, "pursuit_time": 60.0, "hunt_time": 60.0})
        den.begin("hunting", target=4, x=0.0, y=0.0)
        for seconds, bonus, exhaustion in ((5, 1.1, 0.075), (10, 1.2, 0.15), (25, 1.4, 0.3)):
            while den.get("hunt_clock") < seconds - 1e-6:
                den.turn(prey={"x": den.get("x") + 300.0, "y": den.get("y"), **STILL})
            assert den.get("hunt_clock") == pytest.approx(seconds)
            assert den.get("bonus") == pytest.approx(bonus)
            assert den.get("exhaustion") == pytest.approx(exhaustion)
            assert den.speed() == pytest.approx(18.0 * bonus, rel=1e-3)
            # Its target loses energy at this rate, until it has lost all that a pursuit may cost.
            assert den.get("tires") == (0.015 if exhaustion < 0.3 else 0.0)
        assert den.speed() == pytest.approx(25.2, rel=1e-3)
        angle = steered(den, 300.0)
        assert angle == pytest.approx(math.atan2(40.0 * (0.3 + 0.2 * 1.4), 300.0), abs=1e-3)
        assert den.speed() == pytest.approx(0.6 * 0.8)

    def test_attacks_resumes_and_gives_up(self):
        den = HunterTable({"kind": "eagle"})
        den.begin("hunting", target=4, x=0.0, y=0.0)
        den.turn(prey={"x": 119.0, "y": 0.0, **STILL})
        assert den.state() == "attacking"
        den.turn(prey={"x": 185.0, "y": 0.0, **STILL})
        assert den.state() == "hunting"
        den.put(hunt_clock=15.1)
        den.turn(prey={"x": 300.0, "y": 0.0, **STILL})
        assert den.state() == "idle" and den.get("failed_hunts") == 1.0

    def test_reaches_farther_for_tired_prey(self):
        reach = HunterTable({"kind": "eagle"}).get("catch_distance")
        for clock, distance, catches in ((0.0, 1.01, 0.0), (20.0 - DT, 1.29, 1.0), (20.0 - DT, 1.31, 0.0)):
            den = HunterTable({"kind": "eagle", "hunt_time": 60.0})
            den.begin(
                "attacking", target=4, hunt_clock=clock, x=0.0, y=0.0, exhaustion=min(0.3, 0.015 * clock)
            )
            den.turn(prey={"x": reach * distance, "y": 0.0, **STILL})
            assert den.get("catches") == catches


class TestOwl:
    def test_sits_still_unseen_and_rests(self):
        """S0-95, S0-96, S0-99."""
        den = HunterTable({"kind": "owl"})
        den.begin("ambush", energy=50.0, vx=4.0, vy=0.0)
        den.turn()
        assert den.get("vx") == pytest.approx(4.0 * 0.95)
        assert den.get("energy") == pytest.approx(50.0 + 0.5 * 10.0 * DT)
        assert den.get("stealth") == 1.0 and den.get("fright") == 40.0
        den.put(energy=89.999)
        den.turn()
        assert den.get("energy") == 90.0
        den.begin("idle")
        den.turn()
        assert den.get("stealth") == 0.0 and den.get("fright") == 80.0

    def test_strikes_what_comes_near_once_it_has_waited(self):
        """S0-97."""
        den = HunterTable({"kind": "owl"})
        den.begin("ambush", state_time=1.4)
        den.turn(best=(1.0, 8))
        assert den.state() == "ambush" and den.get("reach") == 70.0
        den.put(state_time=1.5)
        den.turn(best=(1.0, 8))
        assert (den.state(), den.get("target"), den.get("hunts")) == ("attacking", 8.0, 1.0)
        assert den.get("stealth") == 0.0 and den.get("fright") == 80.0

    def test_strikes_at_28(self):
        """S0-98, S0-111, trap 6."""
        den = HunterTable({"kind": "owl"})
        den.begin("attacking", target=8, x=0.0, y=0.0, vx=0.0, vy=0.0)
        den.turn(prey={"x": 60.0, "y": 0.0, "vx": 0.0, "vy": 20.0})
        assert math.atan2(den.get("vy"), den.get("vx")) == pytest.approx(math.atan2(20.0 * 0.15, 60.0))
        assert den.speed() == pytest.approx(0.4 * 3.5)
        for _ in range(40):
            den.turn(prey={"x": 1000.0, "y": 0.0, **STILL})
        assert den.speed() == pytest.approx(28.0)

    def test_patience(self):
        den = HunterTable({"kind": "owl"})
        den.begin("ambush", state_time=12.1)
        den.turn()
        assert den.state() == "scanning" and den.get("patience") == pytest.approx(0.9)
        den.begin("ambush", state_time=11.0)
        den.turn()
        assert den.state() == "scanning" and den.get("patience") == pytest.approx(0.81)
        den.begin("attacking", state_time=1.6, target=8)
        den.turn(prey={"x": 9e3, "y": 0.0, **STILL})
        assert den.state() == "idle" and den.get("patience") == pytest.approx(0.648)
        den.begin("attacking", target=8, x=0.0, y=0.0)
        den.turn(prey={"x": 1.0, "y": 0.0, **STILL})
        assert den.get("patience") == pytest.approx(0.848)

    def test_takes_the_perch_with_most_traffic(self):
        den = HunterTable({"kind": "owl", "stalk_time": 60.0})
        den.begin("scanning", x=1000.0, y=1000.0)
        seen = []
        watched = 0
        while den.get("tries") < 9.0:
            den.turn(seen=9, center=(1000.0, 1000.0), watched=watched)
            if den.get("watch_radius") > 0.0:
                place = (den.get("watch_x"), den.get("watch_y"))
                assert 150.0 <= math.hypot(place[0] - 1000.0, place[1] - 1000.0) <= 250.0
                watched = [3, 1, 7, 2, 7, 0, 5, 4][len(seen)]
                seen.append(place)
        assert len(seen) == 8
        assert (den.get("goal_x"), den.get("goal_y")) == seen[2]
        for _ in range(3000):
            den.turn(seen=9, center=(1000.0, 1000.0))
            if den.state() == "ambush":
                break
        assert math.hypot(den.get("x") - seen[2][0], den.get("y") - seen[2][1]) < 20.0
