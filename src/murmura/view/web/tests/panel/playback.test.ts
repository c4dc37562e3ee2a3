import { expect, it } from "vitest";
import { placeOf } from "../../src/panel/playback";

it("shows the position in the run", () => {
  expect(placeOf(1200, 60_000)).toBe("1,200 / 60,000");
});
