// The camera of a picture over time: moved at once or gliding, by the reader or not.

import { type Camera, between } from "./camera.js";
import { prefersStill } from "../ui/dom.js";

/** Milliseconds of a glide. */
const DURATION = 180;

export class Viewpoint {
  camera: Camera = { x: 0, y: 0, scale: 1 };
  /** Where a glide ends; what is computed from a viewpoint must not depend on how far the glide has got. */
  target: Camera = this.camera;
  /** Whether the reader has looked around; else the picture may choose what is seen. */
  chosen = false;
  #frame = 0;

  constructor(readonly moved: (camera: Camera) => void) {}

  /** Jump to a camera. */
  jump(camera: Camera): void {
    this.stop();
    this.target = camera;
    this.#place(camera);
  }

  /** Glide to a camera, or jump if the reader asked for less motion. */
  glide(target: Camera): void {
    if (prefersStill()) return this.jump(target);
    this.stop();
    this.target = target;
    const from = this.camera;
    let start: number | null = null;
    const step = (now: number): void => {
      start ??= now;
      const t = Math.min(1, (now - start) / DURATION);
      this.#place(between(from, target, 1 - (1 - t) ** 3));
      if (t < 1) this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  /** Move as the reader asks. */
  look(camera: Camera, how: "jump" | "glide"): void {
    this.chosen = true;
    this[how](camera);
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
  }

  #place(camera: Camera): void {
    this.camera = camera;
    this.moved(camera);
  }
}
