/** The protocol: the layout of binary frames and the types of text messages. */

import looks from "../../../../looks.json";
import { readSpace, SPACE_AGENT_BYTES, SPACE_HEADER_BYTES, SPACE_MAGIC, aheadOf, type Space } from "./space_frames";

export const HEADER_BYTES = 48;
export const AGENT_BYTES = 8;
const MAGIC = 0x314d524d; // "MRM1", little-endian

type Modes = typeof looks.modes;
/** The columns that byte 7 of an agent may contain. For "stance" it is an index into `Hello.stances`; the others are fractions of their maximum. */
export type ExtraColumn = { [K in keyof Modes]: Modes[K] extends { number: number } ? K : never }[keyof Modes];
/** Indexed by the number in a frame's header. */
export const EXTRA_COLUMNS = Object.entries(looks.modes)
  .flatMap(([name, facts]) => ("number" in facts ? [[facts.number, name] as const] : []))
  .sort(([a], [b]) => a - b)
  .map(([, name]) => name as ExtraColumn);
const USUAL_COLUMNS: readonly ExtraColumn[] = ["density", "panic", "energy"];

/** The flock at one step. `words` has two 32-bit words for each agent and is a view, not a copy. */
export interface Frame {
  step: number;
  count: number;
  total: number;
  left: number;
  top: number;
  width: number;
  height: number;
  epoch: number;
  stride: number;
  extra: ExtraColumn;
  wraps: boolean;
  /** Changes when an agent is born or dies: agent k is then another agent. */
  roster: number;
  secondsPerStep: number;
  topSpeed: number;
  /** Additional data of a 3-D world; null in a plane. */
  space: Space | null;
  words: Uint32Array<ArrayBuffer>;
}

export function decodeFrame(buffer: ArrayBuffer): Frame {
  if (buffer.byteLength < HEADER_BYTES) {
    throw new Error(`a frame has at least ${HEADER_BYTES} bytes, got ${buffer.byteLength}`);
  }
  const view = new DataView(buffer);
  const inSpace = view.getUint32(0, true) === SPACE_MAGIC;
  if (!inSpace && view.getUint32(0, true) !== MAGIC) throw new Error("a frame must start with MRM1 or MRM3");
  const count = view.getUint32(8, true);
  const header = inSpace ? SPACE_HEADER_BYTES : HEADER_BYTES;
  const expected = header + count * (inSpace ? SPACE_AGENT_BYTES : AGENT_BYTES);
  if (buffer.byteLength < expected) {
    throw new Error(`a frame of ${count} agents has ${expected} bytes, got ${buffer.byteLength}`);
  }
  return {
    step: view.getUint32(4, true),
    count,
    total: view.getUint32(12, true),
    left: view.getFloat32(16, true),
    top: view.getFloat32(20, true),
    width: view.getFloat32(24, true),
    height: view.getFloat32(28, true),
    epoch: view.getUint32(32, true),
    stride: view.getUint16(36, true),
    extra: EXTRA_COLUMNS[view.getUint8(38)] ?? "density",
    wraps: (view.getUint8(39) & 1) === 1,
    roster: view.getUint8(39) >> 1,
    secondsPerStep: view.getFloat32(40, true),
    topSpeed: view.getFloat32(44, true),
    space: inSpace ? readSpace(buffer, count) : null,
    words: new Uint32Array(buffer, header, count * 2),
  };
}

export interface Point {
  x: number;
  y: number;
  z?: number; // in a 3-D world
}

/** Position of agent k [u]. */
export function agentPosition(frame: Frame, k: number): Point {
  const word = frame.words[2 * k];
  return {
    x: frame.left + ((word & 0xffff) / 65535) * frame.width,
    y: frame.top + ((word >>> 16) / 65535) * frame.height,
  };
}

/** Heading of agent k [rad], from +x towards +y; in space that of its projection on the ground. */
export function agentHeading(frame: Frame, k: number): number {
  if (frame.space) {
    const [x, y] = aheadOf(frame.words[2 * k + 1]);
    return Math.atan2(y, x);
  }
  return (((frame.words[2 * k + 1] & 0xff) + 0.5) / 256) * 2 * Math.PI;
}

/** The agent nearest to a position, or -1 if none is within `reach` [u]. */
export function nearestAgent(frame: Frame, place: Point, reach = Infinity): number {
  const scaleX = frame.width / 65535;
  const scaleY = frame.height / 65535;
  const x = place.x - frame.left;
  const y = place.y - frame.top;
  let best = -1;
  let least = reach * reach;
  for (let k = 0; k < frame.count; k++) {
    const word = frame.words[2 * k];
    let dx = (word & 0xffff) * scaleX - x;
    let dy = (word >>> 16) * scaleY - y;
    if (frame.wraps) {
      dx -= frame.width * Math.round(dx / frame.width);
      dy -= frame.height * Math.round(dy / frame.height);
    }
    const d2 = dx * dx + dy * dy;
    if (d2 < least) {
      least = d2;
      best = k;
    }
  }
  return best;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = Record<string, Json>;
export type Pair = [number, number];
export type Triple = [number, number, number];
export type Vector = Pair | Triple;

export interface SpeciesInfo {
  name: string;
  color: string;
  /** Predators are drawn larger and with wings. If absent, a species that chases another is a predator. */
  role?: "predator" | "prey";
}

/** The kinds of objects that `place` accepts. */
export type Placeable = "circle" | "wall" | "attractor" | "food" | "predator";

export interface HunterLooks {
  outline: string; // an SVG path from above
  body: "bird" | "fish"; // in space
}

export interface Hello {
  type: "hello";
  /** The name of this flock in a comparison; if absent, that of its scenario. */
  label?: string;
  version: string;
  scenario: JsonObject;
  /** The scenario as it was loaded, without later changes. */
  loaded: JsonObject;
  /** Whether `loaded` is the shipped scenario of its name. */
  shipped?: boolean;
  /** Its slider ranges are made for this scenario. */
  schema: JsonObject;
  /** Rules that are on and cannot act here, with the condition under which they act. */
  idle?: Record<string, string>;
  scenarios: { name: string; title: string; deep?: boolean }[];
  /** Whether this is an exported page: `loaded` is then the preset of that name. */
  bundled?: boolean;
  /** What simulates the flock of an exported page. */
  word?: string;
  seed: number;
  running: boolean;
  speed: number;
  species: SpeciesInfo[];
  /** Columns that `extra` accepts; if absent, density, panic and energy. */
  columns?: ExtraColumn[];
  /** Names of the numbers in the stance column. */
  stances?: string[];
  /** What hunters look like, by kind; without a name: any other. */
  kinds?: Record<string, HunterLooks>;
  /** What `place` accepts; if absent, circle and wall. */
  places?: Placeable[];
  /** This page may watch but change nothing. */
  visitor?: boolean;
  playback?: TimeLine;
  /** The lessons of an exported page. */
  lessons?: Json;
  /** All measurements of a recorded run; times in seconds. */
  history?: { times: number[]; columns: Record<string, (number | null)[]> };
  /** Units and meanings of measures; traits need none. */
  measures?: Record<string, { unit: string; meaning: string }>;
  /** What the predator tool can place: species that hunt, then kinds of hunters; if absent, the kinds of the schema. */
  hunters?: string[];
}

export function columnsOf(hello: Pick<Hello, "columns">): readonly ExtraColumn[] {
  return hello.columns ?? USUAL_COLUMNS;
}

/** The recorded run that is shown, in steps. */
export interface TimeLine {
  name: string;
  first: number;
  last: number;
  frames: number;
  at: number;
  live: boolean; // continued live from one of its frames
  waiting: boolean; // the flock of a frame is being computed
  told: string; // how the live flock was obtained
}

/** How far a live flock can go back, in steps. */
export interface PastLine {
  first: number;
  last: number; // where the user was
  at: number;
  back: boolean; // an earlier step is shown
  left: boolean; // there is another course of events to return to
}

export interface Status {
  type: "status";
  /** Absent unless the flock is recorded. */
  playback?: TimeLine;
  /** Absent unless a live flock can go back in time. */
  past?: PastLine;
  step: number;
  time: number;
  agents: number;
  hash: string | null;
  steps_per_second: number | null;
  /** What simulates the flock of an exported page, and whether it keeps up with time. */
  word?: string;
  running: boolean;
  speed: number;
  measures: Record<string, number | null>;
  /** When `measures` and `population` were measured [s]; null: not yet. */
  measured?: number | null;
  population?: Population;
  /** How often each kind of event has happened since the flock began. */
  totals?: Record<string, number>;
  /** A kernel for new rules is being compiled while the flock runs. */
  compiling?: boolean;
  /** The progress as text while the flock waits for its kernel; otherwise empty. */
  progress?: string;
  /** Births since the start of this run; absent if no agents are born or die. */
  births?: number;
  deaths?: number;
  /** Deaths by cause. */
  causes?: Record<string, number>;
  /** Periods of the population, the newest last: mass_extinction, boom … [s] */
  times?: { kind: string; begin: number; end: number; lasts: boolean }[];
}

/** Counts; those that do not apply to the scenario are absent. */
export interface Population {
  species?: Record<string, number>;
  stances?: Record<string, number>;
  hunters?: number; // members of species that hunt
  prey?: number;
  males?: number;
  females?: number;
  pairs?: number;
  fights?: number;
  feeding?: number;
  /** Mean sight of each species [u], if genes decide. */
  sights?: number[];
}

/** An animal close up; `row` is its index in the frames. Parts are present if bodies have them. */
export interface Body {
  row: number;
  id: number;
  gender: number; // 1: male
  energy: number;
  panic_level: number;
  mating_state: number;
  feeding_state: number;
  health?: number;
  stance?: number;
  gene_size?: number;
  part_eye?: number;
  part_fin?: number;
  part_tail?: number;
  part_spike?: number;
  part_antenna?: number;
  part_glow?: number;
  part_shell?: number;
}

/** An event in the life of an agent, with its position. */
export interface FlockEvent {
  number: number;
  step: number;
  kind: string; // birth, death, capture, meal, mating, fight, arrival
  id: number;
  other: number | null; // the mother, killer, partner, rival or food
  x: number;
  y: number;
  cause: string | null;
  amount: number;
}

/** A mother or father, with their own parents. */
export interface Ancestor {
  id: number;
  role: "mother" | "father";
  alive: boolean;
  fate: string | null; // cause of death
  parents: Ancestor[];
}

export interface Family {
  generation: number;
  born: number; // [s]
  young: number;
  living: number; // how many of these are alive
  children: number[]; // the youngest of the living
  founder: number; // the first of its maternal line
  ancestors: Ancestor[];
}

/**
 * Objects in the world that are not members of the flock. The page knows those of the scenario (obstacles, attractors, threats,
 * wind). The server sends those that live or change as a complete "scene", which replaces the
 * previous one. Unknown kinds and fields are ignored.
 */
export type SceneObject =
  | { kind: "circle"; x: number; y: number; z?: number; radius: number }
  | { kind: "cylinder"; x: number; y: number; radius: number; bottom?: number; top?: number }
  | { kind: "box"; low: Triple; high: Triple; turn?: number } // [deg] about its vertical axis
  | { kind: "plane"; point: Triple; normal: Triple }
  | { kind: "wall" | "polygon"; points: Pair[] }
  | { kind: "attractor"; x: number; y: number; z?: number; radius: number; strength: number } // negative: pushes
  | { kind: "threat"; x: number; y: number; z?: number; radius: number }
  | { kind: "wind"; speed: number; direction: number } // [u/s], [deg] towards, from +x to +y
  | { kind: "food"; x: number; y: number; z?: number; radius: number; amount: number; capacity: number }
  | { kind: "carcass"; x: number; y: number; z?: number; amount: number; capacity: number }
  | { kind: "territory"; x: number; y: number; z?: number; radius: number; species: string }
  | Predator
  | { kind: "sky"; daylight: number; clock?: string }; // 0 midnight .. 1 noon; "06:30"

/** A hunter. `species` sets its shape, `state` its ring; `target` is the id of its prey. */
export interface Predator {
  kind: "predator";
  id: number;
  x: number;
  y: number;
  heading: number; // [rad] from +x towards +y
  species: string;
  state: string; // patrolling, hunting, diving, feeding, resting … in words
  energy: number; // 0..1
  target?: number | null;
  target_x?: number; // where it is
  target_y?: number;
  target_z?: number;
  z?: number; // in a 3-D world
  vx?: number;
  vy?: number;
  vz?: number;
  fright?: number; // current fright radius [u]
  altitude?: number; // 0 in the flock .. 1 high above: the shadow is farther away
}

export interface RuleReport {
  neighbors: number[];
  force: Vector;
}

export interface Inspection {
  type: "inspect";
  id: number;
  position: Vector;
  velocity: Vector;
  neighbors: { id: number; x: number; y: number; z?: number }[];
  rules: Record<string, RuleReport>;
  steering: Vector;
  state: JsonObject;
  target: JsonObject | null;
  perception: { radius: number; field_of_view: number };
  /** Hunters that frighten or pursue it, the nearest first; absent if there are none. */
  hunters?: { id: number; kind: string; state: string; distance: number; frightens: boolean; hunts: boolean }[];
  /** What it is doing: one sentence for each active state machine. */
  doing?: string[];
  stance?: { name: string; reason: string; time: number };
  life?: { age?: number; health?: number; generation?: number };
  /** Genes and body parts by column. */
  genome?: Record<string, number>;
  /** Absent if no agents are born or die. */
  family?: Family;
}

export type ServerMessage =
  | Hello
  | Status
  | { type: "scenario"; scenario: JsonObject; switched_on?: string[]; idle?: Record<string, string> }
  | { type: "values"; values: Record<string, Json>; switched_on?: string[]; idle?: Record<string, string> }
  | Inspection
  | { type: "inspect"; id: null }
  | { type: "scene"; objects: SceneObject[] }
  | { type: "bodies"; agents: Body[] }
  | { type: "events"; events: FlockEvent[] }
  | { type: "error"; message: string; about?: string };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A message of a known type, or null: a newer server may send types this page does not know. */
export function parseMessage(text: string): ServerMessage | null {
  const data: unknown = JSON.parse(text);
  if (!isObject(data)) return null;
  const known = ["hello", "status", "scenario", "values", "inspect", "scene", "events", "bodies", "error"];
  return known.includes(String(data.type)) ? (data as unknown as ServerMessage) : null;
}

export type PointerMode = "attract" | "repel" | "scare" | "none";

export type ClientMessage =
  | { type: "play" | "pause" | "ready" | "next" }
  | { type: "step"; count: number }
  | { type: "seek"; step: number }
  | { type: "branch" | "return" | "present" }
  | { type: "speed"; value: number }
  | { type: "reset"; seed: number | null }
  | { type: "load"; scenario: string | JsonObject; seed?: number }
  | { type: "set"; values: Record<string, Json> }
  | { type: "pointer"; x: number; y: number; z?: number; mode: PointerMode }
  | { type: "select"; id: number | null }
  | { type: "pick"; x: number; y: number; z?: number }
  | { type: "window"; width: number; height: number }
  | {
      type: "look";
      left: number | null;
      top: number | null;
      right: number | null;
      bottom: number | null;
      low?: number | undefined;
      high?: number | undefined;
    }
  | { type: "extra"; column: ExtraColumn }
  | { type: "place"; kind: "circle"; x: number; y: number; z?: number; radius: number; key?: string }
  | { type: "place"; kind: "wall"; points: Pair[]; key?: string }
  | { type: "place"; kind: "attractor"; x: number; y: number; z?: number; strength: number; key?: string }
  | { type: "place"; kind: "food"; x: number; y: number; z?: number; key?: string }
  | { type: "place"; kind: "predator"; x: number; y: number; z?: number; species: string; key?: string }
  | {
      type: "move";
      kind: Placeable;
      x: number;
      y: number;
      z?: number;
      to_x: number;
      to_y: number;
      to_z?: number;
      key?: string;
    }
  | { type: "withdraw"; key: string } // takes back what was placed, erased or moved with this key
  | { type: "erase"; x: number; y: number; z?: number; kind?: Placeable; key?: string };
