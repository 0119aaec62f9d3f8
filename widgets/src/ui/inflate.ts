// What the bundle has compressed (build.mjs).

/** The text that was compressed by gzip and written in base64. */
export function inflate(base64: string): Promise<string> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
