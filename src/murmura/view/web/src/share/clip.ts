/** A clip: films the screen in real time and shows how long it is. For an exact frame rate use `murmura render`. */

import { download, element } from "../dom";
import { say } from "../text/language";
import { note } from "../text/toasts";
import { compose, fill, saved } from "./capture";

/** MP4 first: it plays everywhere. */
export const KINDS = [
  "video/mp4;codecs=avc1.640028",
  "video/mp4;codecs=avc1",
  "video/mp4",
  "video/webm;codecs=vp9",
  "video/webm;codecs=vp8",
  "video/webm",
];
const BITS = 12_000_000; // per second

export class Clip {
  /** The running time, with a button that ends the clip. */
  readonly root: HTMLElement;
  private readonly time = element("span", { class: "clip-time" });
  private readonly sheet = document.createElement("canvas");
  private recorder: MediaRecorder | null = null;
  private begun = 0;
  bytes = 0; // size of the clip so far

  constructor(private readonly changed: (recording: boolean) => void) {
    this.root = element(
      "div",
      { class: "clip glass", role: "group", "aria-label": "Clip", hidden: true },
      this.time,
      element(
        "button",
        {
          type: "button",
          class: "word",
          click: () => {
            this.stop();
          },
        },
        "Stop and save",
      ),
    );
    setInterval(() => {
      if (this.recorder) this.time.textContent = running((performance.now() - this.begun) / 1000);
    }, 250);
  }

  get recording(): boolean {
    return this.recorder !== null;
  }

  toggle(layers: HTMLCanvasElement[], name: string): void {
    try {
      if (this.recorder) this.stop();
      else this.start(layers, name);
    } catch (error) {
      note(error instanceof Error ? error.message : "recording failed", "error");
    }
  }

  private start(layers: HTMLCanvasElement[], name: string): void {
    compose(layers, this.sheet);
    const type = KINDS.find((kind) => MediaRecorder.isTypeSupported(kind));
    if (!type) throw new Error("this browser cannot record video");
    const chunks: Blob[] = [];
    const recorder = new MediaRecorder(this.sheet.captureStream(60), { mimeType: type, videoBitsPerSecond: BITS });
    this.bytes = 0;
    recorder.ondataavailable = (event) => {
      chunks.push(event.data);
      this.bytes += event.data.size;
    };
    recorder.onstop = () => {
      if (this.bytes === 0) return note("The recording was too short: it contains no picture.", "error");
      const file = `${name}.${type.includes("mp4") ? "mp4" : "webm"}`;
      download(file, new Blob(chunks, { type: type.split(";")[0] }));
      note(saved(file));
    };
    recorder.start(500);
    this.recorder = recorder;
    this.begun = performance.now();
    this.show();
  }

  private stop(): void {
    this.recorder?.stop();
    this.recorder = null;
    this.show();
  }

  private show(): void {
    this.time.textContent = running(0);
    this.root.hidden = !this.recording;
    this.changed(this.recording);
  }

  /** Call after each drawn picture. A clip keeps the size it began with: a slow page lowers its resolution in between. */
  add(layers: HTMLCanvasElement[]): void {
    if (this.recorder) fill(layers, this.sheet);
  }
}

/** "● 0:07" */
export function running(seconds: number): string {
  const whole = Math.floor(seconds);
  return say(`● ${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`);
}
