import { expect, it, vi } from "vitest";
import { Cost } from "../../src/render/cost";
import { Settings } from "../../src/panel/settings";
import { fillingSize } from "../../src/panel/window_world";

function memory(kept: string | null = null) {
  const store = { text: kept };
  return {
    store,
    getItem: () => store.text,
    setItem: (_: string, text: string) => {
      store.text = text;
    },
  };
}

it("appearance is remembered, tools and overlays are not", () => {
  const first = memory();
  new Settings(first).set({ trails: false, tool: "wall", density: true, bindings: { density: ["y"] } });
  const { looks } = new Settings(first);
  expect(looks).toMatchObject({ trails: false, tool: "hand", density: false, bindings: { density: ["y"] } });
});
it("invalid stored values are ignored", () => {
  expect(new Settings(memory("{{{")).looks.mode).toBe("heading");
  expect(new Settings(memory('{"mode":"nonsense","trails":"yes","bindings":[1]}')).looks).toMatchObject({
    mode: "heading",
    trails: true,
    bindings: {},
  });
});
it("the system theme is read only when the browser reports a change: Chromium does not report one that a page has already read", () => {
  let hear: (event: { matches: boolean }) => void = () => undefined;
  const system = {
    matches: false,
    addEventListener: (_: string, act: typeof hear) => {
      hear = act;
    },
  };
  vi.stubGlobal("matchMedia", () => system);
  const settings = new Settings(null);
  const told: boolean[] = [];
  settings.onChange(() => {
    told.push(settings.light);
  });
  system.matches = true; // changed but not yet reported: the picture must not be ahead of the rest of the page
  expect(settings.light).toBe(false);
  hear({ matches: true });
  expect([settings.light, told]).toEqual([true, [true]]);
  vi.unstubAllGlobals();
});
it("several species are coloured by species, unless the user chose another mode", () => {
  const settings = new Settings(null);
  settings.suggest(["heading", "species", "speed"], 4);
  expect(settings.looks.mode).toBe("species");
  settings.suggest(["heading", "species", "speed"], 1);
  expect(settings.looks.mode).toBe("heading");
  settings.choose("speed");
  expect(settings.looks.palette).toBe("viridis");
  settings.suggest(["heading", "species", "speed"], 4);
  expect(settings.looks.mode).toBe("speed");
  settings.nextMode();
  expect(settings.looks.mode).toBe("heading");
});
it("the cost of a picture includes the messages before it; median and 95th percentile are reported", () => {
  const cost = new Cost();
  for (let k = 1; k <= 100; k++) {
    cost.add(k / 2);
    cost.close(k / 2);
  }
  expect(cost.report()).toEqual({ count: 100, median: 51, p95: 96 });
});
it("the scenario decides about trails, unless the user chose", () => {
  const settings = new Settings(null);
  settings.suggest(["heading"], 1, false);
  expect(settings.looks.trails).toBe(false);
  settings.set({ trails: true, trailsChosen: true });
  settings.suggest(["heading"], 1, false);
  expect(settings.looks.trails).toBe(true);
});
it("invalid themes, sizes and charts are not restored", () => {
  const { looks } = new Settings(memory('{"theme":"pink","size":99,"trailLength":-1,"cards":[1,2]}'));
  expect(looks).toMatchObject({ theme: "system", size: 4, trailLength: 0.1, cards: null });
});
it("a world that fills the window has an integer size and is never tiny", () => {
  expect(fillingSize({ width: 1439.6, height: 30 })).toEqual({ width: 1440, height: 200 });
});
