/** So many bytes are typed at once; a longer paste is sent in pieces. */
const PIECE_BYTES = 48 * 1024;

/** The bytes of a text in base64. */
export function fromBase64(data: string): Uint8Array {
  return Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
}

/** A text in base64, in pieces that can be typed one after the other. */
export function toBase64Pieces(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    pieces.push(btoa(String.fromCharCode(...chunk(bytes, at))));
  }
  return pieces;
}

function chunk(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.subarray(at, Math.min(at + PIECE_BYTES, bytes.length));
}
