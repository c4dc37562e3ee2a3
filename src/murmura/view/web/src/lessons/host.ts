/** What lessons may do to the page: send messages, open a chart, show what an animal sees. */

import type { Charts } from "../charts/charts";
import { valueAt } from "../panel/controls/schema";
import type { Context } from "../parts";
import { scenarioOf } from "../store/state";
import { dialOf } from "./dial";
import type { LessonCallbacks } from "./lessons";

export function lessonHost({ settings, store, send }: Context, charts: Charts): LessonCallbacks {
  let chartsBefore: boolean | null = null; // whether charts were open before a lesson
  return {
    send,
    chart: (measure) => {
      chartsBefore ??= settings.looks.charts;
      charts.feature(measure);
      settings.set({ charts: true });
    },
    show: (names) => {
      const none = { vision: false, neighbors: false, density: false };
      settings.set({ ...none, ...Object.fromEntries(names.map((name) => [name, true])) });
    },
    hello: () => store.state.hello,
    dial: (path) => dialOf(store.state.hello, path),
    secondsPerStep: () => Number(valueAt(scenarioOf(store.state) ?? {}, "motion.time_step") ?? 1 / 60),
    closed: () => {
      charts.feature("");
      if (chartsBefore === false) settings.set({ charts: false });
      chartsBefore = null;
    },
  };
}
