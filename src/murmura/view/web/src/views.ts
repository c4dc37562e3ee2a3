/** What the views show of the state: each watches its part of the store. */

import { byId, element } from "./dom";
import {
  columnsOf,
  EXTRA_COLUMNS,
  type ExtraColumn,
  type Hello,
  type ServerMessage,
  type Status,
} from "./net/protocol";
import { valueAt } from "./panel/controls/schema";
import { reasonOf } from "./panel/big_play";
import type { Settings } from "./panel/settings";
import type { Parts } from "./parts";
import { COLOR_MODES, type ColorMode } from "./render/palettes";
import type { Stage } from "./render/stage";
import { hasLives, isRunning, scenarioOf, speedOf, type Intent, type State } from "./store/state";
import type { Store } from "./store/store";
import { flockInWords, Teller } from "./text/flock_words";
import { say } from "./text/language";
import { note } from "./text/toasts";
import { hunterKinds } from "./tools/placement";

export type PageStore = Store<State, ServerMessage | Intent>;

export type Views = Parts;

export function connectViews(store: PageStore, views: Views): void {
  watchFlock(store, views);
  watchScenario(store, views);
  watchStatus(store, views);
  watchAnimals(store, views);
  store.watch(
    (state) => state.refusal,
    (refusal) => {
      const { hello } = store.state;
      views.changes.answered();
      if (refusal) {
        note(refusal.message, "error");
        views.stage.ghosts.refused();
      }
      if (!hello) return;
      views.panel.revert(hello.scenario, hello.loaded);
      views.changes.showAgents(true);
    },
  );
}

function watchFlock(
  store: PageStore,
  { stage, settings, hud, charts, feed, files, dock, toolLine, panel, changes, closeUp }: Views,
): void {
  store.watch(
    (state) => state.flock,
    () => {
      const { hello } = store.state;
      if (!hello) return;
      changes.answered();
      stage.setHello(hello);
      stage.stances = hello.stances ?? [];
      suggest(settings, hello);
      files.root.hidden = hello.bundled === true; // an exported page has no server
      hud.hello(hello);
      charts.hello(hello);
      document.body.classList.toggle("visitor", hello.visitor === true);
      feed.clear(Number(valueAt(hello.scenario, "motion.time_step") ?? 1 / 60));
      panel.forget();
      closeUp.forget();
      dock.offer(hello);
      toolLine.offerHunters(hello.hunters ?? hunterKinds(hello.schema));
    },
  );
}

/** Choose colours and trails that suit a flock, unless the user has chosen. */
function suggest(settings: Settings, hello: Hello): void {
  const columns = columnsOf(hello);
  settings.suggest(
    COLOR_MODES.filter((mode) => !isExtra(mode) || columns.includes(mode)),
    hello.species.length,
    valueAt(hello.scenario, "display.trails") !== false && !isStill(),
  );
}

function watchScenario(store: PageStore, views: Views): void {
  const { stage, charts, panel, presets, gallery, changes } = views;
  store.watch(scenarioOf, (scenario) => {
    const { hello } = store.state;
    if (!hello || !scenario) return;
    stage.setSpecies(hello);
    stage.setScenario(scenario);
    stage.ghosts.settle(scenario, store.state.status?.compiling === true, performance.now());
    charts.paint(hello.species);
    showLegend(store.state, views);
    if (isHalf()) window.parent.postMessage({ murmura: scenario }, location.origin);
  });
  let told: string[] = [];
  store.watch(
    (state) => state.switchedOn,
    (lines) => {
      for (const line of lines) if (!told.includes(line)) note(line);
      told = lines;
    },
  );
  store.watch(
    (state) => (state.painted ? state.hello : null), // the controls are built after the first picture
    (hello) => {
      if (!hello) return;
      const { schema, scenario, loaded, scenarios, idle } = hello;
      panel.show(schema, scenario, loaded, idle);
      if (changes.isTurning) panel.revert(scenario, loaded);
      changes.isTurning = false;
      presets.show(scenarios, String(scenario.name));
      gallery.show(scenarios, String(scenario.name));
      changes.showAgents();
    },
  );
}

function watchStatus(store: PageStore, views: Views): void {
  const { stage, hud, charts, feed, dock, playback, timeLine, bigPlay, closeUp } = views;
  const describe = summarizer(stage);
  store.watch(isRunning, (running) => {
    if (running !== null) dock.running(running);
  });
  store.watch(
    (state) => reasonOf(state),
    () => {
      bigPlay.show(store.state);
    },
  );
  store.watch(
    (state) => (state.hello ? speedOf(state) : null), // also the first, which may be the usual one
    (speed) => {
      if (speed !== null) dock.showSpeed(speed);
    },
  );
  store.watch(
    (state) => state.status,
    (status) => {
      if (!status) return;
      showLegend(store.state, views); // five times a second, because zooming changes what overlays omit
      const scenario = scenarioOf(store.state);
      if (scenario) stage.ghosts.settle(scenario, status.compiling === true, performance.now());
      hud.status(status);
      charts.status(status);
      feed.status(status);
      stage.setSights(status.population?.sights ?? []);
      stage.sexes = status.population?.males !== undefined;
      if (store.state.painted) closeUp.look(hasLives(store.state) ? stage.closeUp : null);
      playback.show(status.playback, status.step);
      timeLine.show(status.past, Number(valueAt(scenarioOf(store.state) ?? {}, "motion.time_step") ?? 1 / 60));
      describe(status);
    },
  );
  store.watch(
    (state) => state.objects,
    (objects) => {
      stage.setScene(objects);
      hud.scene(objects);
    },
  );
  store.watch(
    (state) => state.events,
    (events) => {
      feed.add(events);
    },
  );
}

function watchAnimals(store: PageStore, { stage, inspector }: Views): void {
  store.watch(
    (state) => state.bodies,
    (bodies) => {
      stage.setBodies(bodies);
    },
  );
  store.watch(
    (state) => state.selection,
    (agent) => {
      stage.choose(agent);
      document.body.classList.toggle("inspecting", agent !== null);
    },
  );
  store.watch(
    (state) => state.follows,
    () => {
      stage.follow();
    },
  );
  store.watch(
    (state) => state.selection,
    (agent) => {
      inspector.show(agent, stage.following);
    },
  );
}

/** Describes the flock to screen readers: when it has changed, or when asked. */
function summarizer(stage: Stage): (status: Status) => void {
  const teller = new Teller();
  return (status) => {
    if (!stage.frame) return;
    const sentence = flockInWords(stage.frame, status);
    if (teller.look(sentence, performance.now()) === null) return;
    speak(sentence);
    byId("flock").setAttribute("aria-label", say(`A flock. ${sentence}`));
  };
}

/** Have a sentence read aloud, also if it is the same as before. */
export function speak(sentence: string): void {
  byId("summary").replaceChildren(element("span", {}, sentence));
}

export function showLegend(
  { hello }: State,
  { stage, settings, legend }: Pick<Views, "stage" | "settings" | "legend">,
): void {
  if (!hello) return;
  const { species, stances = [] } = hello;
  const { hunters, light, overlayCounts } = stage;
  legend.show({ looks: settings.looks, species, hunters, stances, light, counts: overlayCounts });
}

/** Whether this page is one side of a comparison. */
function isHalf(): boolean {
  return window.parent !== window && /\/(left|right)\/$/.test(location.pathname);
}

export function isExtra(mode: ColorMode): mode is ExtraColumn {
  return (EXTRA_COLUMNS as readonly string[]).includes(mode);
}

/** Whether the user prefers reduced motion. */
export function isStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
