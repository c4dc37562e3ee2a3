"""What all hunters share: listening, timers, energy, steering, moving, and how hunts begin and end.

Everything is a function of a row `it` that changes it in place. Times run with the fixed step (trap 7 of the public
system: there, steering knew no dt).
"""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import arctan2, floor, maximum, minimum, sin_cos, to_integer
from murmura.core.randomness import (
    STREAM_HUNTER_FEINT,
    STREAM_HUNTER_GOAL,
    STREAM_HUNTER_MOOD,
    STREAM_HUNTER_REST,
    uniform_from,
)
from murmura.core.space import confine, offset, wrapped
from murmura.core.vector import length, limit, with_length
from murmura.rules.hunting.row import (
    AIM,
    ALTITUDE,
    ANGLE,
    ATTACK_COST,
    BEST,
    BEST_ID,
    BONUS,
    BURST,
    BURST_LEFT,
    CATCH_COOLDOWN,
    CATCHES,
    CAUGHT,
    CENTER_X,
    CENTER_Y,
    COOLDOWN,
    ENERGY,
    ENERGY_REGEN,
    EXHAUSTION,
    EXHAUSTION_THRESHOLD,
    FAILED_HUNTS,
    FLOCK_VX,
    FLOCK_VY,
    FRIGHT,
    GOAL_TIME,
    GOAL_X,
    GOAL_Y,
    HUNGER,
    HUNT_CLOCK,
    HUNT_ENERGY,
    HUNTING_DRAIN,
    HUNTS,
    LEAST_APPROACH,
    MAX_ENERGY,
    MAX_FORCE,
    MAX_SPEED,
    MEALS,
    MISS_COOLDOWN,
    NUMBER,
    PANIC_RADIUS,
    PREY_HERE,
    PREY_VX,
    PREY_VY,
    PREY_X,
    PREY_Y,
    RADIUS,
    REACH,
    REACH_FROM,
    RECOVERY_DELAY,
    REST,
    ROWS,
    SALT,
    SEEN,
    STALKING_DRAIN,
    STATE,
    STATE_TIME,
    STEALTH,
    STEALTH_RADIUS,
    TARGET,
    TARGET_DISTANCE,
    TIME,
    TIRES,
    TRIES,
    VX,
    VY,
    WATCH_RADIUS,
    WATCHED,
    X,
    Y,
)
from murmura.rules.hunting.states import (
    AMBUSH,
    ATTACKING,
    DIVING,
    HUNTING,
    IDLE,
    RECOVERING,
    SCANNING,
    STALKING,
)

PI = 3.1415927
ANY_HEADING = -2.0  # no cosine is less
HIDDEN_BY_ALTITUDE = 0.6  # S0-87
CARROT = 0.6  # [rad] how far the point on a circle may run ahead of a hunter that cannot follow as fast
SALT_STEPS = 65536.0


def enter(it: Any, state: Any) -> None:
    """Change the state; every change goes through here."""
    it[STATE] = state
    it[STATE_TIME] = 0.0


def listen(it: Any, told: Any, world: Any) -> None:
    """Take in what the flock told in this step; whatever was asked for in the last turn is asked no more."""
    it[SEEN] = told[0]
    if told[0] > 0.0:
        cx = it[X] + told[1] / told[0]
        cy = it[Y] + told[2] / told[0]
        if world.wraps:
            cx = wrapped(cx, world.width)
            cy = wrapped(cy, world.height)
        it[CENTER_X] = cx
        it[CENTER_Y] = cy
        it[FLOCK_VX] = told[3] / told[0]
        it[FLOCK_VY] = told[4] / told[0]
    it[WATCHED] = told[5]
    it[BEST] = told[6]
    it[BEST_ID] = told[7]
    it[REACH] = 0.0
    it[REACH_FROM] = 0.0
    it[LEAST_APPROACH] = ANY_HEADING
    it[WATCH_RADIUS] = 0.0
    it[TIRES] = 0.0
    it[CAUGHT] = -1.0
    it[AIM] = 1.0


def run_timers(it: Any, world: Any) -> None:
    """S0-67, S0-68."""
    it[TIME] += world.dt
    it[STATE_TIME] += world.dt
    it[HUNGER] += world.dt
    it[COOLDOWN] = maximum(0.0, it[COOLDOWN] - world.dt)
    it[BURST_LEFT] = maximum(0.0, it[BURST_LEFT] - world.dt)
    it[GOAL_TIME] = maximum(0.0, it[GOAL_TIME] - world.dt)
    if it[STATE] >= HUNTING and it[STATE] <= DIVING:
        it[HUNT_CLOCK] += world.dt


def spend_and_regain(it: Any, world: Any) -> None:
    """Energy falls while hunting in any form, and comes back after a delay; in ambush the mind itself says how fast."""
    state = it[STATE]
    if state >= STALKING and state <= DIVING:
        drain = it[STALKING_DRAIN] if state == STALKING else it[HUNTING_DRAIN]
        it[ENERGY] = maximum(0.0, it[ENERGY] - drain * world.dt)
        it[REST] = 0.0
        return
    it[REST] += world.dt
    if state != AMBUSH and it[REST] >= it[RECOVERY_DELAY]:
        regain(it, world, 1.0)


def regain(it: Any, world: Any, share: Any) -> None:
    it[ENERGY] = minimum(it[MAX_ENERGY], it[ENERGY] + it[ENERGY_REGEN] * share * world.dt)


def collapse_if_exhausted(it: Any) -> None:
    """S0-69. A stoop goes on: weight, not strength, carries it, and decision 12 says how it ends."""
    state = it[STATE]
    at_it = state != IDLE and state != RECOVERING and state != DIVING
    if at_it and it[ENERGY] <= it[EXHAUSTION_THRESHOLD]:
        it[FAILED_HUNTS] += 1.0
        it[TARGET] = -1.0
        enter(it, RECOVERING)


def begin_hunt(it: Any, state: Any) -> None:
    """Commit to the bird in view."""
    it[HUNTS] += 1.0
    it[HUNT_CLOCK] = 0.0
    it[BONUS] = 1.0
    it[EXHAUSTION] = 0.0
    it[BURST_LEFT] = 0.0
    enter(it, state)


def eye(it: Any) -> None:
    """Look for prey; the best one tells about itself in the next step."""
    it[REACH] = it[TARGET_DISTANCE]
    it[TARGET] = it[BEST_ID]


def miss(it: Any, world: Any) -> None:
    """A hunt has failed."""
    it[FAILED_HUNTS] += 1.0
    it[COOLDOWN] = rested(it, world, it[MISS_COOLDOWN])
    it[TARGET] = -1.0
    enter(it, IDLE)


def catch(it: Any, world: Any) -> None:
    """The target is caught: the cost of the attack is paid once (S0-114)."""
    it[CAUGHT] = it[TARGET]
    it[CATCHES] += 1.0
    it[MEALS] += 1.0
    it[HUNGER] = 0.0
    it[ENERGY] = maximum(0.0, it[ENERGY] - it[ATTACK_COST])
    it[COOLDOWN] = rested(it, world, it[CATCH_COOLDOWN])
    it[TARGET] = -1.0
    enter(it, RECOVERING)


def within_reach(items: Any, row: Any, world: Any, reach: Any) -> Any:
    """Whether the target is near enough to be caught, and nobody else has just caught it."""
    it = items[row]
    if it[PREY_HERE] == 0.0 or gap_to_prey(it, world) > reach:
        return False
    first = row - to_integer(it[NUMBER])
    free = True
    for other in range(first, first + to_integer(it[ROWS])):
        if items[other, CAUGHT] == it[TARGET]:
            free = False
    return free


def gap_to_prey(it: Any, world: Any) -> Any:
    dx, dy = offset(world, it[X], it[Y], it[PREY_X], it[PREY_Y])
    return length(dx, dy)


def steer_toward(p: Any, it: Any, world: Any, x: Any, y: Any, speed: Any, force: Any) -> None:
    """S0-71, with the step's share of the force: v += limit(unit x max_speed x speed - v, max_force x force)."""
    dx, dy = offset(world, it[X], it[Y], x, y)
    wx, wy = with_length(dx, dy, it[MAX_SPEED] * p.speed_factor * speed)
    sx, sy = limit(wx - it[VX], wy - it[VY], it[MAX_FORCE] * force * world.thrust)
    it[VX] += sx
    it[VY] += sy
    it[AIM] = maximum(it[AIM], speed)


def chase(p: Any, it: Any, world: Any, lead: Any, speed: Any, force: Any) -> None:
    """Steer for where the target will be after `lead` seconds."""
    ahead = lead * world.pace
    steer_toward(
        p, it, world, it[PREY_X] + it[PREY_VX] * ahead, it[PREY_Y] + it[PREY_VY] * ahead, speed, force
    )


def start_circle(it: Any, world: Any, x: Any, y: Any, radius: Any) -> None:
    """Begin a circle where one is."""
    dx, dy = offset(world, x, y, it[X], it[Y])
    it[ANGLE] = arctan2(dy, dx)
    it[RADIUS] = radius


def circle(p: Any, it: Any, world: Any, x: Any, y: Any, rate: Any, speed: Any, force: Any) -> None:
    """Steer along a circle round a place: the point on it runs at `rate`, and waits for a hunter left behind.

    The documents' rates ask for more than any hunter's speed at their radii; without waiting, the hunter would be
    drawn into the middle of the flock instead of around it.
    """
    dx, dy = offset(world, x, y, it[X], it[Y])
    ahead = it[ANGLE] - arctan2(dy, dx)
    ahead = ahead - 2.0 * PI * floor(ahead / (2.0 * PI) + 0.5)
    if ahead < CARROT:
        it[ANGLE] += rate * world.dt
    if it[ANGLE] > PI:
        it[ANGLE] -= 2.0 * PI
    s, c = sin_cos(it[ANGLE])
    steer_toward(p, it, world, x + c * it[RADIUS], y + s * it[RADIUS], speed, force)


def slow_down(it: Any, world: Any, share: Any) -> None:
    """Lose a share of the velocity, given for a sixtieth of a second."""
    left = maximum(0.0, 1.0 - share * world.thrust)
    it[VX] *= left
    it[VY] *= left


def drawn(it: Any, world: Any, stream: Any) -> Any:
    """Two random numbers of this hunter and step."""
    return uniform_from(world.seed_low, world.seed_high, world.step, to_integer(it[NUMBER]), stream)


def rested(it: Any, world: Any, mean: Any) -> Any:
    """A cooldown within a quarter of its mean: 3 to 5 s for 4, 1.5 to 2.5 s for 2."""
    u, _ = drawn(it, world, STREAM_HUNTER_REST)
    return mean * (0.75 + 0.5 * u)


def mood(it: Any, world: Any) -> Any:
    """The chance of this step; also salts the choice of a target."""
    u, v = drawn(it, world, STREAM_HUNTER_MOOD)
    it[SALT] = floor(v * SALT_STEPS) / SALT_STEPS
    return u


def feint_draw(it: Any, world: Any) -> Any:
    return drawn(it, world, STREAM_HUNTER_FEINT)


def goal_draw(it: Any, world: Any) -> Any:
    return drawn(it, world, STREAM_HUNTER_GOAL)


def wander(p: Any, it: Any, world: Any, speed: Any, force: Any) -> None:
    """Fly to places drawn at random, seven of ten of them along an edge."""
    dx, dy = offset(world, it[X], it[Y], it[GOAL_X], it[GOAL_Y])
    if it[GOAL_TIME] == 0.0 or length(dx, dy) < p.edge_margin * 0.5:
        u, v = goal_draw(it, world)
        margin = minimum(p.edge_margin, 0.25 * minimum(world.width, world.height))
        x, y = u, v
        if u < 0.7:
            # Which of four edges, and where along it.
            along = u * (1.0 / 0.7) * 4.0
            side = floor(along)
            along = along - side
            x = along if side < 2.0 else side - 2.0
            y = side if side < 2.0 else along
        else:
            x = (u - 0.7) * (1.0 / 0.3)
        it[GOAL_X] = margin + x * (world.width - 2.0 * margin)
        it[GOAL_Y] = margin + y * (world.height - 2.0 * margin)
        it[GOAL_TIME] = 60.0
    steer_toward(p, it, world, it[GOAL_X], it[GOAL_Y], speed, force)


def idle(p: Any, it: Any, world: Any, chance: Any) -> None:
    """Wander until the mood for a hunt comes."""
    it[TARGET] = -1.0
    wander(p, it, world, 0.5, 0.4)
    ready = it[COOLDOWN] == 0.0 and it[ENERGY] >= it[HUNT_ENERGY]
    if ready and chance < p.eagerness * p.aggression * world.dt:
        it[GOAL_TIME] = 0.0
        it[TRIES] = 0.0
        enter(it, SCANNING)


def recover(p: Any, it: Any, world: Any) -> None:
    """Drift until enough energy is back."""
    it[TARGET] = -1.0
    slow_down(it, world, 0.02)
    if it[ENERGY] >= p.rest_until * it[MAX_ENERGY]:
        enter(it, IDLE)


def top_speed(p: Any, it: Any) -> Any:
    """The cap of S0-70: a burst while attacking or diving, what the chase asks for otherwise, less when tired."""
    share = maximum(1.0, minimum(it[AIM], it[BURST]))
    if it[STATE] == ATTACKING or it[STATE] == DIVING:
        share = it[BURST]
    low = 2.0 * it[EXHAUSTION_THRESHOLD]
    if it[ENERGY] < low and it[STATE] != DIVING:
        share = share * (0.7 + 0.3 * it[ENERGY] / low)
    return it[MAX_SPEED] * p.speed_factor * share


def move(p: Any, it: Any, world: Any) -> None:
    """Speed limit, move, boundary (S0-70)."""
    vx, vy = limit(it[VX], it[VY], top_speed(p, it))
    x = it[X] + vx * world.stride
    y = it[Y] + vy * world.stride
    if world.walled:
        push = p.edge_push * world.thrust
        vx = vx + pushed(x, world.width, p.edge_margin) * push
        vy = vy + pushed(y, world.height, p.edge_margin) * push
    x, y, vx, vy = confine(world, x, y, vx, vy)
    it[X] = x
    it[Y] = y
    it[VX] = vx
    it[VY] = vy


def pushed(x: Any, size: Any, margin: Any) -> Any:
    """1 near the low edge, -1 near the high one."""
    push = 0.0
    if x < margin:
        push += 1.0
    if x > size - margin:
        push -= 1.0
    return push


def frighten(it: Any) -> None:
    """How far it is seen: less in hiding (S0-99), less from high above (S0-87)."""
    radius = it[PANIC_RADIUS]
    if it[STEALTH] > 0.0:
        radius = it[STEALTH_RADIUS]
    it[FRIGHT] = radius * (1.0 - HIDDEN_BY_ALTITUDE * it[ALTITUDE])
