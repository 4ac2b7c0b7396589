import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a page that leads on to a link; only its owner can read it, and the link works once. */
export async function writeLinkFile(folder: string, link: string): Promise<string> {
  const file = join(folder, 'open.html');
  const safe = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(
    file,
    `<!doctype html><meta charset="utf-8"><title>Manyhands</title><meta http-equiv="refresh" content="0;url=${safe}"><a href="${safe}">Manyhands</a>\n`,
    { mode: 0o600 },
  );
  await chmod(file, 0o600);
  return file;
}
