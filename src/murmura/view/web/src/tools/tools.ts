/** Applies the selected tool to gestures on the canvas: attract, repel, scare, build, erase. */

import type { Gestures } from "./input";
import type { ClientMessage, Pair, Placeable, Point, PointerMode } from "../net/protocol";
import type { Places } from "./placement";
import type { Settings } from "../panel/settings";
import type { Stage } from "../render/stage";
import { nearestCopy } from "../render/tiles";
import { atDepthOf, pickObject, onFloor } from "./picking";

const SEND_MS = 1000 / 28; // the server accepts at most 30 positions per second
const MOST_CORNERS = 60;
const CORNER_PX = 12;
const STARTLE_MS = 700;

export class ToolController implements Gestures {
  private mode: PointerMode = "none";
  private moving: Point | null = null; // where an object was picked up
  private begun: Point | null = null; // where a shape began
  private lastSent = 0;
  private pending = 0;

  constructor(
    private readonly stage: Stage,
    private readonly settings: Settings,
    private readonly send: (message: ClientMessage) => void,
    private readonly places: Places,
    private readonly follow: () => void,
  ) {}

  /** Tools that draw a shape by dragging; the others act at a point. */
  private get builds(): boolean {
    return this.settings.looks.tool === "circle" || this.settings.looks.tool === "wall";
  }

  /** The kind of object that the selected tool places, if any. */
  private get puts(): Placeable | null {
    const { tool } = this.settings.looks;
    if (tool === "repulsor") return "attractor";
    return tool === "hand" || tool === "scare" ? null : tool;
  }

  press(at: Point, second: boolean): void {
    if (this.stage.goThroughMap(at)) return;
    const place = this.pointed(at);
    const held = this.puts && pickObject(this.stage, this.puts, at);
    if (this.puts && second) {
      this.places.remove(this.puts, held ?? place);
    } else if (held) {
      this.moving = held;
      this.draft(held);
    } else if (this.builds) {
      this.begun = place;
      this.draft(place);
    } else if (this.placesAtOnce) {
      this.put(place);
    } else {
      this.mode = this.settings.looks.tool === "scare" ? "scare" : second ? "repel" : "attract";
      this.push(at);
    }
  }

  /** Where the tool acts. In a 3-D world, walls stand on the floor. */
  private pointed(at: Point): Point {
    return this.settings.looks.tool === "wall" ? onFloor(this.stage, at) : this.stage.at(at);
  }

  private draft({ x, y, z }: Point): void {
    this.stage.draft = [[x, y]];
    this.stage.draftHeight = z ?? 0;
  }

  drag(at: Point): void {
    const { draft } = this.stage;
    if (draft && this.moving)
      draft[1] = [atDepthOf(this.stage, at, this.moving).x, atDepthOf(this.stage, at, this.moving).y];
    else if (draft) this.extend(draft, at);
    else if (this.mode !== "none") this.push(at);
    this.stage.wake();
  }

  release(at: Point): void {
    const { draft } = this.stage;
    this.stage.draft = null;
    if (draft && this.moving) this.move(this.moving, this.within(atDepthOf(this.stage, at, this.moving)));
    else if (draft) this.build(draft, at);
    this.moving = this.begun = null;
    if (this.mode === "none") return;
    this.mode = "none";
    this.stage.hand = null;
    clearTimeout(this.pending);
    this.send({ type: "pointer", ...this.stage.at(at), mode: "none" });
    this.stage.wake();
  }

  click(at: Point, second: boolean): void {
    if (this.stage.goThroughMap(at)) return;
    const place = this.stage.at(at);
    const { tool } = this.settings.looks;
    if (this.puts && second) this.places.remove(this.puts, pickObject(this.stage, this.puts, at) ?? place);
    else if (tool === "circle") this.placeCircle(place, 0);
    else if (this.placesAtOnce) this.put(place);
    else if (tool === "scare") this.startle(at);
    if (second || tool !== "hand") return;
    const agent = this.stage.agentNear(at);
    this.send(agent ? { type: "pick", ...agent } : { type: "select", id: null });
  }

  /** Tools that place an object where they are pressed. */
  private get placesAtOnce(): boolean {
    return ["predator", "food", "attractor", "repulsor"].includes(this.settings.looks.tool);
  }

  private put(at: Point): void {
    const { tool, hunter } = this.settings.looks;
    const place = this.within(at);
    if (tool === "attractor" || tool === "repulsor") this.places.attract(tool, place);
    else this.places.put(tool === "food" ? "food" : "predator", place, hunter);
  }

  private move(from: Point, to: Point): void {
    const kind = this.puts;
    if (kind)
      this.send({ type: "move", kind, ...from, to_x: to.x, to_y: to.y, ...(to.z === undefined ? {} : { to_z: to.z }) });
  }

  /** A click with the tool that scares: a fright of a moment. */
  private startle(at: Point): void {
    this.press(at, false);
    setTimeout(() => {
      if (this.mode === "scare") this.release(at);
    }, STARTLE_MS);
  }

  doubleClick(at: Point): void {
    if (this.puts || this.settings.looks.tool === "scare") return; // a double click has already placed two objects
    this.send({ type: "pick", ...((this.stage.deep ? this.stage.agentNear(at, 60) : null) ?? this.stage.at(at)) });
    this.follow();
  }

  pan(dx: number, dy: number, sliding: boolean): void {
    this.stage.pan(dx, dy, sliding);
  }

  zoom(at: Point, factor: number): void {
    this.stage.zoom(at, factor);
  }

  /** Send the pointer's position, no more often than the server accepts; the last position is always sent. */
  private push(at: Point): void {
    const place = this.stage.at(at);
    this.stage.hand = { ...place, mode: this.mode };
    this.stage.wake();
    clearTimeout(this.pending);
    const wait = this.lastSent + SEND_MS - performance.now();
    if (wait > 0) {
      this.pending = window.setTimeout(() => {
        this.push(at);
      }, wait);
      return;
    }
    this.lastSent = performance.now();
    this.send({ type: "pointer", ...place, mode: this.mode });
  }

  private extend(draft: Pair[], at: Point): void {
    const { x, y } = this.beside(this.pointed(at), draft[0]);
    if (this.settings.looks.tool === "circle") {
      // In space the pointer may also move vertically: the radius is its distance in any direction.
      draft[1] = this.stage.deep ? [draft[0][0] + this.radius(at), draft[0][1]] : [x, y];
      return;
    }
    const [lx, ly] = draft[draft.length - 1];
    const far = Math.hypot(x - lx, y - ly) * this.stage.scale >= CORNER_PX;
    if (far && draft.length < MOST_CORNERS) draft.push([x, y]);
  }

  private build(draft: Pair[], at: Point): void {
    const end = this.beside(this.pointed(at), draft[0]);
    if (this.settings.looks.tool === "circle") {
      this.placeCircle(this.begun ?? end, this.radius(at));
      return;
    }
    const [lx, ly] = draft[draft.length - 1];
    if (Math.hypot(end.x - lx, end.y - ly) * this.stage.scale > 2) draft.push([end.x, end.y]);
    if (draft.length > 1) this.send({ type: "place", kind: "wall", points: draft.map((p) => this.inside(p)) });
  }

  /** In a wrapping world: in the copy where a shape began. */
  private beside(place: Point, [x, y]: Pair): Point {
    return nearestCopy(place, { x, y }, this.stage.wrap);
  }

  /** Distance of the pointer from the beginning of a shape [u]. */
  private radius(at: Point): number {
    const found = this.stage.at(at);
    const { x, y, z } = this.begun ?? found;
    const end = nearestCopy(found, { x, y }, this.stage.wrap);
    return Math.hypot(end.x - x, end.y - y, (end.z ?? 0) - (z ?? 0));
  }

  private placeCircle(place: Point, radius: number): void {
    const usual = 0.04 * Math.min(this.stage.world.width, this.stage.world.height);
    this.send({ type: "place", kind: "circle", ...this.within(place), radius: radius < usual / 4 ? usual : radius });
  }

  private within({ x, y, z }: Point): Point {
    const [inX, inY] = this.inside([x, y]);
    if (z === undefined || !this.stage.deep) return { x: inX, y: inY };
    const { low, sides } = this.stage.deep.box;
    return { x: inX, y: inY, z: Math.min(low[2] + sides[2], Math.max(low[2], z)) };
  }

  private inside([x, y]: Pair): Pair {
    const { width, height } = this.stage.world;
    return [Math.min(width, Math.max(0, x)), Math.min(height, Math.max(0, y))];
  }
}
