// The camera of a picture over time: moved at once or gliding, by the reader or not.

import { type Camera, between } from "./camera.js";
import { played } from "../motion/schedule.js";
import { prefersStill } from "../ui/dom.js";

/** Milliseconds of a glide. */
const DURATION = 180;

export class Viewpoint {
  camera: Camera = { x: 0, y: 0, scale: 1 };
  /** Where a glide ends; what is computed from a viewpoint must not depend on how far the glide has got. */
  target: Camera = this.camera;
  /** Whether the reader has looked around; else the picture may choose what is seen. */
  chosen = false;
  #stop = (): void => {};

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
    this.#stop = played(DURATION, (t) => this.#place(between(from, target, 1 - (1 - t) ** 3)));
  }

  /** Move as the reader asks. */
  look(camera: Camera, how: "jump" | "glide"): void {
    this.chosen = true;
    this[how](camera);
  }

  stop(): void {
    this.#stop();
  }

  #place(camera: Camera): void {
    this.camera = camera;
    this.moved(camera);
  }
}
