// Dragging, the wheel and pinching on a surface, reported as pans and zooms.

import type { Point } from "./camera.js";
import { focusedIn } from "../ui/dom.js";

interface GestureEvents {
  pan(dx: number, dy: number): void;
  zoom(factor: number, at: Point): void;
  /** The wheel turned where it scrolls the page: the reader may want to know how to zoom. */
  scrolledPast(): void;
}

/** Pixels that a pointer may move before a press becomes a drag. */
const SLACK = 4;

export class Gestures {
  /** Whether the last press moved the picture; the click that ends it then means nothing. */
  dragged = false;
  readonly #pointers = new Map<number, Point>();
  #pressed: Point = { x: 0, y: 0 };

  constructor(
    readonly surface: Element,
    readonly events: GestureEvents,
    signal: AbortSignal,
  ) {
    const on = (type: string, handle: (event: never) => void, passive = true): void =>
      surface.addEventListener(type, handle as EventListener, { signal, passive });
    on("pointerdown", this.#down);
    on("pointermove", this.#move);
    on("pointerup", this.#up);
    on("pointercancel", this.#up);
    on("wheel", this.#wheel, false);
  }

  /** Whether a button or a finger is down. */
  get pressed(): boolean {
    return this.#pointers.size > 0;
  }

  /** The place of an event on the surface. */
  place({ clientX, clientY }: { clientX: number; clientY: number }): Point {
    const { left, top } = this.surface.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  readonly #down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    if (this.#pointers.size === 0) {
      this.dragged = false;
      this.#pressed = this.place(event);
    }
    this.#pointers.set(event.pointerId, this.place(event));
  };

  readonly #move = (event: PointerEvent): void => {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const now = this.place(event);
    if (!this.dragged && Math.hypot(now.x - this.#pressed.x, now.y - this.#pressed.y) < SLACK) return;
    if (!this.dragged) this.surface.setPointerCapture?.(event.pointerId);
    this.dragged = true;
    this.#pointers.set(event.pointerId, now);
    const others = [...this.#pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    if (others[0]) this.#pinch(before, now, others[0]);
    else this.events.pan(now.x - before.x, now.y - before.y);
  };

  /** One of two fingers moved: zoom by their distance, pan with their middle. */
  #pinch(before: Point, now: Point, other: Point): void {
    const spread = (point: Point): number => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
    this.events.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    this.events.zoom(spread(now) / spread(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
  }

  readonly #up = (event: PointerEvent): void => {
    this.#pointers.delete(event.pointerId);
  };

  /** The wheel zooms when the picture has the focus or Control is held; else it scrolls the page. */
  readonly #wheel = (event: WheelEvent): void => {
    if (!event.ctrlKey && !event.metaKey && !focusedIn(this.surface)) {
      this.events.scrolledPast();
      return;
    }
    event.preventDefault();
    // A pinch on a trackpad arrives as a wheel with Control and small steps; a mouse wheel in steps of about 100.
    const step =
      event.deltaY * (event.deltaMode === 1 ? 20 : 1) * (event.ctrlKey && Math.abs(event.deltaY) < 40 ? 5 : 1);
    this.events.zoom(Math.exp(-Math.max(-240, Math.min(240, step)) * 0.002), this.place(event));
  };
}
