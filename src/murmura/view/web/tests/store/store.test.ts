import { describe, expect, it } from "vitest";

import { Store } from "../../src/store/store";

interface Counts {
  a: number;
  b: { n: number };
}
type Add = "a" | "b" | "nothing";

const add = (state: Counts, event: Add): Counts => {
  if (event === "a") return { ...state, a: state.a + 1 };
  return event === "b" ? { ...state, b: { n: state.b.n + 1 } } : state;
};

describe("the store", () => {
  it("tells a watcher when its part is another, and no one else", () => {
    const store = new Store<Counts, Add>({ a: 0, b: { n: 0 } }, add);
    const told: unknown[] = [];
    store.watch(
      (state) => state.a,
      (a) => told.push(a),
    );
    store.watch(
      (state) => state.b,
      (b) => told.push(b.n * 10),
    );
    for (const event of ["a", "nothing", "b", "a", "nothing"] as const) store.dispatch(event);
    expect(told).toEqual([1, 10, 2]);
  });

  it("lets an event of a watcher wait until all were told of the first", () => {
    const store = new Store<Counts, Add>({ a: 0, b: { n: 0 } }, add);
    const told: string[] = [];
    store.watch(
      (state) => state.a,
      (a) => {
        told.push(`first ${a}`);
        if (a < 3) store.dispatch("a");
      },
    );
    store.watch(
      (state) => state.a,
      (a) => told.push(`second ${a}`),
    );
    store.dispatch("a");
    expect(told).toEqual(["first 1", "second 1", "first 2", "second 2", "first 3", "second 3"]);
  });

  it("goes on after a watcher that failed", () => {
    const store = new Store<Counts, Add>({ a: 0, b: { n: 0 } }, add);
    let fails = true;
    store.watch(
      (state) => state.a,
      () => {
        if (fails) throw new Error("by accident");
      },
    );
    expect(() => {
      store.dispatch("a");
    }).toThrow("by accident");
    fails = false;
    store.dispatch("a");
    expect(store.state.a).toBe(2);
  });
});
