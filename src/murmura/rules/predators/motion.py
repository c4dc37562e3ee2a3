"""Steering and motion of hunters: towards a position, after prey, around a flock, at random, within their top speed.

Velocity changes scale with the time step, so that the flight does not depend on it.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from murmura.core.algebra import Condition, Number, floor, maximum, minimum, when, where
from murmura.core.vec import Vec, from_angle
from murmura.core.world.randomness import IN_SPACE, STREAM_HUNTER_GOAL
from murmura.core.world.space import WALLS, confine, offset
from murmura.rules.predators.row import HunterRow
from murmura.rules.predators.states import ATTACKING, DIVING
from murmura.rules.predators.turn import Turn, draw

PI = 3.1415927
CARROT = 0.6  # [rad] how far the point on a circle may run ahead of a hunter that cannot follow as fast
ALONG_EDGES = 0.7  # share of random goals that lie along an edge
MOST_LIFT = 140.0  # [u] in space: how far above flock or prey a hunter waits on at most, in reach of a dive
CEILING = 0.95  # share of the depth above which hunters do not wait
LOW = 0.05  # share of the depth within which floor and ceiling push hunters back, at most
LONGEST_WAY = 60.0  # [s] after which a hunter that wanders chooses another goal


def steer_toward(it: HunterRow, turn: Turn, place: Vec, speed: Number, force: Number) -> None:
    """S0-71, with the step's share of the force: v += limit(unit x max_speed x speed - v, max_force x force)."""
    way = offset(turn.world, it.position, place)
    wish = way.with_length(it.max_speed * turn.p.speed_factor * speed)
    it.velocity = it.velocity + (wish - it.velocity).limited(it.max_force * force * turn.world.thrust)
    it.speed_share = maximum(it.speed_share, speed)


def chase(it: HunterRow, turn: Turn, lead: Number, speed: Number, force: Number) -> None:
    """Steer to where the target will be after `lead` seconds."""
    ahead = lead * turn.world.pace
    steer_toward(it, turn, it.prey + it.prey_velocity * ahead, speed, force)


def gap_to(it: HunterRow, turn: Turn, place: Vec) -> Number:
    """How far away a place is."""
    return offset(turn.world, it.position, place).length


def gap_to_prey(it: HunterRow, turn: Turn) -> Number:
    return gap_to(it, turn, it.prey)


def start_circle(it: HunterRow, turn: Turn, middle: Vec, radius: Number) -> None:
    """Begin a circle where the hunter is."""
    it.angle = offset(turn.world, middle, it.position).angle
    it.radius = radius


def circle(it: HunterRow, turn: Turn, middle: Vec, rate: Number, speed: Number, force: Number) -> None:
    """Steer along a circle around a place: the point on it moves at `rate`, and waits for a hunter left behind.

    At their radii, the documents' rates exceed the speed of any hunter; without waiting, the hunter would be drawn
    into the middle of the flock instead of around it.
    """
    ahead = it.angle - offset(turn.world, middle, it.position).angle
    ahead = ahead - 2.0 * PI * floor(ahead / (2.0 * PI) + 0.5)
    angle = where(ahead < CARROT, it.angle + rate * turn.world.dt, it.angle)
    it.angle = where(angle > PI, angle - 2.0 * PI, angle)
    place = middle + from_angle(it.angle, it.radius, len(middle))
    steer_toward(it, turn, lifted(turn, place, it.altitude), speed, force)


def lifted(turn: Turn, place: Vec, share: Number) -> Vec:
    """In space, the place above another at which a hunter waits on."""
    if len(place) == 2:
        return place
    x, y, z = place
    return Vec(x, y, height_above(turn, z, share))


def height_above(turn: Turn, z: Number, share: Number) -> Number:
    """A share of the world's depth above a height, at most MOST_LIFT, and below the ceiling."""
    depth = turn.world.depth
    return minimum(z + minimum(share * depth, MOST_LIFT), maximum(z, CEILING * depth))


def has_just_begun(it: HunterRow, turn: Turn) -> Condition:
    """Whether this is the first turn in its state."""
    return it.state_time <= 1.5 * turn.world.dt


def start_round_the_flock(it: HunterRow, turn: Turn) -> None:
    """In the first turn of a search: begin a circle round the flock."""
    when(has_just_begun(it, turn), lambda: start_circle(it, turn, it.center, it.circle_radius))


def go_round_the_flock(it: HunterRow, turn: Turn, speed: Number, force: Number) -> None:
    """Circle round the flock, or wander while none is in sight."""
    when(
        it.seen > 0.0,
        lambda: circle(it, turn, it.center, it.circle_rate, speed, force),
        lambda: wander(it, turn, speed, force),
    )


def slow_down(it: HunterRow, turn: Turn, share: Number) -> None:
    """Lose a share of the velocity, given per sixtieth of a second."""
    it.velocity = it.velocity * maximum(0.0, 1.0 - share * turn.world.thrust)


def wander(it: HunterRow, turn: Turn, speed: Number, force: Number) -> None:
    """Fly to random places, seven in ten of them along an edge."""
    there = gap_to(it, turn, it.goal) < turn.p.edge_margin * 0.5
    when((it.goal_time == 0.0) | there, lambda: draw_goal(it, turn))
    steer_toward(it, turn, it.goal, speed, force)


def draw_goal(it: HunterRow, turn: Turn) -> None:
    """Choose a place to wander to, not too near the edges."""
    world = turn.world
    u, v = draw(it, world, STREAM_HUNTER_GOAL)
    w = [draw(it, world, STREAM_HUNTER_GOAL + IN_SPACE)[0]] if len(world.size) == 3 else []
    # Which of four edges, and where along it.
    along = u * (1.0 / ALONG_EDGES) * 4.0
    side = floor(along)
    along = along - side
    at_edge = Vec(where(side < 2.0, along, side - 2.0), where(side < 2.0, side, along), *w)
    anywhere = Vec((u - ALONG_EDGES) * (1.0 / 0.3), v, *w)
    margin = minimum(turn.p.edge_margin, 0.25 * reduce(minimum, world.size))
    it.goal = margin + where(u < ALONG_EDGES, at_edge, anywhere) * (world.size - 2.0 * margin)
    it.goal_time = LONGEST_WAY


def top_speed(it: HunterRow, turn: Turn) -> Number:
    """The cap of S0-70: a burst while attacking or diving, otherwise what the chase requires, less when tired."""
    bursts = (it.state == ATTACKING) | (it.state == DIVING)
    share = where(bursts, it.burst, maximum(1.0, minimum(it.speed_share, it.burst)))
    low = 2.0 * it.exhaustion_threshold
    tired = (it.energy < low) & (it.state != DIVING)
    share = share * where(tired, 0.7 + 0.3 * it.energy / where(tired, low, 1.0), 1.0)
    return it.max_speed * turn.p.speed_factor * share


def move(it: HunterRow, turn: Turn) -> None:
    """Speed limit, move, boundary (S0-70)."""
    world = turn.world
    velocity = it.velocity.limited(top_speed(it, turn))
    position = it.position + velocity * world.stride
    if any(edge in WALLS for edge in world.edges):
        push = turn.p.edge_push * world.thrust
        margins = position.map(inwards, world.size, _margins(turn))
        pushed = Vec(*(x if edge in WALLS else 0.0 for x, edge in zip(margins, world.edges, strict=True)))
        velocity = velocity + pushed * push
    it.position, it.velocity = confine(world, position, velocity)


def _margins(turn: Turn) -> Any:
    """How near each edge a hunter turns back. Under a low ceiling it must not do so in the middle."""
    if len(turn.world.size) == 2:
        return turn.p.edge_margin
    margin = turn.p.edge_margin
    return Vec(margin, margin, minimum(margin, LOW * turn.world.depth))


def inwards(x: Any, size: Any, margin: Any) -> Number:
    """1 near the low edge, -1 near the high one."""
    return where(x < margin, 1.0, 0.0) - where(x > size - margin, 1.0, 0.0)
