import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of the page as it is sent. */
export type Asset = { bytes: Buffer; packed: Buffer | undefined; type: string; isHashed: boolean };

/** The files of the page by their path; nothing else of the disk can be asked for. */
export interface Assets {
  get(path: string): Asset | undefined;
  /** The page itself, which names the others; a placeholder in it takes the nonce. */
  index(): string | undefined;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};
const PACKED = new Set(['.js', '.css', '.svg', '.json', '.map']);
const PACK_FROM_BYTES = 1024;

/** Knows the files of a folder; each is read when it is first asked for, and all anew when the page was built anew. */
export function openAssets(folder: string): Assets {
  let paths = new Set<string>();
  let edition: number | undefined;
  const read = new Map<string, Asset>();
  const look = () => {
    const made = statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs;
    if (made === edition) return;
    edition = made;
    paths = new Set(filesBelow(folder).map((file) => `/${relative(folder, file).split(sep).join('/')}`));
    read.clear();
  };
  look();
  return {
    get: (path) => {
      const found = read.get(path);
      if (found !== undefined || path === '/index.html' || !paths.has(path)) return found;
      const asset = load(join(folder, path));
      read.set(path, asset);
      return asset;
    },
    index: () => {
      look();
      return paths.has('/index.html') ? readFileSync(join(folder, 'index.html'), 'utf8') : undefined;
    },
  };
}

function load(file: string): Asset {
  const bytes = readFileSync(file);
  const packed = PACKED.has(extname(file)) && bytes.length >= PACK_FROM_BYTES ? gzipSync(bytes) : undefined;
  return {
    bytes,
    packed,
    type: TYPES[extname(file)] ?? 'application/octet-stream',
    isHashed: /-[A-Z0-9]{8}\.\w+$/.test(file),
  };
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    // Without the folder there is no page; the API is served all the same.
    return [];
  }
}
