/** Puts the parts together: messages in, actions out. */

import { Changes } from "./net/changes";
import { Charts } from "./panel/charts";
import { Connection } from "./net/connection";
import { Dock, nextSpeed } from "./panel/dock";
import { byId, element, isTyping } from "./dom";
import { Hands } from "./tools/tools";
import { Help } from "./panel/help";
import { Hint } from "./text/hint";
import { Hud, summary } from "./panel/hud";
import { Input } from "./tools/input";
import { Inspector } from "./panel/inspector";
import { readScenario, Recorder, saveActions, saveJson, screenshot, stamp } from "./tools/capture";
import { meaning, type Action } from "./tools/keys";
import { hunterKinds, Places } from "./tools/placement";
import { PlaybackBar } from "./panel/playback";
import { Legend } from "./overlay/legend";
import { installProbe } from "./probe";
import { COLOR_MODES, type ColorMode } from "./render/palettes";
import { note } from "./text/toasts";
import { Panel } from "./panel/panel";
import { presetList } from "./panel/presets";
import { columnsOf, EXTRA_COLUMNS, type ClientMessage, type ExtraColumn, type Hello, type Inspection, type ServerMessage, type Status } from "./net/protocol";
import { isNarrow, Room } from "./panel/layout";
import { Settings } from "./panel/settings";
import { Sharing } from "./net/sharing";
import { Stage } from "./render/stage";

const SUMMARY_MS = 5000;
const SILENT_MS = 1500; // the server speaks five times a second
const LARGE_PX = 3840; // a large screenshot is this wide

export class App {
  private readonly memory = storage();
  private readonly settings = new Settings(this.memory);
  private readonly stage = new Stage(byId("flock"), byId("overlay"), this.settings);
  private readonly connection: Connection;
  private readonly sharing: Sharing;
  private readonly hud = new Hud(() => { this.settings.set({ facts: !this.settings.looks.facts }); });
  private readonly room: Room;
  private readonly aside = element("aside", { class: "panel glass", id: "settings", "aria-label": "Settings" });
  private readonly charts = new Charts();
  private readonly help = new Help(this.settings);
  private readonly legend = new Legend();
  private readonly hint = new Hint(this.memory);
  private readonly recorder = new Recorder();
  private readonly dock: Dock;
  private readonly panel: Panel;
  private readonly inspector: Inspector;
  private readonly playback = new PlaybackBar((message) => { this.send(message); });
  private readonly presets;
  private readonly changes = new Changes(() => this.hello?.scenario ?? null, (message) => { this.send(message); }, (values) => { this.connection.send({ type: "set", values }); });
  private hello: Hello | null = null;
  private status: Status | null = null;
  private followNext = false;
  private lastSummary = -Infinity;
  private lastHeard = 0;

  constructor() {
    this.connection = new Connection(`${location.origin.replace(/^http/, "ws")}${location.pathname.replace(/[^/]*$/, "ws")}`, {
      frame: (frame) => {
        this.stage.receive(frame);
        this.hud.sampled(frame.count, frame.total);
      },
      message: (message) => { this.receive(message); },
      state: (connected) => { this.hud.connected(connected); },
      spent: (ms) => { this.stage.cost.add(ms); },
    });
    this.sharing = new Sharing(this.send);
    this.dock = new Dock(this.settings, {
      act: (action) => { this.act(action); },
      speed: (value) => { this.send({ type: "speed", value }); },
      tool: (tool) => { this.settings.set({ tool }); },
      openFile: (file) => { void this.openFile(file); },
    });
    this.panel = new Panel({ change: (path, value) => { this.changes.make(path, value); } });
    this.inspector = new Inspector({ follow: () => { this.toggleFollow(); }, release: () => { this.act("escape"); }, select: (id) => { this.send({ type: "select", id }); } }, this.settings);
    this.room = new Room(this.settings, this.stage, [this.hint.root, this.playback.root, this.dock.root], (name) => { this.act(name); });
    this.presets = presetList((name) => { this.sharing.load(name); });
  }

  start(): void {
    const { looks } = this.settings;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.settings.set({ trails: false });
    if (isNarrow()) Object.assign(looks, { panel: false, charts: false, facts: false }); // not remembered: a wide window has room
    byId("left").append(this.hud.root, this.inspector.root, this.charts.root);
    const count = element("label", { class: "field", for: "agents" }, element("span", {}, "Agents"), this.changes.agents);
    this.aside.append(this.presets.root, element("div", { class: "row" }, count, ...this.changes.buttons), this.panel.root);
    byId("right").append(this.aside);
    byId("bottom").append(this.hint.root, this.playback.root, this.dock.root);
    byId("handles").before(this.legend.root);
    new Input(byId("flock"), new Hands(this.stage, this.settings, this.send, new Places(() => this.hello, this.send, note), () => { this.followNext = true; }));
    addEventListener("keydown", (event) => { this.keyDown(event); });
    addEventListener("dragover", (event) => { event.preventDefault(); });
    addEventListener("drop", (event) => { this.dropped(event); });
    addEventListener("hashchange", () => { if (this.hello) void this.sharing.open(location.hash, this.hello); });
    this.settings.onChange((changed) => { this.looksChanged(changed); });
    this.looksChanged(looks);
    this.stage.onDrawn = () => {
      this.recorder.add(this.stage.layers);
      if (this.stage.firstPicture !== null) this.hint.begin();
    };
    for (const kind of ["pointerdown", "wheel"]) byId("flock").addEventListener(kind, () => { this.hint.done(); }, { passive: true });
    if (this.stage.notice) note(this.stage.notice, "error");
    setInterval(() => {
      if (performance.now() - this.lastHeard > SILENT_MS) this.hud.silent();
    }, 500);
    installProbe(this.stage, this.settings, this.recorder, () => this.status?.running ?? null);
    this.stage.start();
    this.connection.open();
  }

  private readonly send = (message: ClientMessage): void => {
    this.connection.send(message);
    // What was asked for counts at once: a key pressed twice must not act on an old answer.
    if (message.type === "play" || message.type === "pause") this.expect({ running: message.type === "play" });
    if (message.type === "speed") this.expect({ speed: message.value });
    this.changes.sent(message);
  };

  private expect(change: Partial<Status>): void {
    if (!this.status) return;
    this.status = { ...this.status, ...change };
    this.dock.running(this.status.running);
    this.dock.showSpeed(this.status.speed);
  }

  private receive(message: ServerMessage): void {
    this.lastHeard = performance.now();
    switch (message.type) {
      case "hello": this.welcome(message); break;
      case "status": this.report(message); break;
      case "scenario": this.showScenario(message.scenario); break;
      case "scene":
        this.stage.setScene(message.objects);
        this.hud.scene(message.objects);
        break;
      case "inspect": this.inspect(message.id === null ? null : message); break;
      case "error":
        this.changes.answered();
        note(message.message, "error");
        if (!this.hello) break;
        this.panel.revert(this.hello.scenario, this.hello.loaded);
        this.changes.showAgents(true);
        break;
    }
  }

  private welcome(hello: Hello): void {
    const first = this.hello === null;
    this.hello = hello;
    this.changes.answered();
    this.stage.setHello(hello);
    const columns = columnsOf(hello);
    this.settings.suggest(COLOR_MODES.filter((mode) => !isExtra(mode) || columns.includes(mode)), hello.species.length);
    this.hud.hello(hello);
    this.dock.running(hello.running);
    this.dock.showSpeed(hello.speed);
    this.showScenario(hello.scenario);
    this.dock.offerHunters(hello.hunters ?? hunterKinds(hello.schema));
    this.showLegend();
    this.sharing.hello(hello);
    if (!first) return;
    this.askExtra();
    if (hello.running && matchMedia("(prefers-reduced-motion: reduce)").matches) this.send({ type: "pause" });
    void this.sharing.open(location.hash, hello);
  }

  private showScenario(scenario: Hello["scenario"]): void {
    if (!this.hello) return;
    this.hello = { ...this.hello, scenario };
    this.stage.setScenario(scenario);
    this.panel.show(this.hello.schema, scenario, this.hello.loaded);
    if (this.changes.isTurning) this.panel.revert(scenario, this.hello.loaded);
    this.changes.isTurning = false;
    this.presets.show(this.hello.scenarios, String(scenario.name));
    this.changes.showAgents();
  }

  private showLegend(): void {
    if (!this.hello) return;
    const { species, stances = [] } = this.hello;
    const { hunters, light, told } = this.stage;
    this.legend.show({ looks: this.settings.looks, species, hunters, stances, light, told });
  }

  private report(status: Status): void {
    this.status = status;
    this.showLegend(); // five times a second: what overlays leave out changes as one zooms
    this.hud.status(status);
    this.charts.status(status);
    this.dock.running(status.running);
    this.dock.showSpeed(status.speed);
    this.playback.show(status.playback, status.step);
    const now = performance.now();
    if (now - this.lastSummary < SUMMARY_MS) return;
    this.lastSummary = now;
    byId("summary").textContent = summary(status);
    byId("flock").setAttribute("aria-label", `A flock: ${summary(status)}`);
  }

  private inspect(agent: Inspection | null): void {
    this.stage.choose(agent);
    if (agent && this.followNext) {
      this.stage.follow();
      this.followNext = false;
    }
    this.inspector.show(agent, this.stage.following);
    document.body.classList.toggle("inspecting", agent !== null);
  }

  private toggleFollow(): void {
    if (this.stage.following) this.stage.following = false;
    else this.stage.follow();
  }

  private keyDown(event: KeyboardEvent): void {
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && /^[zy]$/i.test(event.key)) {
      event.preventDefault();
      this.changes.turn(event.shiftKey || /^y$/i.test(event.key));
      return;
    }
    const found = meaning(event, this.settings.looks.bindings);
    // Space and Enter belong to a button that has the focus.
    const onButton = (event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement) && !event.target.closest("dialog");
    if (found === null || (onButton && event.key === " ")) return;
    if (!this.settings.looks.keys && found !== "help" && found !== "escape") return;
    if (event.target instanceof HTMLInputElement && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    if (typeof found === "number") this.preset(found);
    else this.act(found);
  }

  private preset(k: number): void {
    const item = this.hello?.scenarios[k];
    if (item) this.sharing.load(item.name);
  }

  private act(action: Action): void {
    const { looks } = this.settings;
    const speed = this.status?.speed ?? 1;
    const tool = (name: typeof looks.tool) => { this.settings.set({ tool: looks.tool === name ? "hand" : name }); };
    const acts: Record<Action, () => void> = {
      toggle: () => { this.send({ type: (this.status?.running ?? true) ? "pause" : "play" }); },
      step: () => { this.send({ type: "pause" }); this.send({ type: "step", count: 1 }); },
      reset: () => { this.send({ type: "reset", seed: null }); },
      newSeed: () => { this.send({ type: "reset", seed: Math.floor(Math.random() * 2 ** 31) }); },
      more: () => { this.changes.population(1.25); },
      fewer: () => { this.changes.population(0.8); },
      slower: () => { this.send({ type: "speed", value: nextSpeed(speed, false) }); },
      faster: () => { this.send({ type: "speed", value: nextSpeed(speed, true) }); },
      mode: () => { this.settings.nextMode(); note(`Colour by ${looks.mode}`); },
      palette: () => { this.settings.nextPalette(); note(`Palette ${looks.palette}`); },
      trails: () => { this.settings.set({ trails: !looks.trails }); },
      vision: () => { this.settings.set({ vision: !looks.vision }); },
      neighbors: () => { this.settings.set({ neighbors: !looks.neighbors }); },
      density: () => { this.settings.set({ density: !looks.density }); },
      attractorTool: () => { tool("attractor"); },
      repulsorTool: () => { tool("repulsor"); },
      scareTool: () => { tool("scare"); },
      foodTool: () => { tool("food"); },
      circleTool: () => { tool("circle"); },
      wallTool: () => { tool("wall"); },
      fit: () => { this.stage.fit(); },
      fullScreen: () => { void (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()); },
      hide: () => { this.settings.set({ hidden: !looks.hidden }); },
      charts: () => { this.settings.set({ charts: !looks.charts, ...(isNarrow() && !looks.charts ? { panel: false } : {}) }); },
      panel: () => { this.settings.set({ panel: !looks.panel, ...(isNarrow() && !looks.panel ? { charts: false } : {}) }); },
      screenshot: () => { this.stage.withPicture(() => { screenshot(this.stage.layers, this.name()); }); },
      screenshotLarge: () => { this.stage.withPicture(() => { screenshot(this.stage.layers, this.name()); }, LARGE_PX); },
      record: () => { this.toggleRecording(); },
      link: () => { void this.copyLink(); },
      export: () => { if (this.hello) saveJson(this.hello.scenario, this.name()); },
      actions: () => { void saveActions(this.name()); },
      help: () => { this.help.toggle(); },
      escape: () => { this.release(); },
    };
    this.hint.done();
    acts[action]();
  }

  private release(): void {
    this.stage.following = this.followNext = false;
    this.settings.set({ tool: "hand", hidden: false });
    this.send({ type: "select", id: null });
    this.inspect(null);
  }

  private name(): string {
    return this.hello ? stamp(this.hello.scenario, this.hello.seed, this.status?.step ?? 0) : "murmura";
  }

  private toggleRecording(): void {
    try {
      if (this.recorder.recording) this.recorder.stop();
      else this.recorder.start(this.stage.layers, this.name());
      note(this.recorder.recording ? "Recording; X stops it. For an exact frame rate use `murmura render`." : "Recording stopped.");
    } catch (error) {
      note(error instanceof Error ? error.message : "recording failed", "error");
    }
    this.dock.recording(this.recorder.recording);
  }

  private async copyLink(): Promise<void> {
    if (!this.hello) return;
    const address = await this.sharing.address(this.hello, this.hello.scenario);
    if (!address) {
      note("This scene is too long for a link: it is saved as a file instead.");
      saveJson(this.hello.scenario, this.name());
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
    this.hud.unfolded(looks.facts);
    this.room.make();
    this.showLegend();
    if ("mode" in changed) this.askExtra();
  }
}

function isExtra(mode: ColorMode): mode is ExtraColumn {
  return (EXTRA_COLUMNS as readonly string[]).includes(mode);
}

function storage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null; // switched off in this browser
  }
}
