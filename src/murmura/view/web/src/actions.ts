/** What every key and button does, in one table. */

import type { Changes } from "./net/changes";
import { nextSpeed, type Dock } from "./panel/dock";
import type { Gallery } from "./gallery/gallery";
import type { Help } from "./panel/help";
import type { Lessons } from "./lessons/lessons";
import { isNarrow } from "./panel/layout";
import { THEMES, after, type Settings } from "./panel/settings";
import type { ClientMessage, Hello, Status } from "./net/protocol";
import type { Sharing } from "./net/sharing";
import type { Stage } from "./render/stage";
import { saveActions, saveJson, screenshot, stamp, type Recorder } from "./tools/capture";
import type { Action } from "./tools/keys";
import { note } from "./text/toasts";

const LARGE_PX = 3840; // width of a large screenshot
const PAN = 0.12; // of the window, per key press

export interface Parts {
  stage: Stage;
  settings: Settings;
  changes: Changes;
  sharing: Sharing;
  recorder: Recorder;
  dock: Dock;
  help: Help;
  gallery: Gallery;
  lessons: Lessons;
  send(message: ClientMessage): void;
  hello(): Hello | null;
  status(): Status | null;
  release(): void;
}

export function actionsOf(parts: Parts): Record<Action, () => void> {
  const { stage, settings, changes, send } = parts;
  const { looks } = settings;
  const speed = () => parts.status()?.speed ?? 1;
  const tool = (name: typeof looks.tool) => { settings.set({ tool: looks.tool === name ? "hand" : name }); };
  const pan = (dx: number, dy: number) => { stage.nudge(dx * PAN * stage.view.width, dy * PAN * stage.view.height); };
  const name = () => nameOf(parts);
  // In a narrow window only one panel covers the world.
  const alone = (panel: "charts" | "panel" | "feed") => ({ ...(isNarrow() ? { charts: false, panel: false, feed: false } : {}), [panel]: !looks[panel] });
  return {
    toggle: () => { send({ type: (parts.status()?.running ?? true) ? "pause" : "play" }); },
    step: () => { send({ type: "pause" }); send({ type: "step", count: 1 }); },
    reset: () => { send({ type: "reset", seed: null }); },
    newSeed: () => { send({ type: "reset", seed: Math.floor(Math.random() * 2 ** 31) }); },
    more: () => { changes.population(1.25); },
    fewer: () => { changes.population(0.8); },
    slower: () => { send({ type: "speed", value: nextSpeed(speed(), false) }); },
    faster: () => { send({ type: "speed", value: nextSpeed(speed(), true) }); },
    mode: () => { settings.nextMode(); note(`Colour by ${looks.mode}`); },
    palette: () => { settings.nextPalette(); note(`Palette ${looks.palette}`); },
    theme: () => { settings.set({ theme: after(THEMES, looks.theme) }); note(looks.theme === "system" ? "Theme: system" : `Theme: ${looks.theme}`); },
    trails: () => { settings.set({ trails: !looks.trails, trailsChosen: true }); },
    vision: () => { settings.set({ vision: !looks.vision }); },
    neighbors: () => { settings.set({ neighbors: !looks.neighbors }); },
    density: () => { settings.set({ density: !looks.density }); },
    attractorTool: () => { tool("attractor"); },
    repulsorTool: () => { tool("repulsor"); },
    scareTool: () => { tool("scare"); },
    foodTool: () => { tool("food"); },
    circleTool: () => { tool("circle"); },
    wallTool: () => { tool("wall"); },
    fit: () => { stage.fit(); },
    ride: () => { stage.ride(); },
    panLeft: () => { pan(1, 0); },
    panRight: () => { pan(-1, 0); },
    panUp: () => { pan(0, 1); },
    panDown: () => { pan(0, -1); },
    fullScreen: () => { void (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()); },
    hide: () => { settings.set({ hidden: !looks.hidden }); },
    charts: () => { settings.set(alone("charts")); },
    feed: () => { settings.set(alone("feed")); },
    panel: () => { settings.set(alone("panel")); },
    screenshot: () => { stage.withPicture(() => { screenshot(stage.layers, name()); }); },
    screenshotLarge: () => { stage.withPicture(() => { screenshot(stage.layers, name()); }, LARGE_PX); },
    record: () => { toggleRecording(parts); },
    link: () => { void copyLink(parts); },
    export: () => { const hello = parts.hello(); if (hello) saveJson(hello.scenario, name()); },
    actions: () => { void saveActions(name()); },
    gallery: () => { parts.gallery.toggle(); },
    lessons: () => { parts.lessons.toggle(); },
    help: () => { parts.help.toggle(); },
    escape: () => { parts.release(); },
  };
}

function nameOf(parts: Parts): string {
  const hello = parts.hello();
  return hello ? stamp(hello.scenario, hello.seed, parts.status()?.step ?? 0) : "murmura";
}

function toggleRecording({ recorder, stage, dock, ...parts }: Parts): void {
  try {
    if (recorder.recording) recorder.stop();
    else recorder.start(stage.layers, nameOf({ recorder, stage, dock, ...parts }));
    note(recorder.recording ? "Recording; press X to stop. For an exact frame rate, use `murmura render`." : "Recording stopped.");
  } catch (error) {
    note(error instanceof Error ? error.message : "recording failed", "error");
  }
  dock.recording(recorder.recording);
}

async function copyLink(parts: Parts): Promise<void> {
  const hello = parts.hello();
  if (!hello) return;
  const address = await parts.sharing.address(hello, hello.scenario);
  if (!address) {
    note("This scene is too long for a link, so it was saved as a file.");
    saveJson(hello.scenario, nameOf(parts));
    return;
  }
  history.replaceState(null, "", address);
  try {
    await navigator.clipboard.writeText(address);
    note("Link copied.");
  } catch {
    note("The link is in the address bar.");
  }
}
