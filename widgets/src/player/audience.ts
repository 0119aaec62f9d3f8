// Before an audience: the Player fills the screen, and everything on it is as large as the screen allows.

/** A screen on which everything has its usual size. */
const STAGE = { width: 960, height: 540 };

export class Audience {
  /** Everything is so many times as large as usual. */
  times = 1;

  constructor(
    readonly element: HTMLElement,
    /** Hears how many times as large everything is from now on. */
    readonly enlarged: (times: number) => void,
    /** The reader left the full screen by the browser's own key. */
    left: () => void,
    signal: AbortSignal,
  ) {
    window.addEventListener("resize", () => this.#enlarge(), { signal });
    element.addEventListener("fullscreenchange", () => this.#filling === element || left(), { signal });
  }

  get isThere(): boolean {
    return this.element.classList.contains("adviz-presenting");
  }

  present(on: boolean): void {
    this.element.classList.toggle("adviz-presenting", on);
    this.#enlarge();
    this.element.focus({ preventScroll: true });
    // Where a page may not fill the screen, its window has to do.
    if (on) this.element.requestFullscreen?.().catch(() => undefined);
    else if (this.#filling === this.element) document.exitFullscreen().catch(() => undefined);
  }

  #enlarge(): void {
    const times = this.isThere ? Math.max(1.2, Math.min(innerWidth / STAGE.width, innerHeight / STAGE.height)) : 1;
    if (times === this.times) return;
    this.times = times;
    this.element.style.setProperty("--times", String(times));
    this.enlarged(times);
  }

  /** What fills the screen, also where the page shows the player in a shadow root. */
  get #filling(): Element | null {
    return (this.element.getRootNode() as Document | ShadowRoot).fullscreenElement ?? null;
  }
}
