import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, ROOT, textOf } from './checkout.mjs';

const MODULES = join(ROOT, 'node_modules');
const STAGING = join(ROOT, '.setup');
const STAMP = 'node_modules/.manyhands-setup';
const DEFINITION = ['package.json', 'package-lock.json', '.npmrc'];
const ABANDONED_MS = 2 * 3_600_000;

/**
 * Makes node_modules what the lockfile says. The installation is made beside it and moved into place whole, so that two
 * set-ups at once, or one that is killed, never leave half of it.
 */
export function installIfNeeded(say) {
  const wanted = hashOf(DEFINITION);
  if (textOf(STAMP) === wanted) return;
  if (!holdsWhatIsLocked()) {
    say('Installing dependencies (once; up to a minute) …');
    installBeside(wanted);
  }
  writeFileSync(join(ROOT, STAMP), wanted);
}

/** Whether somebody's own `npm ci` has done it already: npm leaves a list of what it installed, written last. */
function holdsWhatIsLocked() {
  const listed = textOf('node_modules/.package-lock.json');
  if (listed === undefined) return false;
  const installed = JSON.parse(listed).packages;
  const locked = Object.entries(JSON.parse(textOf('package-lock.json')).packages);
  return locked.every(([path, one]) => {
    if (path === '') return true;
    const there = installed[path];
    if (there === undefined) return (one.optional ?? one.devOptional) === true && !isForHere(one);
    return there.version === one.version && there.integrity === one.integrity && existsSync(join(ROOT, path));
  });
}

/** Packages for one of Linux's two C libraries are left to npm's judgement. */
function isForHere(one) {
  const allows = (list, value) => list === undefined || list.includes(value);
  return allows(one.os, process.platform) && allows(one.cpu, process.arch) && one.libc === undefined;
}

function installBeside(wanted) {
  mkdirSync(STAGING, { recursive: true });
  removeAbandoned();
  const place = mkdtempSync(join(STAGING, 'install-'));
  try {
    for (const name of DEFINITION) if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(place, name));
    npmCi(place);
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
  const args = ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--include=dev', '--include=optional', '--prefix', folder];
  const npm = process.env.npm_execpath;
  const [program, ...before] = npm?.endsWith('js') ? [process.execPath, npm] : ['npm'];
  const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 * 1024 * 1024 };
  const result = spawnSync(program, [...before, ...args], options);
  if (result.status === 0) return;
  const output = result.error ? result.error.message : `${result.stdout}${result.stderr}`;
  throw new Error(`npm ci failed:\n${output.trim()}`);
}

function removeAbandoned() {
  for (const name of readdirSync(STAGING)) {
    const path = join(STAGING, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_MS) rmSync(path, { recursive: true, force: true });
  }
}
