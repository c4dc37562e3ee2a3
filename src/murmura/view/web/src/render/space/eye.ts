/**
 * The view of a 3-D world.
 *
 * It orbits a target. Until the user moves it, the target is the flock, and the view follows at a distance that fits the
 * size of the flock. It can also follow the selected animal, or fly behind it.
 */

import type { Eye, Surroundings } from "../eye";
import type { Point } from "../../net/protocol";
import { aheadAt, middleOf, placeOf, rollOf } from "../../net/space_frames";
import type { Moment } from "../../net/timeline";
import {
  apart,
  easedGaze,
  easedOrbit,
  fittedOrbit,
  gazeAlong,
  gazeOf,
  meets,
  project,
  slid,
  turned,
  VIEW_ANGLE,
  zoomedTo,
  type Box,
  type Gaze,
  type Orbit,
} from "./camera";
import { FlockMotion } from "./flock_motion";
import { spreadOf } from "./flock_size";
import { mapsOf, throughMaps } from "./maps";
import type { Shape } from "./bodies";
import { SUN } from "./light";
import { bodyHalf, type Setting } from "./scene";
import { add, minus, times, type Vec } from "./vectors";

const FROM_SOUTH = -Math.PI / 2;
const TO_SUN = Math.atan2(SUN[1], SUN[0]) + 1.04 * Math.PI; // [rad] from the south-west: the sun is behind the flock
const TILTS: Record<Setting, number> = { air: -0.2, water: 0.1, nowhere: 0.36 }; // [rad]
const TURN_PX = 0.006; // [rad] per px of a drag
const AIR = 0.35; // around the flock, as a share of its size
const DRIFT_SECONDS = 1.6; // the view follows the flock slowly
const LOOK_SECONDS = 0.2; // interval for locating the flock
const RIDE_SECONDS = 0.22;

export class SpaceEye implements Eye {
  following = false;
  whole = true;
  riding = false; // flies behind the selected animal
  orbit: Orbit;
  gaze: Gaze;
  private goal: Orbit | null = null;
  private world: { key: string; orbit: Orbit } | null = null;
  private drift: Orbit | null = null; // the orbit for the last located flock
  private readonly flock: FlockMotion;
  private sinceLook = 0; // [s]
  private drifts = !matchMedia("(prefers-reduced-motion: reduce)").matches;

  constructor(
    private readonly stage: Surroundings,
    readonly box: Box,
    readonly setting: Setting,
    readonly shape: Shape,
  ) {
    this.flock = new FlockMotion(box.sides);
    this.orbit = this.fitting;
    this.gaze = gazeOf(this.orbit, stage.view, stage.gaps);
  }

  /** The orbit that shows the whole world; cached, because finding it takes a search. */
  private get worldOrbit(): Orbit {
    const { view, gaps } = this.stage;
    const key = JSON.stringify([view, gaps]);
    if (this.world?.key !== key)
      this.world = {
        key,
        orbit: fittedOrbit(
          this.box,
          view,
          gaps,
          this.setting === "air" ? TO_SUN : FROM_SOUTH,
          TILTS[this.setting],
          -0.12,
        ),
      };
    return this.world.orbit;
  }

  /** The orbit that shows the whole world, or the part that the flock occupies. */
  private get fitting(): Orbit {
    const { view, gaps, frame } = this.stage;
    const world = this.worldOrbit;
    const { turn, tilt } = world;
    if (!frame?.space || frame.count === 0) return world;
    const spread = spreadOf(frame, frame.space);
    const near = fittedOrbit(
      { low: minus(spread.middle, times(spread.sides, 0.5)), sides: spread.sides },
      view,
      gaps,
      turn,
      tilt,
      AIR,
    );
    return near.distance < world.distance ? near : world;
  }

  get scale(): number {
    return this.gaze.focal / Math.max(1e-3, project(this.gaze, this.toolPlace).far);
  }

  /** Tools act at the depth of the flock. */
  private get toolPlace(): Vec {
    const { frame } = this.stage;
    if (!frame?.space || frame.count === 0) return this.orbit.target;
    const { x, y, z } = middleOf(frame, frame.space);
    return project(this.gaze, [x, y, z]).far > 0 ? [x, y, z] : this.orbit.target;
  }

  fit(): void {
    this.following = this.riding = false;
    this.whole = true;
    const home = this.fitting;
    this.goal = { ...home, turn: nearestTurn(home.turn, this.orbit.turn) };
    this.stage.wake(2);
  }

  showWhole(): void {
    this.whole = true;
    this.goal = this.drift = null;
    this.flock.forget();
    this.orbit = this.fitting;
    this.look();
  }

  private look(): void {
    this.gaze = gazeOf(this.overGround(this.orbit), this.stage.view, this.stage.gaps);
  }

  /** Keep the eye above the ground; it may look up from below the target as far as the ground allows. */
  private overGround(orbit: Orbit): Orbit {
    if (this.setting === "nowhere") return orbit;
    const room = orbit.target[2] - this.box.low[2] - 0.02 * this.box.sides[2];
    return { ...orbit, tilt: Math.max(orbit.tilt, Math.asin(Math.max(-1, Math.min(1, -room / orbit.distance)))) };
  }

  /** Dragging rotates the world; with `sliding` it moves it. */
  pan(dx: number, dy: number, sliding = false): void {
    const by = (orbit: Orbit) =>
      sliding ? slid(orbit, this.gaze, dx, dy) : turned(orbit, -dx * TURN_PX, dy * TURN_PX);
    this.riding = false;
    if (sliding) this.following = this.whole = false;
    if (this.goal) this.goal = by(this.goal);
    this.orbit = by(this.orbit);
    this.stage.wake();
  }

  nudge(dx: number, dy: number): void {
    this.riding = false;
    this.goal = turned(this.goal ?? this.orbit, -dx * 0.5 * TURN_PX, dy * 0.5 * TURN_PX);
    this.stage.wake(1);
  }

  goTo({ x, y, z }: Point): void {
    this.following = this.riding = this.whole = false;
    const target: Vec = [x, y, z ?? this.orbit.target[2]];
    this.goal = { ...this.orbit, target, distance: Math.min(this.orbit.distance, 0.5 * this.worldDistance) };
    this.stage.wake(1.5);
  }

  private get worldDistance(): number {
    return fittedOrbit(this.box, this.stage.view, this.stage.gaps, this.orbit.turn, this.orbit.tilt, 0).distance;
  }

  zoom(at: Point, factor: number): void {
    this.whole = this.riding = false;
    const far = this.worldDistance;
    const middle = this.gaze.centre;
    this.goal = zoomedTo(this.goal ?? this.orbit, this.gaze, this.following ? middle : at, factor, [
      far / 200,
      far * 4,
    ]);
    this.stage.wake(1);
  }

  follow(): void {
    this.following = true;
    this.whole = this.riding = false;
    this.goal = { ...this.orbit, distance: Math.min(this.orbit.distance, 0.16 * this.worldDistance) };
    this.stage.wake(1.5);
  }

  /** Start or stop flying behind the selected animal. */
  ride(): void {
    this.riding = !this.riding;
    this.following = true;
    this.whole = false;
    this.stage.wake(1.5);
  }

  goThroughMap(screen: Point): boolean {
    if (!this.stage.hasMap) return false;
    const place = throughMaps(mapsOf(this.stage.view, this.stage.gaps, this.box), screen, this.box, this.orbit.target);
    if (!place) return false;
    this.following = this.riding = this.whole = false;
    this.goal = { ...this.orbit, target: place };
    this.stage.wake(1);
    return true;
  }

  at(screen: Point): Point {
    const [x, y, z] = meets(this.gaze, screen, this.toolPlace);
    return { x, y, z };
  }

  /** The agent nearest to the pointer, within reach; of two at the same distance, the one in front. */
  agentNear(screen: Point, reach: number): Point | null {
    const { frame } = this.stage;
    if (!frame?.space) return null;
    let best: Point | null = null;
    let least = reach;
    let front = Infinity;
    for (let k = 0; k < frame.count; k++) {
      const place = placeOf(frame, frame.space, k);
      const p = project(this.gaze, [place.x, place.y, place.z]);
      if (p.far <= 0) continue;
      const d = Math.hypot(p.x - screen.x, p.y - screen.y);
      if (d > reach || d > least + 4 || (d > least - 4 && p.far > front)) continue;
      [best, least, front] = [place, Math.min(least, d), p.far];
    }
    return best;
  }

  /** Fly along with the flock and ease what is left, or towards the whole world where the flock fills it. */
  private driftOn(seconds: number): void {
    this.sinceLook += seconds;
    if (!this.drift || this.sinceLook > LOOK_SECONDS) [this.drift, this.sinceLook] = [this.fitting, 0];
    const carried =
      this.drift === this.worldOrbit ? this.orbit.target : add(this.orbit.target, times(this.flock.velocity, seconds));
    const { target, distance } = this.drift;
    const off = Math.hypot(...minus(target, carried)) / (VIEW_ANGLE * distance); // of the window
    this.orbit = easedOrbit(
      { ...this.orbit, target: carried },
      { ...this.orbit, target, distance },
      seconds,
      DRIFT_SECONDS / (1 + 40 * off * off), // near the edge of the picture it hurries
    );
  }

  move(seconds: number, place: Point | null, moment: Moment | null, index: number): void {
    if (moment) this.flock.note(moment, seconds);
    if (this.goal) {
      this.orbit = easedOrbit(this.orbit, this.goal, seconds);
      if (apart(this.orbit, this.goal) < 1e-3) this.goal = null;
      else this.stage.wake();
    } else if (this.whole && this.drifts && moment?.to.frame.space && seconds > 0) {
      this.driftOn(seconds);
    }
    const on: Vec | null = place?.z === undefined ? null : [place.x, place.y, place.z];
    if (this.following && on) {
      const goal = { ...this.orbit, target: on };
      // When the animal wraps around the world, jump: flying across the whole world would only confuse.
      const jumped =
        Math.hypot(...minus(on, this.orbit.target)) > 0.4 * Math.min(...this.box.sides) && this.goal === null;
      this.orbit = jumped ? goal : { ...easedOrbit(this.orbit, goal, seconds), distance: this.orbit.distance };
      if (this.goal) this.goal = { ...this.goal, target: on };
    }
    if (this.riding && on && moment && index >= 0) this.flyAlong(on, moment, index, seconds);
    else this.look();
  }

  /** Behind the animal and slightly above it, looking in its direction of flight, with part of its roll. */
  private flyAlong(on: Vec, moment: Moment, index: number, seconds: number): void {
    const { frame } = moment.to;
    if (!frame.space || index >= frame.count) return;
    const ahead = aheadAt(moment, index);
    const length = bodyHalf(this.box, this.shape, 1, frame.count);
    const eye = add(on, add(times(ahead, -13 * length), [0, 0, 3.4 * length]));
    const still = gazeOf(this.orbit, this.stage.view, this.stage.gaps);
    const wanted = { ...gazeAlong(eye, ahead, still, 0.35 * rollOf(frame.space, index)), clear: 7 * length };
    const jumped = Math.hypot(...minus(eye, this.gaze.eye)) > 0.4 * Math.min(...this.box.sides);
    this.gaze = jumped ? wanted : easedGaze(this.gaze, wanted, seconds, RIDE_SECONDS);
    this.stage.wake();
  }
}

/** The angle equivalent to `turn` that is nearest to another angle. */
function nearestTurn(turn: number, to: number): number {
  return turn + 2 * Math.PI * Math.round((to - turn) / (2 * Math.PI));
}
