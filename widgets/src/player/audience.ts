// Before an audience: the Player fills the screen, and everything on it is as large as the screen allows.

import { sideOf } from "./levels.js";
import type { Panel, Show } from "../scene/scene.js";
import { isModified, keepScrolled, listen } from "../ui/dom.js";

/** What the browser would tell in a tooltip, but for the numbers of heat maps, which stand nowhere else. */
const TOLD = "[title], :not(rect) > title";

/** A screen on which everything has its usual size. */
const STAGE = { width: 960, height: 540 };

export class Audience {
  /** Everything is so many times as large as usual. */
  times = 1;
  /** The panel that stands beside the picture of a sweep. */
  side: Panel | null = null;
  #return = (): void => undefined;
  readonly #quiet = new MutationObserver(() => this.#hush());

  constructor(
    readonly element: HTMLElement,
    /** Hears how many times as large everything is from now on. */
    readonly enlarged: (times: number) => void,
    /** The reader left the full screen by the browser's own key. */
    left: () => void,
    signal: AbortSignal,
  ) {
    window.addEventListener("resize", () => this.#enlarge(), { signal });
    const change = (): void => {
      if (this.#filling === element) return;
      left();
      // Only now has the window its own size again, on which the heights of players depend.
      this.#return();
    };
    listen(element, signal, { fullscreenchange: change });
  }

  get isThere(): boolean {
    return this.element.classList.contains("adviz-presenting");
  }

  /** Whether a key asks for a panel beside the picture; once more it goes away. */
  takesKey(event: KeyboardEvent, scene: Show): boolean {
    const panel = this.isThere && !isModified(event) ? sideOf(scene, event.key) : null;
    if (panel) this.side = this.side === panel ? null : panel;
    return panel !== null;
  }

  present(on: boolean): void {
    this.side = null;
    // Meanwhile the page is shorter, and the browser scrolls it.
    if (on) this.#return = keepScrolled(this.element);
    this.element.classList.toggle("adviz-presenting", on);
    this.#hush();
    this.#enlarge();
    this.element.focus({ preventScroll: true });
    if (!on) this.#return();
    // Where a page may not fill the screen, its window has to do.
    if (on) this.element.requestFullscreen?.().catch(() => undefined);
    else if (this.#filling === this.element) document.exitFullscreen().catch(() => undefined);
  }

  /** Keep the browser from telling what is written anyway: a tooltip would stay before the audience. */
  #hush(): void {
    const { element, isThere } = this;
    for (const each of element.querySelectorAll<HTMLElement>(isThere ? TOLD : "[data-told]")) {
      const { dataset } = each;
      const told = each.localName === "title" ? "textContent" : "title";
      if (!isThere) {
        each[told] ||= dataset["told"]!;
        delete dataset["told"];
      } else if (each[told]) [dataset["told"], each[told]] = [each[told], ""];
    }
    if (isThere) this.#quiet.observe(element, { subtree: true, childList: true, attributeFilter: ["title"] });
    else this.#quiet.disconnect();
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
