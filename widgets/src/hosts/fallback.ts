// Every display comes with a static picture as a second output, for when no live view can be shown. While one is alive
// a style rule hides that picture: it holds whether the picture is on the page already or comes later, each view brings
// its own rule and takes it away, and nothing needs to be observed or restored.

/** Hide the static picture of this id until the returned function is called. */
export function hideFallback(id: string, page: Document): () => void {
  if (!id) return () => undefined;
  const rule = page.createElement("style");
  rule.textContent = `[data-adviz-id="${CSS.escape(id)}"] { display: none !important; }`;
  page.head.append(rule);
  return () => rule.remove();
}
