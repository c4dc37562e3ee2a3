"""Day and night: values of the hour computed by hand, and their effect on a flock."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from murmura.rules.environment.daylight import Daylight, hour_at, sky, value_at


@pytest.mark.parametrize(
    ("time", "period", "speed"),
    [
        (0.0, "night", 0.5),  # a quarter of the day is over at the start
        (12.0, "dawn", 0.8),  # 0.35 of 120 s after midnight, less the 30 s
        (9.0, "night", 0.65),  # halfway through the change to dawn
        (24.0, "day", 1.0),
        (60.0, "day", 1.0),
        (72.0, "dusk", 0.9),
        (90.0, "night", 0.5),
        (210.0, "night", 0.5),  # the same hour a day later
    ],
)
def test_values_of_the_hour(time: float, period: str, speed: float):
    rule = Daylight()
    hour = hour_at(rule, time)
    assert sky(rule, time).period == period
    assert value_at(rule, hour, 0.5, 0.8, 1.0, 0.9) == pytest.approx(speed, abs=1e-9)


def test_the_sky_has_a_clock_and_light():
    rule = Daylight(start=0.0)
    noon = sky(rule, 60.0)
    assert noon == ("day", "12:00", pytest.approx(1.0))
    assert sky(rule, 0.0).light == 0.0
    lights = [sky(rule, second).light for second in np.arange(0.0, 120.0, 0.5)]
    assert max(abs(np.diff([*lights, lights[0]]))) < 0.1, "light must not jump, not even at midnight"


def flock(**values: object) -> mm.Simulation:
    scenario = mm.load_scenario("day-and-night").with_values({"agents": 300, **values})
    return mm.Simulation(scenario, seed=4, backend="cpu")


def test_animals_are_as_fast_as_their_hour_allows():
    sim = flock()
    species = sim.column("species")
    for until, starling, bat in ((8.0, 0.5, 1.0), (60.0, 1.0, 0.5), (118.0, 0.5, 1.0)):
        sim.step(round((until - sim.time) * 60))
        speed = np.hypot(*sim.velocities.T)
        # Nobody panics here, so only the hour changes the top speed.
        hour = hour_at(sim.scenario.rules.daylight, sim.time - 1 / 60)
        change = value_at(sim.scenario.rules.daylight, hour, 0.5, 0.8, 1.0, 0.9)
        assert speed[species == 0].max() == pytest.approx(15.0 * change, rel=1e-5)
        assert abs(change - starling) < 0.11
        assert speed[species == 1].max() == pytest.approx(20.0 * bat, rel=0.11)


def test_cohesion_is_stronger_at_night():
    """The weight of cohesion is 1.5 times as great at night, and so is the force where no limit applies."""
    quiet = {
        "motion.clamp_total": False,
        "rules.separation.enabled": False,
        "rules.alignment.enabled": False,
        "rules.noise.enabled": False,
        "rules.territory.enabled": False,
        "rules.boundary.enabled": False,
        "rules.daylight.night_activity": 1.0,
        "rules.daylight.night_speed": 1.0,
        "species": [],
    }
    night, day = (
        flock(**quiet, **{"rules.daylight.start": 0.2}),
        flock(**quiet, **{"rules.daylight.start": 0.6}),
    )
    night.step()
    day.step()
    assert np.abs(day.forces).max() > 0.01
    np.testing.assert_allclose(night.forces, 1.5 * day.forces, rtol=1e-5, atol=1e-6)


def test_hours_must_follow_each_other():
    with pytest.raises(mm.MurmuraError, match="must follow each other"):
        mm.load_scenario("day-and-night").with_values({"rules.daylight.dawn_at": 0.9})
