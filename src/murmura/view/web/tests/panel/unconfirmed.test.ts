import { expect, it, vi } from "vitest";
import { contains, Unconfirmed } from "../../src/lists/unconfirmed";

it("a state contains what was sent if only omitted fields were added", () => {
  expect(contains([{ x: 1, y: 2, kind: "hawk" }], [{ x: 1, kind: "hawk" }])).toBe(true);
  expect(contains([{ x: 1, y: 2 }], [{ x: 1, y: 3 }])).toBe(false);
  expect(contains([{ x: 1 }, { x: 2 }], [{ x: 1 }])).toBe(false);
  expect(contains([{ towards: { hare: "chase" } }], [{ towards: { hare: "chase" } }])).toBe(true);
});

it("an answer to an earlier change is older than what was sent since", () => {
  const list = new Unconfirmed();
  expect(list.isNewerThan([])).toBe(false);
  list.note([{ x: 5, y: 1 }]);
  list.note([{ x: 5, y: 7 }]);
  expect(list.isNewerThan([{ x: 5, y: 1, radius: 3 }])).toBe(true);
  expect(list.isNewerThan([{ x: 5, y: 7, radius: 3 }])).toBe(false);
  expect(list.isNewerThan([{ x: 0, y: 0, radius: 3 }])).toBe(false); // somebody else changed it
});

it("after a refusal, or long without an answer, the server's state counts", () => {
  const list = new Unconfirmed();
  list.note([1]);
  list.clear();
  expect(list.isNewerThan([])).toBe(false);
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  list.note([1]);
  expect(list.isNewerThan([])).toBe(true);
  clock.mockReturnValue(6000);
  expect(list.isNewerThan([])).toBe(false);
  clock.mockRestore();
});
