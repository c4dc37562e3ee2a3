import { expect, it } from "vitest";
import { Hold } from "../../src/net/hold";

it("shows the first of each kind, then nothing until it ends with the newest of each", () => {
  const told: string[] = [];
  const hold = new Hold<string>((message) => told.push(message));
  hold.start();
  for (const message of ["frame 1", "frame 2", "status 1", "frame 3", "status 2"])
    hold.offer(message.split(" ")[0], message);
  expect(told).toEqual(["frame 1", "status 1"]);
  hold.begin(); // another flock
  hold.offer("frame", "frame 4");
  hold.offer("frame", "frame 5");
  expect(told.slice(2)).toEqual(["frame 4"]);
  hold.end();
  expect(told.slice(3)).toEqual(["frame 5"]);
  hold.offer("frame", "frame 6");
  expect(told.at(-1)).toBe("frame 6");
});
