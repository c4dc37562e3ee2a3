/** What the page knows of the flock, and how messages and the user's intents change it. Pure, and without the DOM.
 *
 * Frames stay outside: they come sixty times a second, and only the stage needs them. */

import type { Body, ClientMessage, FlockEvent, Hello, Inspection, JsonObject, SceneObject } from "../net/protocol";
import type { ServerMessage, Status } from "../net/protocol";
import { withValues } from "../net/values";
import { repainted } from "../overlay/world_objects";
import { valueAt } from "../panel/controls/schema";

export interface State {
  /** The newest hello, with the scenario and the species' colours as they are now. */
  hello: Hello | null;
  /** How many flocks have begun. */
  flock: number;
  /** Rules that are on because others need them, a line for each. */
  switchedOn: string[];
  status: Status | null;
  /** What the user asked for and the server has not answered: a key pressed twice must not act on an old status. */
  pending: Partial<Pick<Status, "running" | "speed">>;
  selection: Inspection | null;
  /** The selection was given up, and the server has not said so: what it says of that animal until then is old. */
  released: boolean;
  /** Follow the next selected animal. */
  followNext: boolean;
  /** How often an animal was selected to be followed. */
  follows: number;
  objects: SceneObject[];
  bodies: Body[];
  events: FlockEvent[]; // the latest
  refusal: { message: string } | null; // the latest
  /** Whether this page shows a standing picture although the flock may fly. */
  held: boolean;
  /** Whether the flock has been painted: building hundreds of controls earlier would delay the first picture. */
  painted: boolean;
}

export type Intent =
  | { type: "sent"; message: ClientMessage }
  | { type: "painted" }
  | { type: "follow next" }
  | { type: "release" }
  | { type: "hold"; on: boolean };

export const INITIAL: State = {
  hello: null,
  flock: 0,
  switchedOn: [],
  status: null,
  pending: {},
  selection: null,
  released: false,
  followNext: false,
  follows: 0,
  objects: [],
  bodies: [],
  events: [],
  refusal: null,
  held: false,
  painted: false,
};

export function reduce(state: State, event: ServerMessage | Intent): State {
  switch (event.type) {
    case "hello":
      return { ...state, hello: painted(event, event.scenario), flock: state.flock + 1, status: null, pending: {} };
    case "scenario":
      return withScenario(state, event, () => event.scenario);
    case "values":
      return withScenario(state, event, (scenario) => withValues(scenario, event.values));
    case "status":
      return { ...state, status: event, pending: {} };
    case "inspect":
      return selected(state, event.id === null ? null : event);
    case "scene":
      return { ...state, objects: event.objects };
    case "bodies":
      return { ...state, bodies: event.agents };
    case "events":
      return { ...state, events: event.events };
    case "error":
      return { ...state, refusal: { message: event.message } };
    case "sent":
      return {
        ...state,
        pending: { ...state.pending, ...expected(event.message) },
        released: state.released && !isSelecting(event.message),
      };
    case "painted":
      return { ...state, painted: true };
    case "hold":
      return { ...state, held: event.on };
    case "follow next":
      return { ...state, followNext: true };
    case "release":
      return { ...state, selection: null, released: state.selection !== null, followNext: false };
  }
}

/** What a change of the scenario did to rules, if that is new. */
type Effects = Partial<Pick<Extract<ServerMessage, { type: "values" }>, "switched_on" | "idle">>;

function withScenario(state: State, effects: Effects, change: (scenario: JsonObject) => JsonObject): State {
  const { hello, switchedOn } = state;
  if (!hello) return state;
  const next = painted(hello, change(hello.scenario));
  const idle = effects.idle ?? hello.idle;
  return { ...state, hello: idle ? { ...next, idle } : next, switchedOn: effects.switched_on ?? switchedOn };
}

function painted(hello: Hello, scenario: JsonObject): Hello {
  return { ...hello, scenario, species: repainted(hello.species, scenario) };
}

function selected(state: State, selection: Inspection | null): State {
  if (!selection) return { ...state, selection, released: false };
  if (state.released) return state;
  if (!state.followNext) return { ...state, selection };
  return { ...state, selection, followNext: false, follows: state.follows + 1 };
}

const isSelecting = (message: ClientMessage): boolean =>
  message.type === "pick" || (message.type === "select" && message.id !== null);

/** What a status will say if the server does what it is asked. */
function expected(message: ClientMessage): State["pending"] {
  if (message.type === "play" || message.type === "pause") return { running: message.type === "play" };
  return message.type === "speed" ? { speed: message.value } : {};
}

export const scenarioOf = (state: State): JsonObject | null => state.hello?.scenario ?? null;

export const isRunning = ({ hello, status, pending, held }: State): boolean | null =>
  held ? false : (pending.running ?? status?.running ?? hello?.running ?? null);

/** Whether a recorded run waits at its first frame. */
export function isAtItsStart(state: State): boolean {
  const line = (state.status ?? state.hello)?.playback;
  return line !== undefined && !line.live && !line.waiting && line.at === line.first && isRunning(state) === false;
}

export const speedOf = ({ hello, status, pending }: State): number =>
  pending.speed ?? status?.speed ?? hello?.speed ?? 1;

/** Whether single animals have details to show in a close-up. */
export const hasLives = (state: State): boolean =>
  ["energy", "mating", "feeding", "genome"].some(
    (rule) => valueAt(scenarioOf(state) ?? {}, `rules.${rule}.enabled`) === true,
  );
