import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';

/** The browser's program, unpacked once beside the compressed file that its package brings. */
export async function unpackedBrowser(compressed: string): Promise<string> {
  const program = join(dirname(compressed), 'chromium');
  if (existsSync(program)) return program;
  const draft = `${program}.${process.pid}`;
  await pipeline(createReadStream(compressed), createBrotliDecompress(), createWriteStream(draft));
  await chmod(draft, 0o755);
  await rename(draft, program);
  return program;
}
