// Elements from data. Text goes in as text nodes and attributes only: nothing from a scene is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";
const MATHML = "http://www.w3.org/1998/Math/MathML";

export type Attributes = Record<string, string | number | boolean | null | undefined>;
export type Child = Node | string | null;

/** A tag, or a tag with classes: "li", "span.adviz-muted". */
type Selector<Tag extends string> = Tag | `${Tag}.${string}`;
type TagOf<S extends string> = S extends `${infer Tag}.${string}` ? Tag : S;
/** Attributes, where there are any, and what the element holds. */
type Parts = readonly [Attributes, ...Child[]] | readonly Child[];

const hasAttributes = (parts: Parts): parts is readonly [Attributes, ...Child[]] =>
  typeof parts[0] === "object" && parts[0] !== null && !(parts[0] instanceof Node);

function make(create: (tag: string) => Element, selector: string, parts: Parts): Element {
  const [tag, ...classes] = selector.split(".");
  const element = create(tag!);
  if (tag === "button") element.setAttribute("type", "button");
  const [attributes, children] = hasAttributes(parts) ? [parts[0], parts.slice(1)] : [{}, parts];
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...(children as Child[]).filter((child) => child !== null));
  return element;
}

export const html = <S extends Selector<keyof HTMLElementTagNameMap>>(selector: S, ...parts: Parts) =>
  make((tag) => document.createElement(tag), selector, parts) as TagOf<S> extends keyof HTMLElementTagNameMap
    ? HTMLElementTagNameMap[TagOf<S>]
    : never;

export const svg = <S extends Selector<keyof SVGElementTagNameMap>>(selector: S, ...parts: Parts) =>
  make((tag) => document.createElementNS(SVG, tag), selector, parts) as TagOf<S> extends keyof SVGElementTagNameMap
    ? SVGElementTagNameMap[TagOf<S>]
    : never;

export const mathml = (tag: string, ...parts: Parts): MathMLElement =>
  make((name) => document.createElementNS(MATHML, name), tag, parts) as MathMLElement;

/** The element at or above the event's target that matches, inside the element listened on. */
export function closest(event: Event, selector: string): HTMLElement | SVGElement | null {
  const target = event.target instanceof Element ? event.target.closest(selector) : null;
  return target && (event.currentTarget as Element).contains(target) ? (target as HTMLElement | SVGElement) : null;
}

/** What the element at or above the event's target has as `data-name`, inside the element listened on. */
export const dataOf = (event: Event, name: string): string | undefined => closest(event, `[data-${name}]`)?.dataset[name];

/** Whether a key is pressed together with another, as in the commands of the browser. */
export const isModified = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => ctrlKey || metaKey || altKey;

/** Write a text only where it changes, as with attributes. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Write an attribute only where it changes, so that an update costs what changed; its value is as those of `html`. */
export function setAttribute(element: Element, name: string, value: string | boolean | null | undefined): void {
  const text = value === true ? "" : value || value === "" ? value : null;
  if (element.getAttribute(name) === text) return;
  if (text === null) element.removeAttribute(name);
  else element.setAttribute(name, text);
}

/** Scroll an element into the middle of its scrolling ancestor `box`, or its top to the top, and nothing outside it. */
export function reveal(box: HTMLElement, element: HTMLElement): void {
  const frame = box.getBoundingClientRect();
  const place = element.getBoundingClientRect();
  if (place.top >= frame.top + 8 && place.bottom <= frame.bottom - 8) return;
  box.scrollTop += place.top - frame.top - Math.max(0, frame.height - place.height) / 2;
}

/** How far an element and all around it are scrolled, also around a shadow root; returns how to scroll them there again. */
export function keepScrolled(element: Element): () => void {
  const places: [Element, number][] = [];
  for (let at: Element | null = element; at; at = at.parentElement ?? (at.getRootNode() as ShadowRoot).host ?? null)
    places.push([at, at.scrollTop]);
  return () => places.forEach(([at, top]) => (at.scrollTop = top));
}

/** The element with the keyboard focus inside `element`, also inside a shadow root. */
export function focusedIn(element: Element): Element | null {
  const { activeElement } = element.getRootNode() as Document | ShadowRoot;
  return activeElement && element.contains(activeElement) ? activeElement : null;
}

/**
 * A name that is unique on the page. A counter does not work: notebooks load the module once per widget.
 */
export const uniqueName = (): string => `adviz-${Math.random().toString(36).slice(2, 12)}`;

/** Whether the reader asked for less motion. */
export const prefersStill = (): boolean => globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;

type Handlers = { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => unknown };

/** Listen to events of an element until the signal aborts. */
export function listen(element: Element, signal: AbortSignal, handlers: Handlers, options: AddEventListenerOptions = {}): void {
  for (const [type, handle] of Object.entries(handlers))
    element.addEventListener(type, handle as (event: Event) => void, { ...options, signal });
}

/** Hear what the reader points at, by the pointer or by the keyboard, and when it is nothing any more. */
export function onPoint(element: Element, signal: AbortSignal, point: (event: Event) => void, end: () => void): void {
  listen(element, signal, { pointerover: point, focusin: point, pointerleave: end, focusout: end });
}

/** Let an event do nothing more, here or elsewhere. */
export function consume(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

/** Call once when the signal aborts. */
export const atEnd = (signal: AbortSignal, act: () => void): void => signal.addEventListener("abort", act, { once: true });

/** Call whenever an element changes its size, and at first, until the signal aborts. */
export function onResize(element: Element, signal: AbortSignal, act: () => void): void {
  if (typeof ResizeObserver === "undefined") return;
  const observer = new ResizeObserver(act);
  observer.observe(element);
  atEnd(signal, () => observer.disconnect());
}
