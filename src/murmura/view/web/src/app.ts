/** Connects the parts of the page: messages in, actions out. */

import { Changes } from "./net/changes";
import { actionsOf } from "./actions";
import { appearance } from "./panel/appearance";
import { Charts } from "./charts/charts";
import { Connection } from "./net/connection";
import { Dock } from "./panel/dock";
import { Feed } from "./panel/feed";
import { Files } from "./panel/files";
import { byId, element, isTyping } from "./dom";
import { ToolController } from "./tools/tools";
import { Help } from "./panel/help";
import { Hint } from "./text/hint";
import { Hud, summary } from "./panel/hud";
import { Input } from "./tools/input";
import { Inspector } from "./panel/inspector";
import { readScenario, Recorder, stamp, thumbnail } from "./tools/capture";
import { meaning, type Action } from "./tools/keys";
import { hunterKinds, Places } from "./tools/placement";
import { PlaybackBar } from "./panel/playback";
import { Lessons } from "./lessons/lessons";
import { Legend } from "./overlay/legend";
import { repainted } from "./overlay/world_objects";
import { installProbe } from "./probe";
import { COLOR_MODES, type ColorMode } from "./render/palettes";
import { say } from "./text/language";
import { note } from "./text/toasts";
import { Panel } from "./panel/panel";
import { Gallery } from "./gallery/gallery";
import { nineOf } from "./gallery/groups";
import { OwnPresets } from "./gallery/own";
import { presetList } from "./gallery/presets";
import { columnsOf, EXTRA_COLUMNS, type ClientMessage, type ExtraColumn, type Hello, type Inspection, type ServerMessage, type Status } from "./net/protocol";
import { isCompact, PanelLayout } from "./panel/layout";
import { WindowWorld } from "./panel/window_world";
import { valueAt } from "./panel/controls/schema";
import { Settings } from "./panel/settings";
import { Sharing } from "./net/sharing";
import { ALONE_MS, Stage } from "./render/stage";

const SUMMARY_MS = 5000;
const SILENT_MS = 1500; // the server sends five times a second
/** Messages that the user's actions send; the page sends the others by itself. */
const ACTIONS = new Set<ClientMessage["type"]>(["load", "reset", "set", "place", "play", "pause", "step", "speed", "seek", "branch", "return", "move", "erase"]);

export class App {
  private readonly memory = storage();
  private readonly settings = new Settings(this.memory);
  private readonly stage = new Stage(byId("flock"), byId("overlay"), this.settings);
  private readonly connection: Connection;
  private readonly sharing: Sharing;
  private readonly hud = new Hud(() => { this.settings.set({ facts: !this.settings.looks.facts }); });
  private readonly layout: PanelLayout;
  private readonly aside = element("aside", { class: "panel glass", id: "settings", "aria-label": "Settings" });
  private readonly charts = new Charts({ get: () => this.settings.looks.cards, set: (cards) => { this.settings.set({ cards }); } });
  private readonly feed = new Feed({ go: (place) => { this.stage.goTo(place); } });
  private readonly help = new Help(this.settings);
  private readonly gallery = new Gallery(new OwnPresets(this.memory), {
    load: (name) => { this.sharing.load(name); },
    loadOwn: (scenario) => { this.send({ type: "load", scenario }); },
    scenario: () => this.hello?.scenario ?? null,
    picture: (use) => { this.stage.withPicture(() => { use(thumbnail(this.stage.layers)); }); },
  });
  private readonly files = new Files({ hello: () => this.hello, step: () => this.status?.step ?? 0, name: () => (this.hello ? stamp(this.hello.scenario, this.hello.seed, this.status?.step ?? 0) : "murmura") });
  private readonly lessons = new Lessons({ send: (message) => { this.send(message); }, chart: (measure) => { this.charts.feature(measure); this.settings.set({ charts: true }); } });
  private readonly windowWorld = new WindowWorld(() => this.hello, () => ({ scenario: null, always: true, never: false })[this.settings.looks.fillWindow], () => this.stage.free, (message) => { this.send(message); });
  private readonly legend = new Legend();
  private readonly hint = new Hint(this.memory);
  private readonly recorder = new Recorder();
  private readonly dock: Dock;
  private readonly actions: Record<Action, () => void>;
  private readonly panel: Panel;
  private readonly inspector: Inspector;
  private readonly playback = new PlaybackBar((message) => { this.send(message); });
  private readonly presets;
  private readonly changes = new Changes(() => this.hello?.scenario ?? null, (message) => { this.send(message); }, (values) => { this.connection.send({ type: "set", values }); });
  private hello: Hello | null = null;
  private status: Status | null = null;
  private hasControls = false;
  private followNext = false;
  private lives = false; // there are details of single animals to show
  private lookedAt: readonly number[] | null | undefined;
  private lastSummary = -Infinity;
  private lastHeard = 0;

  constructor() {
    this.connection = new Connection({
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
    this.inspector = new Inspector({ follow: () => { this.toggleFollow(); }, ride: () => { this.stage.ride(); }, release: () => { this.act("escape"); }, select: (id) => { this.send({ type: "select", id }); } }, this.settings);
    this.layout = new PanelLayout(this.settings, this.stage, [this.hint.root, this.playback.root, this.dock.root], (name) => { this.act(name); });
    const { stage, settings, changes, sharing, recorder, dock, help, gallery, lessons, send } = this;
    this.actions = actionsOf({ stage, settings, changes, sharing, recorder, dock, help, gallery, lessons, send, hello: () => this.hello, status: () => this.status, release: () => { this.release(); } });
    this.presets = presetList((name) => { this.sharing.load(name); }, () => { this.act("gallery"); }, () => { this.act("lessons"); });
  }

  start(): void {
    const { looks } = this.settings;
    if (isStill()) this.settings.set({ trails: false });
    if (isCompact()) Object.assign(looks, { panel: false, charts: false, feed: false, facts: false }); // not remembered, because a wide window has room for more
    byId("left").append(this.hud.root, this.lessons.root, this.inspector.root, this.charts.root, this.feed.root);
    const count = element("label", { class: "field", for: "agents" }, element("span", {}, "Agents"), this.changes.agents);
    this.aside.append(this.presets.root, element("div", { class: "row" }, count, ...this.changes.buttons), this.panel.root, appearance(this.settings), this.files.root);
    byId("right").append(this.aside);
    byId("bottom").append(this.hint.root, this.playback.root, this.dock.root);
    byId("handles").before(this.legend.root);
    new Input(byId("flock"), new ToolController(this.stage, this.settings, this.send, new Places(() => this.hello, this.send, note), () => { this.followNext = true; }));
    addEventListener("keydown", (event) => { this.keyDown(event); });
    addEventListener("dragover", (event) => { event.preventDefault(); });
    addEventListener("drop", (event) => { this.dropped(event); });
    addEventListener("hashchange", () => { if (this.hello) void this.sharing.open(location.hash, this.hello); });
    this.settings.onChange((changed) => { this.looksChanged(changed); });
    this.looksChanged(looks);
    this.stage.onDrawn = () => {
      this.recorder.add(this.stage.layers);
      this.hud.drew(performance.now());
      if (!this.hasControls) setTimeout(() => { this.completeStart(); }, ALONE_MS);
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
    if (this.hello?.visitor) { // may change nothing
      if (ACTIONS.has(message.type)) note("You are a visitor: you can look around, but only the host can change the flock.");
      return;
    }
    this.connection.send(message);
    // Assume that a request succeeds: a key pressed twice must not act on an old status.
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
      case "bodies": this.stage.setBodies(message.agents); break;
      case "events": this.feed.add(message.events); break;
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
    this.settings.suggest(COLOR_MODES.filter((mode) => !isExtra(mode) || columns.includes(mode)), hello.species.length, valueAt(hello.scenario, "display.trails") !== false && !isStill());
    this.files.root.hidden = hello.bundled === true; // an exported page has no server
    this.hud.hello(hello);
    this.charts.hello(hello);
    document.body.classList.toggle("visitor", hello.visitor === true);
    this.feed.clear(Number(valueAt(hello.scenario, "motion.time_step") ?? 1 / 60));
    this.dock.running(hello.running);
    this.dock.showSpeed(hello.speed);
    this.panel.forget();
    this.showScenario(hello.scenario);
    this.stage.stances = hello.stances ?? [];
    this.lives = ["energy", "mating", "feeding", "genome"].some((rule) => valueAt(hello.scenario, `rules.${rule}.enabled`) === true);
    this.lookedAt = undefined; // earlier requests were for the previous flock
    this.dock.offerHunters(hello.hunters ?? hunterKinds(hello.schema));
    this.showLegend();
    this.sharing.hello(hello);
    this.windowWorld.later();
    if (!first) return;
    this.askExtra();
    if (hello.running && isStill() && !hello.visitor) this.send({ type: "pause" });
    void this.sharing.open(location.hash, hello);
  }

  private showScenario(scenario: Hello["scenario"]): void {
    if (!this.hello) return;
    this.hello = { ...this.hello, scenario, species: repainted(this.hello.species, scenario) };
    this.stage.setSpecies(this.hello);
    this.stage.setScenario(scenario);
    this.charts.paint(this.hello.species);
    this.showLegend();
    if (this.hasControls) this.showControls();
  }

  private showControls(): void {
    if (!this.hello) return;
    const { schema, scenario, loaded, scenarios } = this.hello;
    this.panel.show(schema, scenario, loaded);
    if (this.changes.isTurning) this.panel.revert(scenario, loaded);
    this.changes.isTurning = false;
    this.presets.show(scenarios, String(scenario.name));
    this.gallery.show(scenarios, String(scenario.name));
    this.changes.showAgents();
  }

  /** Called once the flock is visible: building hundreds of controls earlier would delay the first picture. */
  private completeStart(): void {
    if (this.hasControls) return;
    this.hint.begin();
    this.hasControls = true;
    this.showControls();
  }

  private showLegend(): void {
    if (!this.hello) return;
    const { species, stances = [] } = this.hello;
    const { hunters, light, overlayCounts } = this.stage;
    this.legend.show({ looks: this.settings.looks, species, hunters, stances, light, counts: overlayCounts });
  }

  private report(status: Status): void {
    this.status = status;
    this.showLegend(); // five times a second, because zooming changes what overlays omit
    this.hud.status(status);
    this.charts.status(status);
    this.feed.status(status);
    this.stage.setSights(status.population?.sights ?? []);
    this.stage.sexes = status.population?.males !== undefined;
    this.lookClosely();
    this.dock.running(status.running);
    this.dock.showSpeed(status.speed);
    this.playback.show(status.playback, status.step);
    const now = performance.now();
    if (now - this.lastSummary < SUMMARY_MS) return;
    this.lastSummary = now;
    byId("summary").textContent = say(summary(status));
    byId("flock").setAttribute("aria-label", say(`A flock: ${summary(status)}`));
  }

  /** Request close-up details while only a few animals are in view. */
  private lookClosely(): void {
    if (!this.hasControls) return;
    const window = this.lives ? this.stage.closeUp : null;
    if (String(window) === String(this.lookedAt)) return;
    this.lookedAt = window;
    const [left = null, top = null, right = null, bottom = null, low, high] = window ?? [];
    this.send({ type: "look", left, top, right, bottom, ...(low === undefined ? {} : { low, high }) });
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
    const item = nineOf(this.hello?.scenarios ?? [])[k] as { name: string } | undefined;
    if (item) this.sharing.load(item.name);
  }

  private act(action: Action): void {
    this.hint.done();
    this.actions[action]();
  }

  private release(): void {
    this.stage.following = this.followNext = false;
    this.settings.set({ tool: "hand", hidden: false });
    this.send({ type: "select", id: null });
    this.inspect(null);
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
    this.showLegend();
    if ("mode" in changed) this.askExtra();
    if ("fillWindow" in changed) this.windowWorld.later();
  }
}

function isExtra(mode: ColorMode): mode is ExtraColumn {
  return (EXTRA_COLUMNS as readonly string[]).includes(mode);
}

/** Whether the user prefers reduced motion. */
function isStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function storage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null; // disabled in this browser
  }
}
