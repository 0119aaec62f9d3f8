// The entry point of notebooks, by anywidget: traits and messages. The only file that knows models and comms.

import { type ViewOf, shown } from "./view.js";
import type { GraphHost, PlayerHost, Traits } from "../host.js";
import type { Adjoints, Detail, GraphPanel, Nudge, ProgramLine } from "../scene/scene.js";
import { uniqueName } from "../ui/dom.js";

/** What is used of anywidget's model. */
export interface Model {
  get(trait: string): unknown;
  set(trait: string, value: unknown): void;
  save_changes(): void;
  on(event: string, listener: (content: never) => void): void;
  off(event: string, listener: (content: never) => void): void;
  send(content: unknown): void;
}

/** What Python answers, by what is asked for. */
interface Answers {
  view: GraphPanel;
  detail: Detail;
  adjoints: Adjoints;
  play: object;
  nudge: Nudge;
  program: readonly ProgramLine[];
}

interface Reply extends Partial<Answers> {
  id?: string;
  error?: string;
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/** Milliseconds after which Python no longer echoes a value sent to it. */
const ECHO_TIME = 5000;
/** Milliseconds after which a value that seemed to be an echo, and has stayed, is one that Python has set. */
const STAYED = 250;

/** The live views of each model. */
const views = new WeakMap<Model, Set<WidgetHost>>();

class WidgetHost implements GraphHost, PlayerHost {
  readonly live = true;
  readonly #name = uniqueName();
  readonly #waiting = new Map<string, Waiting>();
  readonly #views: Set<WidgetHost>;
  #asked = 0;
  readonly #told = new Map<string, { text: string; at: number }[]>();
  #telling = false;
  #lost: (why: string) => void = () => undefined;

  constructor(readonly model: Model) {
    this.#views = views.get(model) ?? new Set();
    views.set(model, this.#views.add(this));
    model.on("msg:custom", this.#hear);
    model.on("comm_live_update", this.#lose);
  }

  get scene(): unknown {
    return this.model.get("scene");
  }

  get columns(): ArrayBuffer | ArrayBufferView {
    return this.model.get("columns") as ArrayBuffer | ArrayBufferView;
  }

  get selection(): readonly number[] {
    return (this.model.get("selection") as number[] | undefined) ?? [];
  }

  select(nodes: readonly number[]): void {
    this.model.set("selection", [...nodes]);
    this.model.save_changes();
  }

  onSelection(listener: (nodes: readonly number[]) => void): () => void {
    const changed = (): void => listener(this.selection);
    this.model.on("change:selection", changed);
    return () => this.model.off("change:selection", changed);
  }

  onLost(listener: (why: string) => void): void {
    this.#lost = listener;
  }

  get conducts(): boolean {
    return this.#views.values().next().value === this;
  }

  trait<K extends keyof Traits>(name: K): Traits[K] | undefined {
    return this.model.get(name) as Traits[K] | undefined;
  }

  tell<K extends keyof Traits>(name: K, value: Traits[K]): void {
    this.#told.set(name, [...this.#underWay(name), { text: JSON.stringify(value), at: Date.now() }]);
    this.#telling = true;
    this.model.set(name, value);
    this.#telling = false;
    // At once: while Python is busy the model keeps only the latest value.
    this.model.save_changes();
  }

  hear(name: string, listener: () => void): () => void {
    let staying: ReturnType<typeof setTimeout> | undefined;
    const changed = (): void => {
      clearTimeout(staying);
      if (this.#telling || !this.#isEcho(name)) return listener();
      staying = setTimeout(listener, STAYED);
    };
    this.model.on(`change:${name}`, changed);
    return () => {
      clearTimeout(staying);
      this.model.off(`change:${name}`, changed);
    };
  }

  /** Python echoes every value; an echo of one that has been superseded is soon followed by that of the next. */
  #isEcho(name: string): boolean {
    const text = JSON.stringify(this.model.get(name));
    const told = this.#underWay(name);
    const left = told.slice(told.findIndex((each) => each.text === text) + 1);
    const isKnown = left.length < told.length;
    this.#told.set(name, isKnown ? left : []);
    return isKnown && left.length > 0;
  }

  /** Values of a trait that Python may still echo, the oldest first. */
  #underWay(name: string): { text: string; at: number }[] {
    return (this.#told.get(name) ?? []).filter(({ at }) => Date.now() - at < ECHO_TIME);
  }

  readonly view = (scope: number): Promise<GraphPanel> => this.#ask("view", { scope });
  readonly detail = (node: number): Promise<Detail> => this.#ask("detail", { node });
  readonly adjoints = (output: number): Promise<Adjoints> => this.#ask("adjoints", { output });
  readonly nudge = (node: number, entry: number): Promise<Nudge> => this.#ask("nudge", { node, entry });
  readonly program = (): Promise<readonly ProgramLine[]> => this.#ask("program");
  readonly play = (): Promise<object> => this.#ask("play");

  dispose(): void {
    this.#views.delete(this);
    this.model.off("msg:custom", this.#hear);
    this.model.off("comm_live_update", this.#lose);
    this.#giveUp("This view was closed.");
  }

  /** Send a request. All views of a model receive every reply; the id identifies its own. */
  #ask<K extends keyof Answers>(type: K, about: object = {}): Promise<Answers[K]> {
    const id = `${this.#name}-${++this.#asked}`;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: (reply) => resolve(reply[type] as Answers[K]), reject });
      try {
        this.model.send({ id, type, ...about });
      } catch {
        this.#lose();
      }
    });
  }

  #giveUp(why: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(why));
    this.#waiting.clear();
  }

  /** The kernel was restarted or has died: no pending request will be answered. */
  readonly #lose = (): void => {
    this.#giveUp("Python no longer has this graph: run its cell again.");
    this.#lost("Python no longer has this program: run its cell again.");
  };

  readonly #hear = (reply: Reply): void => {
    const waiting = reply.id === undefined ? undefined : this.#waiting.get(reply.id);
    if (!waiting) return;
    this.#waiting.delete(reply.id!);
    if (reply.error !== undefined) waiting.reject(new Error(reply.error));
    else waiting.resolve(reply);
  };
}

/**
 * Let the browser look at styles anew whenever a view comes into sight. JupyterLab hides cells that are out of sight, and
 * Chromium may lay out nothing of what has been added to a container meanwhile, until the container itself changes.
 */
function restyleInSight(element: HTMLElement): () => void {
  if (typeof IntersectionObserver === "undefined") return () => {};
  const observer = new IntersectionObserver(() => {
    const container = element.querySelector<HTMLElement>(".adviz") ?? element;
    container.style.containerType = "normal";
    container.getBoundingClientRect();
    container.style.containerType = "";
  });
  observer.observe(element);
  return () => observer.disconnect();
}

/** anywidget's entry point, of a bundle: show a model in an element; returns how to end it. */
export const renders = (viewOf: ViewOf) => ({ model, el }: { model: Model; el: HTMLElement }): (() => void) =>
  shown(el, () => new WidgetHost(model), viewOf, String(model.get("fallback") ?? ""), ({ element }) => restyleInSight(element));
