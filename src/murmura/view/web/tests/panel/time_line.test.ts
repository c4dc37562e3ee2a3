import { expect, it } from "vitest";
import { agoInWords } from "../../src/panel/time_line";

it("says how long ago it was", () => {
  expect([0, 0.1, 12.34, 59.96, 60, 125].map(agoInWords)).toEqual([
    "now",
    "0.1 s ago",
    "12.3 s ago",
    "60.0 s ago",
    "1:00 min ago",
    "2:05 min ago",
  ]);
});
