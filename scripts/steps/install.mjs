import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { reportProgress } from '../../bin/progress.mjs';
import { hashOf, ROOT, textOf } from './checkout.mjs';

const MODULES = join(ROOT, 'node_modules');
const STAGING = join(ROOT, '.setup');
const STAMP = 'node_modules/.manyhands-setup';
const DEFINITION = ['package.json', 'package-lock.json', '.npmrc'];
const ASKED = ['dependencies', 'devDependencies', 'optionalDependencies'];
const QUIETLY = ['--no-audit', '--no-fund', '--loglevel=error'];
const ABANDONED_MS = 2 * 3_600_000;

/**
 * Makes node_modules what the lockfile says. The installation is made beside it and moved into place whole, so that two
 * set-ups at once, or one that is killed, never leave half of it.
 */
export function installIfNeeded(say) {
  const wanted = hashOf(DEFINITION);
  if (textOf(STAMP) === wanted) return;
  if (holdsWhatIsLocked()) return writeFileSync(join(ROOT, STAMP), wanted);
  say('Installing dependencies (once; up to a minute) …');
  installBeside(wanted);
}

/** Whether somebody's own `npm ci` has done it already: npm leaves a list of what it installed, written last. */
function holdsWhatIsLocked() {
  const listed = textOf('node_modules/.package-lock.json');
  if (listed === undefined) return false;
  const installed = JSON.parse(listed).packages;
  const { '': root, ...locked } = JSON.parse(textOf('package-lock.json')).packages;
  const asked = JSON.parse(textOf('package.json'));
  if (ASKED.some((key) => JSON.stringify(asked[key]) !== JSON.stringify(root[key]))) return false;
  return Object.entries(locked).every(([path, one]) => {
    const there = installed[path];
    if (there === undefined) return one.optional === true && !isForHere(one);
    return there.version === one.version && there.integrity === one.integrity && existsSync(join(ROOT, path));
  });
}

/** Optional packages are left out where they are for another system; which of Linux's C libraries it is, npm has judged. */
function isForHere(one) {
  return one.os?.includes(process.platform) && one.cpu?.includes(process.arch) && one.libc === undefined;
}

function installBeside(wanted) {
  mkdirSync(STAGING, { recursive: true });
  removeAbandoned();
  const place = mkdtempSync(join(STAGING, 'install-'));
  try {
    for (const name of DEFINITION) if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(place, name));
    npmCi(place);
    writeFileSync(join(place, STAMP), wanted);
    if (textOf(STAMP) === wanted) return;
    moveIntoPlace(join(place, 'node_modules'), join(place, 'replaced'));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function moveIntoPlace(made, replaced) {
  try {
    if (existsSync(MODULES)) renameSync(MODULES, replaced);
    renameSync(made, MODULES);
  } catch (error) {
    // Another set-up was faster by a moment.
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return;
    // A volume is mounted at node_modules: only its contents can be replaced.
    if (error.code === 'EBUSY' || error.code === 'EXDEV') return npmCi(ROOT);
    throw error;
  }
}

function npmCi(folder) {
  const args = ['ci', ...QUIETLY, '--ignore-scripts', '--include=dev', '--include=optional', '--prefix', folder];
  const npm = process.env.npm_execpath;
  const [program, ...before] = npm?.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm'];
  const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 * 1024 * 1024 };
  const stopReporting = reportProgress('dependencies', folder);
  const result = spawnSync(program, [...before, ...args], options);
  stopReporting();
  if (result.status === 0) return;
  const output = result.error ? result.error.message : `${result.stdout}${result.stderr}`;
  throw new Error(`The dependencies could not be installed. npm says:\n${output.trim()}`);
}

function removeAbandoned() {
  for (const name of readdirSync(STAGING)) {
    const path = join(STAGING, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_MS)
      rmSync(path, { recursive: true, force: true });
  }
}
