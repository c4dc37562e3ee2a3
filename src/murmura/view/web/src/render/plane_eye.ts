/** The view of a plane: one camera, which moves smoothly towards its goal. */

import { eased, fitted, panned, toWorld, zoomedAt, type Camera } from "./camera";
import type { Eye, Surroundings } from "./eye";
import { mapPlace, needsMap, throughMap } from "./minimap";
import { filling, inWorld, nearestCopy } from "./tiles";
import { agentPosition, nearestAgent, type Point } from "../net/protocol";

export class PlaneEye implements Eye {
  camera: Camera = { x: 800, y: 500, zoom: 1 };
  following = false;
  whole = true;
  private goal: Camera | null = null;

  constructor(private readonly stage: Surroundings) {}

  get scale(): number {
    return this.camera.zoom;
  }

  private get fitting(): Camera {
    const { world, view, gaps, wrap } = this.stage;
    return wrap ? filling(world, view) : fitted(world, view, gaps);
  }

  fit(): void {
    this.following = false;
    this.whole = true;
    const goal = this.fitting;
    this.goal = nearestCopy(goal, this.camera, this.stage.wrap);
    this.stage.wake(1.5);
  }

  showWhole(): void {
    this.whole = true;
    this.goal = null;
    this.camera = this.fitting;
  }

  pan(dx: number, dy: number): void {
    this.following = this.whole = false;
    if (this.goal) this.goal = panned(this.goal, dx, dy); // a pinch zooms and moves at once
    this.camera = panned(this.camera, dx, dy);
    this.stage.wake();
  }

  nudge(dx: number, dy: number): void {
    this.following = this.whole = false;
    this.goal = panned(this.goal ?? this.camera, dx, dy);
    this.stage.wake(1);
  }

  goTo(place: Point): void {
    this.following = this.whole = false;
    const { x, y } = nearestCopy(place, this.camera, this.stage.wrap);
    this.goal = { x, y, zoom: Math.max(this.camera.zoom, 2 * this.fitting.zoom) };
    this.stage.wake(1.5);
  }

  zoom(at: Point, factor: number): void {
    const whole = this.fitting.zoom;
    const { view } = this.stage;
    this.whole = false;
    const middle = { x: view.width / 2, y: view.height / 2 };
    this.goal = zoomedAt(this.goal ?? this.camera, view, this.following ? middle : at, factor, [
      whole / (this.stage.wrap ? 2 : 4),
      whole * 60,
    ]);
    this.stage.wake(1);
  }

  goThroughMap(screen: Point): boolean {
    const { view, world, gaps, hasMap } = this.stage;
    if (!hasMap || !needsMap(this.camera, view, world)) return false;
    const place = throughMap(mapPlace(view, world, gaps), screen);
    if (!place) return false;
    this.following = this.whole = false;
    this.goal = { ...nearestCopy(place, this.camera, this.stage.wrap), zoom: this.camera.zoom };
    this.stage.wake(1);
    return true;
  }

  at(screen: Point): Point {
    const place = toWorld(this.camera, this.stage.view, screen);
    return this.stage.wrap ? inWorld(place, this.stage.wrap) : place;
  }

  agentNear(screen: Point, reach: number): Point | null {
    const { frame } = this.stage;
    if (!frame) return null;
    const k = nearestAgent(frame, this.at(screen), reach / this.camera.zoom);
    return k < 0 ? null : agentPosition(frame, k);
  }

  follow(): void {
    this.following = true;
    this.whole = false;
    const whole = fitted(this.stage.world, this.stage.view).zoom;
    if (this.camera.zoom < whole * 2.5) this.goal = { ...this.camera, zoom: whole * 4 };
    this.stage.wake(1.5);
  }

  move(seconds: number, place: Point | null): void {
    if (this.goal) {
      const next = eased(this.camera, this.goal, seconds);
      this.camera = this.following ? { ...this.camera, zoom: next.zoom } : next;
      const away = Math.hypot(this.camera.x - this.goal.x, this.camera.y - this.goal.y) * this.camera.zoom;
      const left = Math.abs(Math.log(this.camera.zoom / this.goal.zoom)) + (this.following ? 0 : away);
      if (left < 1e-2) {
        this.camera = this.following ? { ...this.camera, zoom: this.goal.zoom } : this.goal;
        this.goal = null;
      } else {
        this.stage.wake();
      }
    }
    if (this.following && place) {
      const { x, y } = nearestCopy(place, this.camera, this.stage.wrap);
      this.camera = { ...eased(this.camera, { x, y, zoom: 1 }, seconds), zoom: this.camera.zoom };
    }
  }
}
