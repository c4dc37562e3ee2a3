import { expect, test } from "vitest";
import { sceneTitle } from "../../src/text/scene_title";

test("a title begins with a name for people; the rest says what to watch", () => {
  expect(sceneTitle("roosts", "Two roosts at dusk: starlings in a sky. Watch the flock pour.")).toEqual({
    heading: "Two roosts at dusk",
    sentence: "Starlings in a sky. Watch the flock pour.",
  });
  expect(sceneTitle("fish-bowl", "Fish in a round bowl. The fish preset, round. Watch it turn.")).toEqual({
    heading: "Fish in a round bowl",
    sentence: "The fish preset, round. Watch it turn.",
  });
});

test("without such a beginning the scenario's own name is the heading", () => {
  const sentence = "Starlings over two roosts, at dusk, in a sky without edges. Watch the flock.";
  expect(sceneTitle("my-roosts", sentence)).toEqual({ heading: "My roosts", sentence });
  expect(sceneTitle("mine", "")).toEqual({ heading: "Mine", sentence: "" });
  expect(sceneTitle("mine", "Short.")).toEqual({ heading: "Short", sentence: "" });
});
