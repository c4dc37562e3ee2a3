import { describe, expect, it } from "vitest";

import type { Hello, Inspection, ServerMessage, Status } from "../../src/net/protocol";
import {
  hasLives,
  isAtItsStart,
  INITIAL,
  isRunning,
  reduce,
  scenarioOf,
  speedOf,
  type Intent,
  type State,
} from "../../src/store/state";

const HELLO = {
  type: "hello",
  running: true,
  speed: 1,
  seed: 7,
  species: [{ name: "one", color: "#111111" }],
  scenario: {
    name: "classic",
    species: [{ name: "one", color: "#222222" }],
    rules: { cohesion: { weight: 1, on: true } },
  },
} as unknown as Hello;
const STATUS = { type: "status", running: true, speed: 1, step: 3 } as unknown as Status;
const AGENT = { type: "inspect", id: 4 } as unknown as Inspection;

const after = (...events: (ServerMessage | Intent)[]): State => events.reduce(reduce, INITIAL);
const sent = (message: Extract<Intent, { type: "sent" }>["message"]): Intent => ({ type: "sent", message });

describe("the state of the page", () => {
  it("begins a flock with every hello, in the scenario's colours", () => {
    const state = after(HELLO, STATUS, HELLO);
    expect([state.flock, state.status]).toEqual([2, null]);
    expect(state.hello?.species[0].color).toBe("#222222");
    expect([isRunning(state), speedOf(state)]).toEqual([true, 1]);
  });

  it("stands still while this page is held, whatever the server does", () => {
    const held = after(HELLO, STATUS, { type: "hold", on: true });
    expect([isRunning(held), isRunning(reduce(held, { type: "hold", on: false }))]).toEqual([false, true]);
  });

  it("knows a recorded run that waits at its start", () => {
    const line = { first: 5, last: 90, at: 5, live: false, waiting: false };
    const waits = after({ ...HELLO, running: false, playback: line } as Hello);
    expect(isAtItsStart(waits)).toBe(true);
    expect(isAtItsStart(reduce(waits, sent({ type: "play" })))).toBe(false);
    const paused = { ...STATUS, running: false, playback: { ...line, at: 6 } } as Status;
    expect(isAtItsStart(reduce(waits, paused))).toBe(false);
    expect(isAtItsStart(after({ ...HELLO, running: false }))).toBe(false);
  });

  it("changes single values, and keeps what they do not touch", () => {
    const before = after(HELLO);
    const state = reduce(before, { type: "values", values: { "rules.cohesion.weight": 0.25, title: "Mine" } });
    expect(scenarioOf(state)).toMatchObject({ title: "Mine", rules: { cohesion: { weight: 0.25, on: true } } });
    expect(scenarioOf(before)).toMatchObject({ rules: { cohesion: { weight: 1 } } });
    expect(scenarioOf(state)?.species).toBe(scenarioOf(before)?.species);
    const painted = reduce(state, { type: "values", values: { species: [{ name: "one", color: "#333333" }] } });
    expect(painted.hello?.species[0].color).toBe("#333333");
    expect(scenarioOf(reduce(painted, { type: "scenario", scenario: { name: "other" } }))).toEqual({ name: "other" });
  });

  it("keeps the rules that others need until it hears of others", () => {
    const on = after(HELLO, { type: "values", values: {}, switched_on: ["energy is on"] });
    expect(reduce(on, { type: "values", values: { agents: 5 } }).switchedOn).toEqual(["energy is on"]);
    expect(reduce(on, { type: "values", values: {}, switched_on: [] }).switchedOn).toEqual([]);
    const idle = { fear: "with hunters" };
    const quiet = after(HELLO, { type: "values", values: {}, idle }, { type: "values", values: { agents: 5 } });
    expect(quiet.hello?.idle).toEqual(idle);
  });

  it("ignores values that arrive before any hello", () => {
    expect(after({ type: "values", values: { agents: 3 } }, { type: "scenario", scenario: {} })).toEqual(INITIAL);
  });

  it("assumes what the user asked for until the server says how it is", () => {
    const asked = after(HELLO, STATUS, sent({ type: "pause" }), sent({ type: "speed", value: 4 }));
    expect([isRunning(asked), speedOf(asked)]).toEqual([false, 4]);
    expect(isRunning(reduce(asked, sent({ type: "play" })))).toBe(true);
    expect(isRunning(reduce(asked, sent({ type: "step", count: 1 })))).toBe(false);
    const told = reduce(asked, { ...STATUS, running: false, speed: 2 });
    expect([isRunning(told), speedOf(told), told.pending]).toEqual([false, 2, {}]);
  });

  it("follows the next selected animal once", () => {
    const state = after(HELLO, { type: "follow next" }, { type: "inspect", id: null }, AGENT, { ...AGENT });
    expect([state.follows, state.followNext, state.selection?.id]).toEqual([1, false, 4]);
    expect(after(HELLO, AGENT).follows).toBe(0);
    const released = after(HELLO, AGENT, { type: "follow next" }, { type: "release" });
    const nobody: ServerMessage = { type: "inspect", id: null };
    expect(after(HELLO, AGENT, { type: "release" }, AGENT).selection, "what was on its way is old").toBeNull();
    expect(after(HELLO, AGENT, { type: "release" }, nobody, AGENT).selection).toEqual(AGENT);
    const again: Intent = { type: "sent", message: { type: "select", id: 3 } };
    expect(after(HELLO, AGENT, { type: "release" }, again, AGENT).selection).toEqual(AGENT);
    expect([released.selection, released.followNext]).toEqual([null, false]);
  });

  it("makes a new refusal of every error, also of the same again", () => {
    const error: ServerMessage = { type: "error", message: "no" };
    const once = after(HELLO, error);
    expect(reduce(once, error).refusal).not.toBe(once.refusal);
    expect(once.refusal).toEqual({ message: "no" });
  });

  it("knows whether single animals have details", () => {
    const values = { "rules.mating.enabled": true };
    expect([after(HELLO), after(HELLO, { type: "values", values })].map(hasLives)).toEqual([false, true]);
  });
});
