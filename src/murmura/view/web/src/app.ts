/** The page: sends what the user does, gives what arrives to the store, and lets the parts show it (views.ts). */

import { actionsOf } from "./actions";
import { assemble } from "./assembly";
import { byId } from "./dom";
import { nineOf } from "./gallery/groups";
import { Connection } from "./net/connection";
import { Hold } from "./net/hold";
import type { ClientMessage, Frame, ServerMessage } from "./net/protocol";
import { isCompact } from "./panel/layout";
import { Settings } from "./panel/settings";
import { makeParts, openFile, type Parts } from "./parts";
import { installProbe } from "./probe";
import { setKinds } from "./render/hunter_shapes";
import { ALONE_MS, Stage } from "./render/stage";
import { INITIAL, reduce, type State } from "./store/state";
import { Store } from "./store/store";
import { note } from "./text/toasts";
import { Crosshair } from "./tools/crosshair";
import { Input } from "./tools/input";
import { listenToKeys } from "./tools/keyboard";
import type { Action } from "./tools/keys";
import { Places } from "./tools/placement";
import { ToolController } from "./tools/tools";
import { connectViews, isExtra, isStill, showLegend, type PageStore } from "./views";

const SILENT_MS = 1500; // the server sends five times a second
/** Messages that the user's actions send; the page sends the others by itself. */
const ACTIONS = new Set<ClientMessage["type"]>([
  "load",
  "reset",
  "set",
  "place",
  "play",
  "pause",
  "step",
  "speed",
  "seek",
  "branch",
  "return",
  "present",
  "move",
  "erase",
]);

/** Messages that tell what moves. */
const MOVING = new Set<ServerMessage["type"]>(["status", "scene", "bodies", "events"]);

export class App {
  private readonly memory = storage();
  private readonly settings = new Settings(this.memory);
  private readonly stage = new Stage(byId("flock"), byId("overlay"), this.settings);
  private readonly store: PageStore = new Store(INITIAL, reduce);
  private readonly connection = this.connected();
  private readonly hold = new Hold<Frame | ServerMessage>((each) => {
    if ("words" in each) this.show(each);
    else this.store.dispatch(each);
  });
  private readonly parts: Parts;
  private readonly actions: Record<Action, () => void>;
  private lastHeard = 0;

  constructor() {
    const { memory, settings, stage, store, send } = this;
    this.parts = makeParts({
      memory,
      settings,
      stage,
      store,
      send,
      deliver: (message) => {
        this.deliver(message);
      },
      act: (action) => {
        this.act(action);
      },
    });
    connectViews(store, this.parts);
    store.watch(
      (state) => state.flock,
      () => {
        this.welcome(store.state);
      },
    );
    this.actions = actionsOf({
      ...this.parts,
      send,
      state: () => store.state,
      begin: () => {
        this.begin();
      },
      release: () => {
        this.release();
      },
    });
  }

  private connected(): Connection {
    return new Connection({
      frame: (frame) => {
        this.hold.offer("frame", frame);
      },
      message: (message) => {
        this.receive(message);
      },
      state: (connected) => {
        this.parts.hud.connected(connected);
      },
      spent: (ms) => {
        this.stage.cost.add(ms);
      },
    });
  }

  private receive(message: ServerMessage): void {
    this.lastHeard = performance.now();
    if (message.type === "hello") {
      this.hold.begin();
      setKinds(message.kinds ?? {});
    }
    if (MOVING.has(message.type)) this.hold.offer(message.type, message);
    else this.store.dispatch(message);
  }

  start(): void {
    const { stage, settings } = this;
    const { looks } = settings;
    if (isStill()) settings.set({ trails: false });
    settings.looks.hidden = location.hash === "#bare"; // in the frame of another page
    // Not remembered, because a wide window has room for more.
    if (isCompact()) Object.assign(looks, { panel: false, charts: false, feed: false, facts: false });
    assemble(this.parts, {
      scenes: () => {
        this.act("gallery");
      },
      lessons: () => {
        this.act("lessons");
      },
      play: () => {
        this.play();
      },
    });
    this.listen();
    settings.onChange((changed) => {
      this.looksChanged(changed);
    });
    this.looksChanged(looks);
    stage.onDrawn = () => {
      this.drawn();
    };
    if (stage.notice) note(stage.notice, "error");
    setInterval(() => {
      if (performance.now() - this.lastHeard > SILENT_MS) this.parts.hud.silent();
    }, 500);
    installProbe(stage, settings, this.parts.clip, () => this.store.state);
    stage.start();
    this.connection.open();
  }

  /** Begin to follow the pointer, the keys, files that are dropped, and links. */
  private listen(): void {
    const { stage, settings, store, send } = this;
    const { changes, hint, sharing } = this.parts;
    const places = new Places(
      () => store.state.hello,
      send,
      (text, scene) => {
        const known = store.state.hello?.scenarios.find(({ name }) => name === scene);
        if (!known) note(text);
        else note(text, "offer", { word: "Open Feeding grounds", act: () => void sharing.load(known.name) });
      },
    );
    const controller = new ToolController(stage, settings, send, places, () => {
      store.dispatch({ type: "follow next" });
    });
    new Input(byId("flock"), controller);
    const crosshair = new Crosshair(byId("flock"), controller, () => ({ x: innerWidth / 2, y: innerHeight / 2 }));
    byId("handles").before(crosshair.root);
    listenToKeys({
      crosshair,
      changes,
      settings,
      act: (action) => {
        this.act(action);
      },
      preset: (k) => {
        const item = nineOf(store.state.hello?.scenarios ?? [])[k] as { name: string } | undefined;
        if (item) sharing.load(item.name);
      },
    });
    for (const kind of ["pointerdown", "wheel"])
      byId("flock").addEventListener(
        kind,
        () => {
          hint.done();
        },
        { passive: true },
      );
    addEventListener("dragover", (event) => {
      event.preventDefault();
    });
    addEventListener("drop", (event) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) void openFile(file, send);
    });
    addEventListener("hashchange", () => {
      const { hello } = store.state;
      if (hello) void sharing.open(location.hash, hello);
    });
  }

  private drawn(): void {
    const { clip, hud } = this.parts;
    clip.add(this.stage.layers);
    hud.drew(performance.now());
    if (!this.store.state.painted)
      setTimeout(() => {
        this.completeStart();
      }, ALONE_MS);
  }

  private show(frame: Frame): void {
    this.stage.receive(frame);
    this.parts.hud.sampled(frame.count, frame.total);
  }

  /** Let the flock fly on this page, after it was held back. */
  private begin(): void {
    this.store.dispatch({ type: "hold", on: false });
    this.hold.end();
    const { status, hello } = this.store.state;
    if (!(status ?? hello)?.running) this.send({ type: "play" });
  }

  private readonly send = (message: ClientMessage): void => {
    if (this.store.state.hello?.visitor) {
      // may change nothing
      if (ACTIONS.has(message.type))
        note("You are a visitor: you can look around, but only the host can change the flock.");
      return;
    }
    this.deliver(this.parts.changes.noted(message));
    this.store.dispatch({ type: "sent", message });
  };

  private deliver(message: ClientMessage): void {
    this.connection.send(message);
    this.stage.ghosts.expect(message, performance.now());
  }

  /** Ask the server for what suits a flock that has begun, after the views have shown it. */
  private welcome({ hello, flock }: State): void {
    if (!hello) return;
    const { sharing, lessons, windowWorld } = this.parts;
    sharing.hello(hello);
    lessons.flock();
    windowWorld.later();
    if (flock > 1) return;
    this.askExtra();
    if (isStill()) {
      this.hold.start();
      this.store.dispatch({ type: "hold", on: true });
    }
    void sharing.open(location.hash, hello);
  }

  /** Called once the flock is visible: building hundreds of controls earlier would delay the first picture. */
  private completeStart(): void {
    if (this.store.state.painted) return;
    this.parts.hint.begin(this.store.state.hello?.places?.length === 0, this.stage.deep !== null);
    this.store.dispatch({ type: "painted" });
  }

  /** The door to playing: what amazes most is ready to be used. */
  private play(): void {
    this.parts.hint.done();
    this.parts.dock.openTab("play");
    this.settings.set({ tool: "scare" });
  }

  private act(action: Action): void {
    this.parts.hint.done();
    this.actions[action]();
  }

  private release(): void {
    this.stage.following = false;
    this.settings.set({ tool: "hand", hidden: false });
    this.send({ type: "select", id: null });
    this.store.dispatch({ type: "release" });
  }

  private askExtra(): void {
    const { mode } = this.settings.looks;
    if (isExtra(mode)) this.send({ type: "extra", column: mode });
  }

  private looksChanged(changed: object): void {
    const { looks, light } = this.settings;
    const { aside, charts, feed, hud, layout, windowWorld } = this.parts;
    document.body.classList.toggle("bare-view", looks.hidden);
    document.body.dataset.tool = looks.tool;
    aside.hidden = !looks.panel;
    charts.root.hidden = !looks.charts;
    feed.root.hidden = !looks.feed;
    document.documentElement.dataset.theme = light ? "light" : "dark";
    charts.repaint(light);
    hud.unfolded(looks.facts);
    layout.make();
    showLegend(this.store.state, this.parts);
    if ("mode" in changed) this.askExtra();
    if ("fillWindow" in changed) windowWorld.later();
  }
}

function storage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null; // disabled in this browser
  }
}
