import { gitStream } from '../git-stream.ts';
import type { Mirror } from '../mirror/mirror-config.ts';

const NEWLINE = 0x0a;

/** The contents of these objects in their order, one at a time; undefined for one that is larger than `maxBytes` or missing. */
export async function* readBlobs(
  mirror: Mirror,
  { oids, maxBytes }: { oids: readonly string[]; maxBytes: number },
  signal?: AbortSignal,
): AsyncGenerator<Buffer | undefined, void> {
  if (oids.length === 0) return;
  const input = `${oids.join('\n')}\n`;
  let rest = Buffer.alloc(0);
  let open: { remaining: number; chunks: Buffer[] | undefined } | undefined;
  for await (const chunk of gitStream(mirror, ['cat-file', '--batch'], { input, signal })) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    while (rest.length > 0) {
      if (open === undefined) {
        const end = rest.indexOf(NEWLINE);
        if (end < 0) break;
        const [, type, size] = rest.toString('latin1', 0, end).split(' ');
        rest = rest.subarray(end + 1);
        if (type === 'missing' || size === undefined) yield undefined;
        // A newline follows the content.
        else open = { remaining: Number(size) + 1, chunks: Number(size) <= maxBytes ? [] : undefined };
        continue;
      }
      const piece = rest.subarray(0, open.remaining);
      rest = rest.subarray(piece.length);
      open.remaining -= piece.length;
      open.chunks?.push(piece);
      if (open.remaining > 0) continue;
      yield open.chunks === undefined ? undefined : Buffer.concat(open.chunks).subarray(0, -1);
      open = undefined;
    }
  }
}
