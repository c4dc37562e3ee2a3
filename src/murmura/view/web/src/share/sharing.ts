/** Links: creates one for the current scene, and restores the scene of an opened one. */

import { decodeScene, difference, encodeScene, LONGEST_LINK, merged, type Scene } from "../net/link";
import { note } from "../text/toasts";
import type { ClientMessage, Hello, JsonObject } from "../net/protocol";
import { defaultsOf } from "../panel/controls/schema";

export class Sharing {
  /** Shipped scenarios as the server sent them, unchanged. */
  private readonly shipped = new Map<string, JsonObject>();
  private awaited: string | null = null;
  private wanted: Scene | null = null;

  constructor(private readonly send: (message: ClientMessage) => void) {}

  /** Request a shipped scenario; the next hello contains it unchanged. */
  load(name: string): void {
    this.awaited = name;
    this.send({ type: "load", scenario: name });
  }

  hello(hello: Hello): void {
    const name = String(hello.scenario.name);
    const fresh = this.awaited === name;
    if (hello.bundled) this.shipped.set(name, hello.loaded);
    if (fresh) {
      this.awaited = null;
      this.shipped.set(name, hello.scenario);
    }
    if (this.wanted && (fresh || this.wanted.preset === null)) this.apply(hello, this.wanted);
  }

  /** Open the scene in the fragment of the address. */
  async open(hash: string, hello: Hello): Promise<void> {
    if (!hash.startsWith("#c=")) return;
    try {
      const scene = await decodeScene(hash);
      this.wanted = scene;
      if (scene.preset === null) this.apply(hello, scene);
      else if (hello.scenarios.some((item) => item.name === scene.preset)) this.load(scene.preset);
      else throw new Error(`there is no preset called ${scene.preset}`);
    } catch (error) {
      this.wanted = null;
      note(
        `The link could not be read (${error instanceof Error ? error.message : "damaged"}); showing the preset instead.`,
        "error",
      );
    }
  }

  private apply(hello: Hello, scene: Scene): void {
    this.wanted = null;
    const base = (scene.preset === null ? null : this.shipped.get(scene.preset)) ?? defaultsOf(hello.schema);
    this.send({ type: "load", scenario: merged(base, scene.values) });
    if (scene.seed !== null) this.send({ type: "reset", seed: scene.seed });
  }

  /** The address of this scene, or null if it would be too long. */
  async address(hello: Hello, scenario: JsonObject): Promise<string | null> {
    const name = String(scenario.name);
    const base = this.shipped.get(name);
    const scene: Scene = {
      preset: base ? name : null,
      values: difference(base ?? defaultsOf(hello.schema), scenario),
      seed: hello.seed,
    };
    const hash = await encodeScene(scene);
    const address = location.href.replace(/#.*$/, "") + hash; // the origin of a file is "null"
    return address.length > LONGEST_LINK ? null : address;
  }
}
