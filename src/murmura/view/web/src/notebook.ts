/**
 * The live view in a notebook: the same page in an iframe, with a replacement for WebSocket.
 *
 * Messages go through the widget's comm instead of a socket, so the view works wherever widgets do,
 * even with the kernel on another machine. Each view of a widget has a random name.
 */

interface Model {
  get(name: "page"): string;
  get(name: "height"): number;
  on(event: "msg:custom", act: (content: FromKernel, buffers: DataView[]) => void): void;
  off(event: "msg:custom", act: (content: FromKernel, buffers: DataView[]) => void): void;
  send(content: ToKernel): void;
}

interface FromKernel {
  view: string;
  text?: string;
}

type ToKernel = { view: string; kind: "open" | "close" } | { view: string; kind: "say"; text: string };

/** Runs inside the iframe before the page and replaces WebSocket. Must not refer to anything outside itself. */
function replaceWebSocket(): void {
  class WidgetWebSocket {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    static readonly CLOSED = 3;
    readyState = 0;
    binaryType = "arraybuffer";
    onopen: (() => void) | null = null;
    onclose: (() => void) | null = null;
    onmessage: ((event: { data: string | ArrayBuffer }) => void) | null = null;

    constructor() {
      addEventListener("message", (event: MessageEvent<string | ArrayBuffer>) => {
        if (event.source === parent) this.onmessage?.({ data: event.data });
      });
      setTimeout(() => {
        this.readyState = 1;
        this.onopen?.();
        parent.postMessage({ murmura: "open" }, "*");
      });
    }

    send(text: string): void {
      parent.postMessage({ murmura: "say", text }, "*");
    }

    close(): void {
      this.readyState = 3;
    }
  }
  Object.assign(globalThis, { WebSocket: WidgetWebSocket });
}

/** The page for a cell: its style sheet shows fewer controls at first, and its socket is the widget's comm. */
function inCell(page: string): string {
  const script = `<script>document.documentElement.dataset.host="notebook";(${replaceWebSocket.toString()})()</script>`;
  return page.replace("<head>", () => `<head>${script}`);
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const view = Math.random().toString(36).slice(2); // randomUUID needs https, which a hub may lack
  const frame = document.createElement("iframe");
  frame.title = "Murmura: a flock, live";
  frame.allow = "fullscreen; clipboard-write";
  frame.style.cssText = `display:block;width:100%;height:${model.get("height")}px;border:0;border-radius:8px`;
  frame.srcdoc = inCell(model.get("page"));
  const fromPage = (event: MessageEvent<{ murmura?: string; text?: string } | null>): void => {
    if (event.source !== frame.contentWindow) return;
    if (event.data?.murmura === "open") model.send({ view, kind: "open" });
    else if (event.data?.murmura === "say") model.send({ view, kind: "say", text: String(event.data.text) });
  };
  const fromKernel = (content: FromKernel, buffers: DataView[]): void => {
    if (content.view !== view) return;
    if (content.text !== undefined) frame.contentWindow?.postMessage(content.text, "*");
    for (const { buffer, byteOffset, byteLength } of buffers) {
      const bytes = (buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength);
      frame.contentWindow?.postMessage(bytes, "*", [bytes]);
    }
  };
  addEventListener("message", fromPage);
  model.on("msg:custom", fromKernel);
  el.append(frame);
  return () => {
    removeEventListener("message", fromPage);
    model.off("msg:custom", fromKernel);
    model.send({ view, kind: "close" });
  };
}

export default { render };
