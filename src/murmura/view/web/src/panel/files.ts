/** Recording a run on the server, saving the state and the charts, and copying the command that repeats the run. */

import { download, element } from "../dom";
import { isObject, type Hello } from "../net/protocol";
import { saveJson } from "../share/capture";
import { savePage } from "../share/page_file";
import { note } from "../text/toasts";
import { say } from "../text/language";

export interface FilesCallbacks {
  hello(): Hello | null;
  step(): number;
  name(): string;
}

export class Files {
  readonly root: HTMLElement;
  private readonly run = element(
    "button",
    {
      type: "button",
      "aria-pressed": "false",
      click: () => {
        void this.toggle();
      },
    },
    "Record a run",
  );
  private readonly note = element("p", { class: "told", role: "status" });
  private readonly page = element(
    "button",
    {
      type: "button",
      title: "One file that needs no server: it simulates this scenario in any browser",
      click: () => {
        void this.savePage();
      },
    },
    "Save as a page",
  );
  private recording = false;

  constructor(private readonly callbacks: FilesCallbacks) {
    this.root = element(
      "details",
      { class: "appearance files" },
      element("summary", {}, "Runs and files"),
      element(
        "div",
        { class: "buttons" },
        this.run,
        element(
          "button",
          {
            type: "button",
            title: "A checkpoint, for Simulation.restore",
            click: () => {
              void this.saveState();
            },
          },
          "Save the state",
        ),
        this.page,
        element(
          "button",
          {
            type: "button",
            title: "The command that runs this scenario; a changed one is saved as a file with it",
            click: () => {
              void this.copyCommand();
            },
          },
          "Copy the command",
        ),
      ),
      this.note,
    );
    this.root.addEventListener("toggle", () => {
      if ((this.root as HTMLDetailsElement).open) void this.ask();
    });
  }

  /** Ask the server: another page may have started or stopped the recording. */
  private async ask(): Promise<void> {
    const answer = await asked("./api/record");
    if (isObject(answer)) this.show(answer.recording === true, typeof answer.folder === "string" ? answer.folder : "");
  }

  private async toggle(): Promise<void> {
    const answer = await asked("./api/record", { on: !this.recording });
    if (!isObject(answer)) return;
    const folder = typeof answer.folder === "string" ? answer.folder : "";
    this.show(answer.recording === true, folder);
    if (answer.recording !== true)
      this.note.textContent = say(
        `${Number(answer.frames)} frames in ${folder}. Watch them with: murmura replay ${folder}`,
      );
  }

  private show(recording: boolean, folder: string): void {
    this.recording = recording;
    this.run.textContent = say(recording ? "Stop recording the run" : "Record a run");
    this.run.setAttribute("aria-pressed", String(recording));
    if (recording) this.note.textContent = say(`Recording on the server into ${folder}`);
  }

  private async saveState(): Promise<void> {
    try {
      const answer = await fetch("./api/state");
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      download(`${this.callbacks.name()}.npz`, await answer.blob());
    } catch (error) {
      note(`The state could not be saved: ${error instanceof Error ? error.message : "no answer"}`, "error");
    }
  }

  private async savePage(): Promise<void> {
    this.page.disabled = true; // it takes some seconds, and the server makes one at a time
    this.note.textContent = say("Building the page …");
    try {
      this.note.textContent = say(await savePage(String(this.callbacks.hello()?.scenario.name ?? "flock")));
    } catch (error) {
      this.note.textContent = "";
      note(error instanceof Error ? error.message : "The page could not be saved: no answer", "error");
    } finally {
      this.page.disabled = false;
    }
  }

  private async copyCommand(): Promise<void> {
    const hello = this.callbacks.hello();
    if (!hello) return;
    const text = commandOf(hello, this.callbacks.step());
    this.note.textContent = text;
    const file = fileOf(hello);
    if (file) saveJson(hello.scenario, file);
    try {
      await navigator.clipboard.writeText(text);
      note(file ? `Command copied. It reads the scenario from ${file}.json, which was saved.` : "Command copied.");
    } catch {
      note("The command is in the settings, below the buttons.");
    }
  }
}

/** The command that repeats the run, provided that nothing was changed since the start. */
export function commandOf(hello: Begun, step: number): string {
  const name = nameOf(hello);
  return `murmura run ${fileOf(hello) ? `${name}.json` : name} --seed ${hello.seed} --steps ${Math.max(step, 600)} --out ${name}-run`;
}

type Begun = Pick<Hello, "scenario" | "loaded" | "shipped" | "seed">;

function nameOf({ scenario }: Begun): string {
  return String(scenario.name ?? "scene");
}

/** The name of the file that the command reads; null for a shipped scenario without changes. */
function fileOf(hello: Begun): string | null {
  return hello.shipped && JSON.stringify(hello.scenario) === JSON.stringify(hello.loaded) ? null : nameOf(hello);
}

async function asked(path: string, body?: unknown): Promise<unknown> {
  try {
    const answer = await fetch(path, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
    const data: unknown = await answer.json();
    if (!answer.ok)
      throw new Error(
        isObject(data) && typeof data.error === "string" ? data.error : `the server answered ${answer.status}`,
      );
    return data;
  } catch (error) {
    note(error instanceof Error ? error.message : "no answer", "error");
    return null;
  }
}
