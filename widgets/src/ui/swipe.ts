// A quick stroke of one finger to the left or right.

export type Direction = "left" | "right";

/** The minimal length of a swipe in pixels, and its maximal duration in milliseconds. */
const FAR = 48;
const QUICK = 500;

/** Elements that handle touches themselves. */
const OTHERS = "input, select, pre, .adviz-code, .adviz-map, [role=separator]";

export function onSwipe(element: HTMLElement, act: (direction: Direction) => void, signal: AbortSignal): void {
  let begun: { x: number; y: number; time: number } | null = null;
  element.addEventListener(
    "touchstart",
    ({ touches, target, timeStamp }) => {
      const own = target instanceof Element && target.closest(OTHERS);
      const held = target instanceof Element && target.closest(".adviz-surface:focus-within");
      const [touch] = touches;
      begun = touches.length === 1 && !own && !held ? { x: touch!.clientX, y: touch!.clientY, time: timeStamp } : null;
    },
    { signal, passive: true, capture: true },
  );
  element.addEventListener(
    "touchend",
    ({ changedTouches, timeStamp }) => {
      if (!begun || timeStamp - begun.time > QUICK) return;
      const dx = changedTouches[0]!.clientX - begun.x;
      const dy = changedTouches[0]!.clientY - begun.y;
      begun = null;
      if (Math.abs(dx) >= FAR && Math.abs(dx) > 2 * Math.abs(dy)) act(dx < 0 ? "left" : "right");
    },
    { signal, passive: true },
  );
}
