// Links to nodes: every `data-link` names one. A click chooses it, pointing at it previews it.

import { dataOf, listen } from "./dom.js";

export function listenToLinks(root: HTMLElement, signal: AbortSignal, preview: (node: number | null) => void, choose: (node: number) => void): void {
  const linked = (event: Event, act: (node: number) => void): void => {
    const link = dataOf(event, "link");
    if (link !== undefined) act(Number(link));
  };
  const point = (event: Event): void => linked(event, preview);
  const end = (event: Event): void => linked(event, () => preview(null));
  const click = (event: Event): void => linked(event, choose);
  listen(root, signal, { click, pointerover: point, focusin: point, pointerout: end, focusout: end });
}
