/** What a hand on the canvas does with the chosen tool: pull, push, scare, build, erase. */

import type { Gestures } from "./input";
import type { ClientMessage, Pair, Placeable, Point, PointerMode } from "../net/protocol";
import type { Places } from "./placement";
import type { Settings } from "../panel/settings";
import type { Stage } from "../render/stage";
import { thingNear } from "../overlay/world_objects";

const SEND_MS = 1000 / 28; // the server takes at most 30 places a second
const MOST_CORNERS = 60;
const CORNER_PX = 12;
const GRAB_PX = 12; // so near a thing is taken hold of

export class Hands implements Gestures {
  private mode: PointerMode = "none";
  private moving: Point | null = null; // where a thing was taken hold of
  private lastSent = 0;
  private pending = 0;

  constructor(
    private readonly stage: Stage,
    private readonly settings: Settings,
    private readonly send: (message: ClientMessage) => void,
    private readonly places: Places,
    private readonly follow: () => void,
  ) {}

  /** Tools that draw a shape with a drag; the others act at a place. */
  private get builds(): boolean {
    return this.settings.looks.tool === "circle" || this.settings.looks.tool === "wall";
  }

  /** What the chosen tool puts into the world, if it does. */
  private get puts(): Placeable | null {
    const { tool } = this.settings.looks;
    if (tool === "repulsor") return "attractor";
    return tool === "hand" ? null : tool === "scare" ? "predator" : tool;
  }

  press(at: Point, second: boolean): void {
    if (this.stage.goThroughMap(at)) return;
    const place = this.stage.at(at);
    if (this.puts && second) {
      this.places.remove(this.puts, place);
    } else if (this.puts && thingNear(this.stage.things, this.puts, place, GRAB_PX / this.stage.camera.zoom)) {
      this.moving = place;
      this.stage.draft = [[place.x, place.y]];
    } else if (this.builds) {
      this.stage.draft = [[place.x, place.y]];
    } else if (this.placesAtOnce) {
      this.put(place);
    } else {
      this.mode = this.settings.looks.tool === "scare" ? "scare" : second ? "repel" : "attract";
      this.push(at);
    }
  }

  drag(at: Point): void {
    const { draft } = this.stage;
    if (draft && this.moving) draft[1] = [this.stage.at(at).x, this.stage.at(at).y];
    else if (draft) this.extend(draft, at);
    else if (this.mode !== "none") this.push(at);
    this.stage.wake();
  }

  release(at: Point): void {
    const { draft } = this.stage;
    this.stage.draft = null;
    if (draft && this.moving) this.move(this.moving, this.within(this.stage.at(at)));
    else if (draft) this.build(draft, at);
    this.moving = null;
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
    if (this.puts && second) this.places.remove(this.puts, place);
    else if (tool === "circle") this.placeCircle(place, 0);
    else if (this.placesAtOnce || tool === "scare") this.put(place);
    if (second || tool !== "hand") return;
    const agent = this.stage.agentNear(at);
    this.send(agent ? { type: "pick", ...agent } : { type: "select", id: null });
  }

  /** Tools that leave something where they are pressed. */
  private get placesAtOnce(): boolean {
    return ["food", "attractor", "repulsor"].includes(this.settings.looks.tool);
  }

  private put(at: Point): void {
    const { tool, hunter } = this.settings.looks;
    const place = this.within(at);
    if (tool === "attractor" || tool === "repulsor") this.places.attract(tool, place);
    else this.places.put(tool === "food" ? "food" : "predator", place, hunter);
  }

  private move(from: Point, to: Point): void {
    const kind = this.puts;
    if (kind) this.send({ type: "move", kind, ...from, to_x: to.x, to_y: to.y });
  }

  doubleClick(at: Point): void {
    if (this.puts) return; // two clicks have placed two things
    this.send({ type: "pick", ...this.stage.at(at) });
    this.follow();
  }

  pan(dx: number, dy: number): void {
    this.stage.pan(dx, dy);
  }

  zoom(at: Point, factor: number): void {
    this.stage.zoom(at, factor);
  }

  /** Where the hand is now; never more often than the server takes it, and the last place always arrives. */
  private push(at: Point): void {
    const place = this.stage.at(at);
    this.stage.hand = { ...place, mode: this.mode };
    this.stage.wake();
    clearTimeout(this.pending);
    const wait = this.lastSent + SEND_MS - performance.now();
    if (wait > 0) {
      this.pending = window.setTimeout(() => { this.push(at); }, wait);
      return;
    }
    this.lastSent = performance.now();
    this.send({ type: "pointer", ...place, mode: this.mode });
  }

  private extend(draft: Pair[], at: Point): void {
    const { x, y } = this.stage.at(at);
    if (this.settings.looks.tool === "circle") {
      draft[1] = [x, y];
      return;
    }
    const [lx, ly] = draft[draft.length - 1];
    const far = Math.hypot(x - lx, y - ly) * this.stage.camera.zoom >= CORNER_PX;
    if (far && draft.length < MOST_CORNERS) draft.push([x, y]);
  }

  private build(draft: Pair[], at: Point): void {
    const end = this.stage.at(at);
    const [[x, y]] = draft;
    if (this.settings.looks.tool === "circle") {
      this.placeCircle({ x, y }, Math.hypot(end.x - x, end.y - y));
      return;
    }
    const [lx, ly] = draft[draft.length - 1];
    if (Math.hypot(end.x - lx, end.y - ly) * this.stage.camera.zoom > 2) draft.push([end.x, end.y]);
    if (draft.length > 1) this.send({ type: "place", kind: "wall", points: draft.map((p) => this.inside(p)) });
  }

  private placeCircle(place: Point, radius: number): void {
    const usual = 0.04 * Math.min(this.stage.world.width, this.stage.world.height);
    const [x, y] = this.inside([place.x, place.y]);
    this.send({ type: "place", kind: "circle", x, y, radius: radius < usual / 4 ? usual : radius });
  }

  private within({ x, y }: Point): Point {
    const [inX, inY] = this.inside([x, y]);
    return { x: inX, y: inY };
  }

  private inside([x, y]: Pair): Pair {
    const { width, height } = this.stage.world;
    return [Math.min(width, Math.max(0, x)), Math.min(height, Math.max(0, y))];
  }
}
