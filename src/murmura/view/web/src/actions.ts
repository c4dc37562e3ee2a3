/** What every key and button does, in one table. */

import { nextSpeed } from "./panel/dock";
import { clock } from "./panel/hud";
import { isNarrow } from "./panel/layout";
import { THEMES, after } from "./panel/settings";
import { agentPosition, type ClientMessage } from "./net/protocol";
import type { Parts } from "./parts";
import type { Sharing } from "./share/sharing";
import { isRunning, speedOf, type State } from "./store/state";
import { saveActions, saveJson, screenshot, stamp } from "./share/capture";
import { reachOf } from "./share/share";
import type { Action } from "./tools/keys";
import { flockInWords } from "./text/flock_words";
import { note } from "./text/toasts";
import { speak } from "./views";

const LARGE_PX = 3840; // width of a large screenshot
const PAN = 0.12; // of the window, per key press

export interface Actors extends Parts {
  send(message: ClientMessage): void;
  state(): State;
  /** Let the flock fly on this page. */
  begin(): void;
  release(): void;
}

export function actionsOf(parts: Actors): Record<Action, () => void> {
  const { stage, settings, changes, send } = parts;
  const { looks } = settings;
  const speed = () => speedOf(parts.state());
  const tool = (name: typeof looks.tool) => {
    settings.set({ tool: looks.tool === name ? "hand" : name });
  };
  const pan = (dx: number, dy: number) => {
    stage.nudge(dx * PAN * stage.view.width, dy * PAN * stage.view.height);
  };
  const name = () => nameOf(parts.state());
  // In a narrow window only one panel covers the world.
  const alone = (panel: "charts" | "panel" | "feed") => ({
    ...(isNarrow() ? { charts: false, panel: false, feed: false } : {}),
    [panel]: !looks[panel],
  });
  return {
    toggle: () => {
      if (parts.state().held) parts.begin();
      else send({ type: (isRunning(parts.state()) ?? true) ? "pause" : "play" });
    },
    step: () => {
      send({ type: "pause" });
      send({ type: "step", count: 1 });
    },
    rewind: () => {
      parts.timeLine.jump(-1);
    },
    forward: () => {
      parts.timeLine.jump(1);
    },
    reset: () => {
      send({ type: "reset", seed: null });
    },
    newSeed: () => {
      send({ type: "reset", seed: Math.floor(Math.random() * 2 ** 31) });
    },
    more: () => {
      changes.population(1.25);
    },
    fewer: () => {
      changes.population(0.8);
    },
    slower: () => {
      send({ type: "speed", value: nextSpeed(speed(), false) });
    },
    faster: () => {
      send({ type: "speed", value: nextSpeed(speed(), true) });
    },
    mode: () => {
      settings.nextMode();
      note(`Colour by ${looks.mode}`);
    },
    palette: () => {
      settings.nextPalette();
      note(`Palette ${looks.palette}`);
    },
    theme: () => {
      settings.set({ theme: after(THEMES, looks.theme) });
      note(looks.theme === "system" ? "Theme: system" : `Theme: ${looks.theme}`);
    },
    trails: () => {
      settings.set({ trails: !looks.trails, trailsChosen: true });
    },
    guides: () => {
      settings.set({ guides: !looks.guides });
    },
    vision: () => {
      settings.set({ vision: !looks.vision });
    },
    neighbors: () => {
      settings.set({ neighbors: !looks.neighbors });
    },
    density: () => {
      settings.set({ density: !looks.density });
    },
    attractorTool: () => {
      tool("attractor");
    },
    repulsorTool: () => {
      tool("repulsor");
    },
    scareTool: () => {
      tool("scare");
    },
    predatorTool: () => {
      tool("predator");
    },
    foodTool: () => {
      tool("food");
    },
    circleTool: () => {
      tool("circle");
    },
    wallTool: () => {
      tool("wall");
    },
    fit: () => {
      stage.fit();
    },
    ride: () => {
      stage.ride();
    },
    panLeft: () => {
      pan(1, 0);
    },
    panRight: () => {
      pan(-1, 0);
    },
    panUp: () => {
      pan(0, 1);
    },
    panDown: () => {
      pan(0, -1);
    },
    fullScreen: () => {
      void (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
    },
    hide: () => {
      settings.set({ hidden: !looks.hidden });
    },
    charts: () => {
      settings.set(alone("charts"));
    },
    feed: () => {
      settings.set(alone("feed"));
    },
    panel: () => {
      settings.set(alone("panel"));
    },
    screenshot: () => {
      stage.withPicture(() => {
        screenshot(stage.layers, name());
      });
    },
    screenshotLarge: () => {
      stage.withPicture(() => {
        screenshot(stage.layers, name());
      }, LARGE_PX);
    },
    record: () => {
      parts.clip.toggle(stage.layers, name());
    },
    link: () => {
      void copyLink(parts.sharing, parts.state()).then(note);
    },
    export: () => {
      const { hello } = parts.state();
      if (hello) saveJson(hello.scenario, name());
    },
    actions: () => {
      void saveActions(name());
    },
    gallery: () => {
      parts.gallery.toggle();
    },
    lessons: () => {
      parts.lessons.toggle();
    },
    nextBird: () => {
      nextBird(parts);
    },
    describe: () => {
      const { frame } = stage;
      if (frame) speak(`${flockInWords(frame, parts.state().status)} ${numbersInWords(parts.state().status)}`);
    },
    share: () => {
      parts.share.toggle();
    },
    compare: () => {
      parts.compare.toggle();
    },
    help: () => {
      parts.help.toggle();
    },
    escape: () => {
      parts.release();
    },
  };
}

/** A name for files: the scenario, its seed and the step. */
export function nameOf({ hello, status }: State): string {
  return hello ? stamp(hello.scenario, hello.seed, status?.step ?? 0) : "murmura";
}

/** Copy a link to the scene; return what to tell the user. */
export async function copyLink(sharing: Sharing, state: State): Promise<string> {
  const { hello } = state;
  if (!hello) return "";
  const address = await sharing.address(hello, hello.scenario);
  if (!address) {
    saveJson(hello.scenario, nameOf(state));
    return "This scene is too long for a link, so it was saved as a file. Drop it onto the page to open it.";
  }
  history.replaceState(null, "", address);
  try {
    await navigator.clipboard.writeText(address);
    return `Link copied.${reachOf(location.hostname)}`;
  } catch {
    return `The link is in the address bar.${reachOf(location.hostname)}`;
  }
}

/** Select the bird after the selected one; an exported page, which has no such message, asks for it by its place. */
function nextBird({ stage, send, state }: Actors): void {
  const { frame } = stage;
  if (!state().hello?.bundled) send({ type: "next" });
  else if (frame && frame.count > 0)
    send({ type: "pick", ...agentPosition(frame, (stage.chosenRow + 1) % frame.count) });
}

/** The numbers of a moment, for who asks. */
function numbersInWords(status: State["status"]): string {
  if (!status) return "";
  const order = status.measures.polarization;
  const aligned = order === null || order === undefined ? "" : `, polarization ${order.toFixed(2)}`;
  return `${status.agents.toLocaleString("en")} agents${aligned}, ${clock(status.time)}.`;
}
