import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of the dashboard, ready to be sent. */
export type Asset = { bytes: Buffer; packed: Buffer | undefined; type: string; isHashed: boolean };

/** The files of the dashboard by path; no other file can be requested. */
export interface Assets {
  get(path: string): Asset | undefined;
  /** The page that loads the others; it has a placeholder for the nonce. */
  index(): string | undefined;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};
const PACKED = new Set(['.js', '.css', '.svg', '.json', '.map']);
const PACK_FROM_BYTES = 1024;

/** The files of a folder; each is read at its first request, and again after the dashboard was rebuilt. */
export function openAssets(folder: string): Assets {
  let paths = new Set<string>();
  let edition: number | undefined;
  const read = new Map<string, Asset>();
  const refresh = () => {
    const builtAt = statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs;
    if (builtAt === edition) return;
    edition = builtAt;
    paths = new Set(filesBelow(folder).map((file) => `/${relative(folder, file).split(sep).join('/')}`));
    read.clear();
  };
  refresh();
  return {
    get: (path) => {
      const found = read.get(path);
      if (found !== undefined || path === '/index.html' || !paths.has(path)) return found;
      const asset = load(join(folder, path));
      read.set(path, asset);
      return asset;
    },
    index: () => {
      refresh();
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
    // Without the folder there is no dashboard; the API is still served.
    return [];
  }
}
