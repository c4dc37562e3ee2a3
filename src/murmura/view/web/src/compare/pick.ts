/** "Compare with a changed copy": what shall be different, then two flocks side by side. */

import { element } from "../dom";
import { isObject, type Hello } from "../net/protocol";
import { note } from "../text/toasts";
import { suggestions, type Suggestion } from "./differences";

export class ComparePick {
  private readonly dialog: HTMLDialogElement;
  private readonly list = element("ul", { class: "choices" });

  /** `leave` is called before the page goes to the comparison. */
  constructor(
    private readonly hello: () => Hello | null,
    private readonly leave: () => void,
  ) {
    this.dialog = element(
      "dialog",
      { class: "sheet compare", "aria-labelledby": "compare-title" },
      element("form", { method: "dialog" }, element("button", { class: "bare close", "aria-label": "Close" }, "×")),
      element("h2", { id: "compare-title" }, "Compare with a changed copy"),
      element("p", {}, "Both start as this flock is now. What shall be different on the right?"),
      this.list,
    );
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  /** Whether there is a server that can make the copy, and this page is not a half itself. */
  get isPossible(): boolean {
    const hello = this.hello();
    return (
      window.parent === window && hello !== null && !hello.bundled && !hello.visitor && hello.playback === undefined
    );
  }

  toggle(): void {
    const hello = this.hello();
    if (this.dialog.open || !hello) {
      this.dialog.close();
      return;
    }
    if (!this.isPossible) {
      note("A copy needs the live view: `murmura live` in a window of its own.");
      return;
    }
    this.list.replaceChildren(
      ...suggestions(hello.scenario, hello.loaded, Object.keys(hello.idle ?? {})).map((each) =>
        element(
          "li",
          {},
          element(
            "button",
            {
              type: "button",
              click: () => {
                void this.begin(each);
              },
            },
            each.label,
          ),
        ),
      ),
    );
    this.dialog.showModal();
  }

  private async begin({ values }: Suggestion): Promise<void> {
    this.dialog.close();
    try {
      const answer = await fetch("./api/compare", { method: "POST", body: JSON.stringify({ values }) });
      const data: unknown = await answer.json();
      if (!answer.ok) throw new Error(isObject(data) && typeof data.error === "string" ? data.error : "no copy");
      this.leave();
      location.assign("./compare/");
    } catch (error) {
      note(`The copy could not be made: ${error instanceof Error ? error.message : "no answer"}`, "error");
    }
  }
}
