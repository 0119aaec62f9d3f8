// A border that the reader moves by pointer or with the arrow keys.

import { html, listen } from "./dom.js";

/** Pixels by which a key moves a border. */
export const NUDGE = 24;

const KEYS = {
  vertical: { ArrowLeft: -NUDGE, ArrowRight: NUDGE },
  horizontal: { ArrowUp: -NUDGE, ArrowDown: NUDGE },
} as const;

/** A border that runs vertically or horizontally; `move` is called with the number of pixels to the right or down. */
export function border(
  runs: keyof typeof KEYS,
  label: string,
  move: (pixels: number) => void,
  signal: AbortSignal,
): HTMLElement {
  const attributes = { role: "separator", "aria-orientation": runs, "aria-label": label, tabindex: 0 };
  const element = html("div.adviz-border", attributes);
  const keys: Record<string, number> = KEYS[runs];
  listen(element, signal, {
    keydown: (event) => {
      const by = keys[event.key];
      if (by === undefined) return;
      event.preventDefault();
      move(by);
    },
    pointerdown: (event) => element.setPointerCapture(event.pointerId),
    pointermove: (event) => {
      if (element.hasPointerCapture(event.pointerId)) move(runs === "vertical" ? event.movementX : event.movementY);
    },
  });
  return element;
}
