// A quick stroke of one finger to the left or right.

import { closest, listen } from "./dom.js";

export type Direction = "left" | "right";

/** The minimal length of a swipe in pixels, and its maximal duration in milliseconds. */
const FAR = 48;
const QUICK = 500;

/** Elements that handle touches themselves, a picture only while it has the focus. */
const OTHERS = "input, select, pre, .adviz-code, [role=separator], .adviz-surface:focus-within";

export function onSwipe(element: HTMLElement, act: (direction: Direction) => void, signal: AbortSignal): void {
  let begun: { x: number; y: number; time: number } | null = null;
  const touchstart = (event: TouchEvent): void => {
    const [touch, ...others] = event.touches;
    const isFree = touch && !others.length && !closest(event, OTHERS);
    begun = isFree ? { x: touch.clientX, y: touch.clientY, time: event.timeStamp } : null;
  };
  const touchend = ({ changedTouches, timeStamp }: TouchEvent): void => {
    if (!begun || timeStamp - begun.time > QUICK) return;
    const dx = changedTouches[0]!.clientX - begun.x;
    const dy = changedTouches[0]!.clientY - begun.y;
    begun = null;
    if (Math.abs(dx) >= FAR && Math.abs(dx) > 2 * Math.abs(dy)) act(dx < 0 ? "left" : "right");
  };
  listen(element, signal, { touchstart }, { passive: true, capture: true });
  listen(element, signal, { touchend }, { passive: true });
}
