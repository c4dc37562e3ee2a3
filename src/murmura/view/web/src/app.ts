/** The page: makes its parts, sends what the user does, and lets the views show the state (views.ts). */

import { Changes } from "./net/changes";
import { Hold } from "./net/hold";
import { actionsOf, copyLink, nameOf } from "./actions";
import { appearance } from "./panel/appearance";
import { Charts } from "./charts/charts";
import { ComparePick } from "./compare/pick";
import { Connection } from "./net/connection";
import { Dock } from "./panel/dock";
import { doors } from "./panel/doors";
import { Feed } from "./panel/feed";
import { Files } from "./panel/files";
import { byId, element, isTyping } from "./dom";
import { ToolController } from "./tools/tools";
import { Help } from "./panel/help";
import { Hint } from "./text/hint";
import { Hud } from "./panel/hud";
import { Input } from "./tools/input";
import { Inspector } from "./panel/inspector";
import { readScenario, thumbnail } from "./share/capture";
import { Clip } from "./share/clip";
import { savePage } from "./share/page_file";
import { Share } from "./share/share";
import { meaning, type Action } from "./tools/keys";
import { Places } from "./tools/placement";
import { Crosshair } from "./tools/crosshair";
import { CloseUp } from "./tools/close_up";
import { BigPlay } from "./panel/big_play";
import { PlaybackBar } from "./panel/playback";
import { TimeLineBar } from "./panel/time_line";
import { dialOf } from "./lessons/dial";
import { Lessons } from "./lessons/lessons";
import { valueAt } from "./panel/controls/schema";
import { Legend } from "./overlay/legend";
import { installProbe } from "./probe";
import { note } from "./text/toasts";
import { Panel } from "./panel/panel";
import { roving } from "./panel/roving";
import { Gallery } from "./gallery/gallery";
import { nineOf } from "./gallery/groups";
import { OwnPresets } from "./gallery/own";
import { presetList } from "./gallery/presets";
import type { ClientMessage, Frame, ServerMessage } from "./net/protocol";
import { isCompact, PanelLayout } from "./panel/layout";
import { WindowWorld } from "./panel/window_world";
import { Settings } from "./panel/settings";
import { Sharing } from "./share/sharing";
import { ToolLine } from "./panel/tool_line";
import { ALONE_MS, Stage } from "./render/stage";
import { setKinds } from "./render/hunter_shapes";
import { INITIAL, reduce, scenarioOf, type State } from "./store/state";
import { Store } from "./store/store";
import { connectViews, isExtra, isStill, showLegend, type PageStore, type Views } from "./views";

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
  private readonly connection: Connection;
  private readonly sharing: Sharing;
  private readonly hud = new Hud(() => {
    this.settings.set({ facts: !this.settings.looks.facts });
  });
  private readonly layout: PanelLayout;
  private readonly aside = element("aside", { class: "panel glass", id: "settings", "aria-label": "Settings" });
  private readonly charts = new Charts({
    get: () => this.settings.looks.cards,
    set: (cards) => {
      this.settings.set({ cards });
    },
  });
  private readonly feed = new Feed({
    go: (place) => {
      this.stage.goTo(place);
    },
  });
  private readonly help = new Help(this.settings);
  private readonly gallery = new Gallery(new OwnPresets(this.memory), {
    load: (name) => {
      this.sharing.load(name);
    },
    loadOwn: (scenario) => {
      this.send({ type: "load", scenario });
    },
    scenario: () => scenarioOf(this.store.state),
    picture: (use) => {
      this.stage.withPicture(() => {
        use(thumbnail(this.stage.layers));
      });
    },
  });
  private readonly files = new Files({
    hello: () => this.store.state.hello,
    step: () => this.store.state.status?.step ?? 0,
    name: () => nameOf(this.store.state),
  });
  private readonly lessons = new Lessons({
    send: (message) => {
      this.send(message);
    },
    chart: (measure) => {
      this.chartsBefore ??= this.settings.looks.charts;
      this.charts.feature(measure);
      this.settings.set({ charts: true });
    },
    show: (names) => {
      const none = { vision: false, neighbors: false, density: false };
      this.settings.set({ ...none, ...Object.fromEntries(names.map((name) => [name, true])) });
    },
    hello: () => this.store.state.hello,
    dial: (path) => dialOf(this.store.state.hello, path),
    secondsPerStep: () => Number(valueAt(scenarioOf(this.store.state) ?? {}, "motion.time_step") ?? 1 / 60),
    closed: () => {
      this.charts.feature("");
      if (this.chartsBefore === false) this.settings.set({ charts: false });
      this.chartsBefore = null;
    },
  });
  private chartsBefore: boolean | null = null; // whether charts were open before a lesson
  private readonly windowWorld = new WindowWorld(
    () => this.store.state.hello,
    () => ({ scenario: null, always: true, never: false })[this.settings.looks.fillWindow],
    () => (this.stage.wrap ? this.stage.view : this.stage.free),
    (message) => {
      this.send(message);
    },
  );
  private readonly legend = new Legend();
  private readonly hint = new Hint(this.memory);
  private readonly clip = new Clip((recording) => {
    this.dock.recording(recording);
  });
  private readonly share = new Share({
    picture: () => {
      this.act("screenshot");
    },
    clip: () => {
      this.act("record");
    },
    page: () => savePage(String(this.store.state.hello?.scenario.name ?? "flock")),
    link: () => copyLink(this.sharing, this.store.state),
    missing: () => (this.store.state.hello?.bundled || this.store.state.hello?.visitor ? ["page"] : []),
  });
  private readonly toolLine = new ToolLine(this.settings);
  private readonly dock: Dock;
  private readonly actions: Record<Action, () => void>;
  private readonly panel: Panel;
  private readonly inspector: Inspector;
  private readonly playback = new PlaybackBar((message) => {
    this.send(message);
  });
  private readonly timeLine = new TimeLineBar(
    (message) => {
      this.send(message);
    },
    () => {
      this.layout.make();
    },
  );
  private readonly compare = new ComparePick(
    () => this.store.state.hello,
    () => {
      this.send({ type: "pause" });
    },
  );
  private readonly presets;
  private readonly changes = new Changes(
    () => scenarioOf(this.store.state),
    (message) => {
      this.send(message);
    },
    (message) => {
      this.connection.send(message);
      this.stage.ghosts.expect(message, performance.now());
    },
    () => this.store.state.hello?.bundled !== true,
  );
  private readonly closeUp = new CloseUp((message) => {
    this.send(message);
  });
  private readonly store: PageStore = new Store(INITIAL, reduce);
  private readonly hold = new Hold<Frame | ServerMessage>((each) => {
    if ("words" in each) this.show(each);
    else this.store.dispatch(each);
  });
  private readonly bigPlay = new BigPlay(() => {
    this.act("toggle");
  });
  private crosshair: Crosshair | null = null;
  private lastHeard = 0;

  constructor() {
    this.connection = new Connection({
      frame: (frame) => {
        this.hold.offer("frame", frame);
      },
      message: (message) => {
        this.lastHeard = performance.now();
        if (message.type === "hello") {
          this.hold.begin();
          setKinds(message.kinds ?? {});
        }
        if (MOVING.has(message.type)) this.hold.offer(message.type, message);
        else this.store.dispatch(message);
      },
      state: (connected) => {
        this.hud.connected(connected);
      },
      spent: (ms) => {
        this.stage.cost.add(ms);
      },
    });
    this.sharing = new Sharing(this.send);
    this.dock = new Dock(
      this.settings,
      {
        act: (action) => {
          this.act(action);
        },
        speed: (value) => {
          this.send({ type: "speed", value });
        },
        tool: (tool) => {
          this.hint.done();
          this.settings.set({ tool });
          this.toolLine.ask(tool);
        },
        openFile: (file) => {
          void this.openFile(file);
        },
      },
      this.changes.buttons,
    );
    this.panel = new Panel({
      change: (path, value) => {
        this.changes.make(path, value);
      },
    });
    this.inspector = new Inspector(
      {
        follow: () => {
          this.toggleFollow();
        },
        ride: () => {
          this.stage.ride();
        },
        release: () => {
          this.act("escape");
        },
        select: (id) => {
          this.send({ type: "select", id });
        },
      },
      this.settings,
    );
    this.layout = new PanelLayout(this.settings, this.stage, [
      this.hint.root,
      this.playback.root,
      this.timeLine.root,
      this.dock.root,
    ]);
    this.presets = presetList((name) => {
      this.sharing.load(name);
    });
    connectViews(this.store, this.views);
    this.store.watch(
      (state) => state.flock,
      () => {
        this.welcome(this.store.state);
      },
    );
    const { stage, settings, changes, sharing, clip, share, dock, help, gallery, lessons, timeLine, compare, send } =
      this;
    this.actions = actionsOf({
      stage,
      settings,
      changes,
      sharing,
      clip,
      share,
      dock,
      help,
      gallery,
      lessons,
      timeLine,
      compare,
      send,
      state: () => this.store.state,
      begin: () => {
        this.begin();
      },
      release: () => {
        this.release();
      },
    });
  }

  start(): void {
    const { looks } = this.settings;
    if (isStill()) this.settings.set({ trails: false });
    if (isCompact()) Object.assign(looks, { panel: false, charts: false, feed: false, facts: false }); // not remembered, because a wide window has room for more
    byId("left").append(this.hud.root, this.lessons.root, this.inspector.root, this.charts.root, this.feed.root);
    const count = element(
      "label",
      { class: "field", for: "agents" },
      element("span", {}, "Agents"),
      this.changes.agents,
    );
    this.aside.append(
      this.presets.root,
      element("div", { class: "row" }, count),
      this.panel.root,
      appearance(this.settings),
      this.files.root,
    );
    byId("right").append(this.aside);
    byId("bottom").append(this.hint.root, this.toolLine.root, this.playback.root, this.timeLine.root, this.dock.root);
    byId("handles").append(
      ...doors({
        scenes: () => {
          this.act("gallery");
        },
        lessons: () => {
          this.act("lessons");
        },
        play: () => {
          this.play();
        },
      }),
    );
    byId("handles").before(this.legend.root, this.bigPlay.root, this.clip.root);
    const controller = new ToolController(
      this.stage,
      this.settings,
      this.send,
      new Places(() => this.store.state.hello, this.send, note),
      () => {
        this.store.dispatch({ type: "follow next" });
      },
    );
    new Input(byId("flock"), controller);
    const crosshair = new Crosshair(byId("flock"), controller, () => ({ x: innerWidth / 2, y: innerHeight / 2 }));
    byId("handles").before(crosshair.root);
    this.crosshair = crosshair;
    roving(this.dock.root);
    addEventListener("keydown", (event) => {
      this.keyDown(event);
    });
    addEventListener("dragover", (event) => {
      event.preventDefault();
    });
    addEventListener("drop", (event) => {
      this.dropped(event);
    });
    addEventListener("hashchange", () => {
      const { hello } = this.store.state;
      if (hello) void this.sharing.open(location.hash, hello);
    });
    this.settings.onChange((changed) => {
      this.looksChanged(changed);
    });
    this.looksChanged(looks);
    this.stage.onDrawn = () => {
      this.clip.add(this.stage.layers);
      this.hud.drew(performance.now());
      if (!this.store.state.painted)
        setTimeout(() => {
          this.completeStart();
        }, ALONE_MS);
    };
    for (const kind of ["pointerdown", "wheel"])
      byId("flock").addEventListener(
        kind,
        () => {
          this.hint.done();
        },
        { passive: true },
      );
    if (this.stage.notice) note(this.stage.notice, "error");
    setInterval(() => {
      if (performance.now() - this.lastHeard > SILENT_MS) this.hud.silent();
    }, 500);
    installProbe(this.stage, this.settings, this.clip, () => this.store.state);
    this.stage.start();
    this.connection.open();
  }

  private show(frame: Frame): void {
    this.stage.receive(frame);
    this.hud.sampled(frame.count, frame.total);
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
    const noted = this.changes.noted(message);
    this.connection.send(noted);
    this.stage.ghosts.expect(noted, performance.now());
    this.store.dispatch({ type: "sent", message });
  };

  private get views(): Views {
    const { stage, settings, hud, charts, feed, files, dock, toolLine, panel } = this;
    const { presets, gallery, changes, legend, playback, timeLine, bigPlay, inspector, closeUp } = this;
    return {
      stage,
      settings,
      hud,
      charts,
      feed,
      files,
      dock,
      toolLine,
      panel,
      presets,
      gallery,
      changes,
      legend,
      playback,
      timeLine,
      bigPlay,
      inspector,
      closeUp,
    };
  }

  /** Ask the server for what suits a flock that has begun, after the views have shown it. */
  private welcome({ hello, flock }: State): void {
    if (!hello) return;
    this.sharing.hello(hello);
    this.lessons.flock();
    this.windowWorld.later();
    if (flock > 1) return;
    this.askExtra();
    if (isStill()) {
      this.hold.start();
      this.store.dispatch({ type: "hold", on: true });
    }
    void this.sharing.open(location.hash, hello);
  }

  /** Called once the flock is visible: building hundreds of controls earlier would delay the first picture. */
  private completeStart(): void {
    if (this.store.state.painted) return;
    this.hint.begin(this.store.state.hello?.places?.length === 0, this.stage.deep !== null);
    this.store.dispatch({ type: "painted" });
  }

  /** The door to playing: what amazes most is ready to be used. */
  private play(): void {
    this.hint.done();
    this.dock.openTab("play");
    this.settings.set({ tool: "scare" });
  }

  private toggleFollow(): void {
    if (this.stage.following) this.stage.following = false;
    else this.stage.follow();
  }

  private keyDown(event: KeyboardEvent): void {
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    if (this.crosshair?.key(event)) {
      event.preventDefault();
      return;
    }
    if ((event.ctrlKey || event.metaKey) && !event.altKey && /^[zy]$/i.test(event.key)) {
      event.preventDefault();
      this.changes.turn(event.shiftKey || /^y$/i.test(event.key));
      return;
    }
    const found = meaning(event, this.settings.looks.bindings);
    // Space and Enter belong to a button that has the focus.
    const onButton =
      (event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement) &&
      !event.target.closest("dialog");
    if (found === null || (onButton && event.key === " ")) return;
    if (!this.settings.looks.keys && found !== "help" && found !== "escape") return;
    if (event.target instanceof HTMLInputElement && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    if (typeof found === "number") this.preset(found);
    else this.act(found);
  }

  private preset(k: number): void {
    const item = nineOf(this.store.state.hello?.scenarios ?? [])[k] as { name: string } | undefined;
    if (item) this.sharing.load(item.name);
  }

  private act(action: Action): void {
    this.hint.done();
    this.actions[action]();
  }

  private release(): void {
    this.stage.following = false;
    this.settings.set({ tool: "hand", hidden: false });
    this.send({ type: "select", id: null });
    this.store.dispatch({ type: "release" });
  }

  private dropped(event: DragEvent): void {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void this.openFile(file);
  }

  private async openFile(file: File): Promise<void> {
    const scenario = await readScenario(file);
    if (scenario) this.send({ type: "load", scenario });
  }

  private askExtra(): void {
    const { mode } = this.settings.looks;
    if (isExtra(mode)) this.send({ type: "extra", column: mode });
  }

  private looksChanged(changed: object): void {
    const { looks } = this.settings;
    document.body.classList.toggle("bare-view", looks.hidden);
    document.body.dataset.tool = looks.tool;
    this.aside.hidden = !looks.panel;
    this.charts.root.hidden = !looks.charts;
    this.feed.root.hidden = !looks.feed;
    document.documentElement.dataset.theme = this.settings.light ? "light" : "dark";
    this.charts.repaint(this.settings.light);
    this.hud.unfolded(looks.facts);
    this.layout.make();
    showLegend(this.store.state, this.views);
    if ("mode" in changed) this.askExtra();
    if ("fillWindow" in changed) this.windowWorld.later();
  }
}

function storage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null; // disabled in this browser
  }
}
