/** A chart as a picture with its title, unit and legend, larger than on the page. */

import { say } from "../text/language";
import type { Spec } from "./catalog";
import type { History } from "./history";
import { Plot } from "./plot";

const [WIDTH, HEIGHT, HEAD] = [960, 420, 64]; // CSS pixels

export async function pictureOf(spec: Spec, history: History, light: boolean): Promise<Blob> {
  const plot = new Plot(spec, light, HEIGHT);
  const chart = await plot.painted(history, WIDTH);
  const scale = chart.width / WIDTH;
  const sheet = Object.assign(document.createElement("canvas"), {
    width: chart.width,
    height: chart.height + HEAD * scale,
  });
  const context = sheet.getContext("2d");
  if (!context) throw new Error("this browser cannot draw a picture");
  context.scale(scale, scale);
  context.fillStyle = light ? "#ffffff" : "#0d1222";
  context.fillRect(0, 0, WIDTH, HEIGHT + HEAD);
  head(context, spec, light ? "#18202e" : "#e8edf8");
  context.drawImage(chart, 0, HEAD, WIDTH, HEIGHT);
  plot.destroy();
  return new Promise((done, fail) => {
    sheet.toBlob((blob) => {
      if (blob) done(blob);
      else fail(new Error("this browser cannot save a picture"));
    });
  });
}

function head(context: CanvasRenderingContext2D, spec: Spec, ink: string): void {
  context.fillStyle = ink;
  context.font = "20px system-ui, sans-serif";
  context.fillText(say(spec.title) + (spec.unit ? ` [${spec.unit}]` : ""), 16, 28);
  if (spec.lines.length < 2) return;
  context.font = "13px system-ui, sans-serif";
  let x = 16;
  for (const { label, color } of spec.lines) {
    context.fillStyle = color;
    context.fillRect(x, 43, 10, 10);
    context.fillStyle = ink;
    context.fillText(say(label), x + 15, 53);
    x += 33 + context.measureText(say(label)).width;
  }
}
