/** The parts of the page, and what each may do to the others. They show the state through views.ts. */

import { copyLink, nameOf } from "./actions";
import { Charts } from "./charts/charts";
import { ComparePick } from "./compare/pick";
import { element } from "./dom";
import { Gallery } from "./gallery/gallery";
import { OwnPresets } from "./gallery/own";
import { presetList } from "./gallery/presets";
import { lessonHost } from "./lessons/host";
import { Lessons } from "./lessons/lessons";
import { Changes } from "./net/changes";
import type { ClientMessage } from "./net/protocol";
import { Legend } from "./overlay/legend";
import { BigPlay } from "./panel/big_play";
import { Dock } from "./panel/dock";
import { Feed } from "./panel/feed";
import { Files } from "./panel/files";
import { Help } from "./panel/help";
import { Hud } from "./panel/hud";
import { Inspector } from "./panel/inspector";
import { PanelLayout } from "./panel/layout";
import { Panel } from "./panel/panel";
import { PlaybackBar } from "./panel/playback";
import type { Settings } from "./panel/settings";
import { TimeLineBar } from "./panel/time_line";
import { ToolLine } from "./panel/tool_line";
import { WindowWorld } from "./panel/window_world";
import type { Stage } from "./render/stage";
import { readScenario, thumbnail } from "./share/capture";
import { Clip } from "./share/clip";
import { savePage } from "./share/page_file";
import { Share } from "./share/share";
import { Sharing } from "./share/sharing";
import { scenarioOf } from "./store/state";
import { Hint } from "./text/hint";
import { CloseUp } from "./tools/close_up";
import type { Action } from "./tools/keys";
import type { PageStore } from "./views";

export interface Context {
  memory: Storage | null;
  settings: Settings;
  stage: Stage;
  store: PageStore;
  /** Send what the user does. */
  send: (message: ClientMessage) => void;
  /** Send a change that is noted already. */
  deliver: (message: ClientMessage) => void;
  act: (action: Action) => void;
}

export type Parts = ReturnType<typeof makeParts>;

export function makeParts(context: Context) {
  const { memory, settings, stage, store, send, act } = context;
  const sharing = new Sharing(send);
  const hint = new Hint(memory);
  const changes = changesOf(context);
  const charts = chartsOf(settings);
  const toolLine = new ToolLine(settings);
  const playback = new PlaybackBar(send);
  const timeLine: TimeLineBar = new TimeLineBar(send, () => {
    layout.make();
  });
  const dock = dockOf(context, hint, toolLine, changes);
  const layout = new PanelLayout(settings, stage, [hint.root, playback.root, timeLine.root, dock.root]);
  return {
    settings,
    stage,
    sharing,
    hint,
    changes,
    charts,
    toolLine,
    playback,
    timeLine,
    dock,
    layout,
    aside: element("aside", { class: "panel glass", id: "settings", "aria-label": "Settings" }),
    hud: new Hud(() => {
      settings.set({ facts: !settings.looks.facts });
    }),
    feed: new Feed({
      go: (place) => {
        stage.goTo(place);
      },
    }),
    help: new Help(settings),
    gallery: galleryOf(context, sharing),
    files: new Files({
      hello: () => store.state.hello,
      step: () => store.state.status?.step ?? 0,
      name: () => nameOf(store.state),
    }),
    lessons: new Lessons(lessonHost(context, charts)),
    windowWorld: new WindowWorld(
      () => store.state.hello,
      () => ({ scenario: null, always: true, never: false })[settings.looks.fillWindow],
      () => (stage.wrap ? stage.view : stage.free),
      send,
    ),
    legend: new Legend(),
    clip: new Clip((recording) => {
      dock.recording(recording);
    }),
    share: shareOf(context, sharing),
    panel: new Panel({
      change: (path, value) => {
        changes.make(path, value);
      },
    }),
    inspector: inspectorOf(context),
    presets: presetList((name) => {
      sharing.load(name);
    }),
    compare: new ComparePick(
      () => store.state.hello,
      () => {
        send({ type: "pause" });
      },
    ),
    closeUp: new CloseUp(send),
    bigPlay: new BigPlay(() => {
      act("toggle");
    }),
  };
}

function changesOf({ store, send, deliver }: Context): Changes {
  return new Changes(
    () => scenarioOf(store.state),
    send,
    deliver,
    () => store.state.hello?.bundled !== true,
  );
}

function chartsOf(settings: Settings): Charts {
  return new Charts({
    get: () => settings.looks.cards,
    set: (cards) => {
      settings.set({ cards });
    },
  });
}

function galleryOf({ memory, stage, store, send }: Context, sharing: Sharing): Gallery {
  return new Gallery(new OwnPresets(memory), {
    load: (name) => {
      sharing.load(name);
    },
    loadOwn: (scenario) => {
      send({ type: "load", scenario });
    },
    scenario: () => scenarioOf(store.state),
    picture: (use) => {
      stage.withPicture(() => {
        use(thumbnail(stage.layers));
      });
    },
  });
}

function shareOf({ store, act }: Context, sharing: Sharing): Share {
  return new Share({
    picture: () => {
      act("screenshot");
    },
    clip: () => {
      act("record");
    },
    page: () => savePage(String(store.state.hello?.scenario.name ?? "flock")),
    link: () => copyLink(sharing, store.state),
    missing: () => (store.state.hello?.bundled || store.state.hello?.visitor ? ["page"] : []),
  });
}

function dockOf({ settings, act, send }: Context, hint: Hint, toolLine: ToolLine, changes: Changes): Dock {
  return new Dock(
    settings,
    {
      act,
      speed: (value) => {
        send({ type: "speed", value });
      },
      tool: (tool) => {
        hint.done();
        settings.set({ tool });
        toolLine.ask(tool);
      },
      openFile: (file) => {
        void openFile(file, send);
      },
    },
    changes.buttons,
  );
}

function inspectorOf({ stage, settings, send, act }: Context): Inspector {
  return new Inspector(
    {
      follow: () => {
        if (stage.following) stage.following = false;
        else stage.follow();
      },
      ride: () => {
        stage.ride();
      },
      release: () => {
        act("escape");
      },
      select: (id) => {
        send({ type: "select", id });
      },
    },
    settings,
  );
}

/** Load the scenario in a file. */
export async function openFile(file: File, send: Context["send"]): Promise<void> {
  const scenario = await readScenario(file);
  if (scenario) send({ type: "load", scenario });
}
