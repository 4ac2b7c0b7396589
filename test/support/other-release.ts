import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HOSTS_RELEASE } from '../../src/store/fleet.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RELEASE = `HOSTS_RELEASE = ${HOSTS_RELEASE}`;

/** Makes a program of another release of orders and reports in a folder, and returns its launcher. */
export function makeOtherRelease(folder: string, by: number): string {
  mkdirSync(folder);
  for (const name of ['bin', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'dist'));
  let changed = 0;
  for (const name of readdirSync(join(ROOT, 'dist'))) {
    const [from, to] = [join(ROOT, 'dist', name), join(folder, 'dist', name)];
    const text = /\.c?js$/.test(name) ? readFileSync(from, 'utf8') : '';
    if (text.includes(RELEASE)) {
      writeFileSync(to, text.replace(RELEASE, `HOSTS_RELEASE = ${HOSTS_RELEASE + by}`));
      changed += 1;
    } else if (!name.endsWith('.map')) cpSync(from, to, { recursive: true });
  }
  if (changed === 0) throw new Error(`The built program does not contain "${RELEASE}"`);
  return join(folder, 'bin', 'manyhands.mjs');
}
