import { expect, it } from "vitest";
import { KINDS, running } from "../../src/share/clip";
import { reachOf } from "../../src/share/share";
import { History } from "../../src/charts/history";

it("warns of a link that only this computer can open", () => {
  for (const own of ["127.0.0.1", "127.0.1.1", "localhost", "[::1]"])
    expect(reachOf(own)).toContain("this computer only");
  for (const other of ["192.168.1.20", "murmura.example"]) expect(reachOf(other)).toBe("");
});

it("prefers MP4, and shows how long a clip is", () => {
  expect(KINDS.findIndex((kind) => kind.includes("webm"))).toBeGreaterThan(
    KINDS.findLastIndex((kind) => kind.includes("mp4")),
  );
  expect([running(0), running(7.9), running(75)]).toEqual(["● 0:00", "● 0:07", "● 1:15"]);
});

it("saves some columns of the measurements", () => {
  const history = new History();
  history.add(1, { order: 0.5, agents: 3 });
  expect(history.csv(["agents"])).toBe("time,agents\n1,3\n");
});
