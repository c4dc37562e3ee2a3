import { describe, expect, it } from "vitest";
import { agentHeading, agentPosition, decodeFrame, nearestAgent, parseMessage } from "../../src/net/protocol";
import { makeFrame } from "../frames";

describe("frames", () => {
  it("are read field by field", () => {
    const frame = decodeFrame(
      makeFrame(
        [
          [0, 65535, 64],
          [65535, 0, 0],
        ],
        { wraps: true, roster: 127 },
      ),
    );
    expect(frame).toMatchObject({
      step: 12,
      count: 2,
      total: 8,
      left: -10,
      top: 20,
      width: 1600,
      height: 1000,
      epoch: 3,
      stride: 4,
      extra: "panic",
      wraps: true,
      roster: 127,
      secondsPerStep: 0.5,
      topSpeed: 24,
    });
    expect(agentPosition(frame, 0)).toEqual({ x: -10, y: 1020 });
    expect(agentPosition(frame, 1)).toEqual({ x: 1590, y: 20 });
    expect(agentHeading(frame, 0)).toBeCloseTo(Math.PI / 2, 1);
  });
  it("that are truncated or of another format are refused", () => {
    expect(() => decodeFrame(new ArrayBuffer(10))).toThrow(/48 bytes/);
    expect(() => decodeFrame(new ArrayBuffer(64))).toThrow(/MRM1/);
    expect(() => decodeFrame(makeFrame([[1, 1, 1]]).slice(0, 50))).toThrow(/56 bytes/);
  });
  it("find the nearest agent", () => {
    const frame = decodeFrame(
      makeFrame([
        [0, 0, 0],
        [30000, 30000, 0],
      ]),
    );
    expect(nearestAgent(frame, { x: 0, y: 30 })).toBe(0);
    expect(nearestAgent(frame, { x: 700, y: 500 })).toBe(1);
    expect(nearestAgent(frame, { x: 300, y: 300 }, 50)).toBe(-1);
  });
});

it("messages of unknown types are ignored", () => {
  expect(parseMessage('{"type":"status","step":1}')?.type).toBe("status");
  expect(parseMessage('{"type":"tomorrow"}')).toBeNull();
  expect(parseMessage("3")).toBeNull();
});
