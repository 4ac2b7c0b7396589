import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFitting } from './node-version.mjs';
import { reportProgress } from './progress.mjs';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
/** What is installed: its version and integrity are pinned by the lockfile in this folder. */
const DEFINITION = fileURLToPath(new URL('./runtime', import.meta.url));
const VERSION = '24.21.0';
const SYSTEMS = ['linux-x64', 'linux-arm64'];
const NPM_ARGS = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** The Node that runs the program: the current one if it is new enough, else the one that was installed for it, else nothing. */
export function findFittingNode() {
  if (isFitting(process.version)) return process.execPath;
  const node = nodeIn(runtimeFolder());
  return existsSync(node) ? node : undefined;
}

/** As `findFittingNode`, but installs a Node through npm where there is none; throws with one sentence where that fails. */
export function requireFittingNode(say) {
  const found = findFittingNode();
  if (found !== undefined) return found;
  const system = `${process.platform}-${process.arch}`;
  const need = `Manyhands needs Node 22.18 or newer and this is ${process.version}`;
  if (!SYSTEMS.includes(system)) throw new Error(`${need}: install it from https://nodejs.org.`);
  const folder = runtimeFolder();
  say(`${need}. Installing Node ${VERSION} with npm into ${folder} (once; 189 MB) …`);
  install(folder, need);
  return nodeIn(folder);
}

/** In a checkout beside the dependencies, else in the user's cache: a global installation may belong to root. */
function runtimeFolder() {
  const isCheckout = existsSync(join(PACKAGE, 'src'));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(isCheckout ? join(PACKAGE, '.setup') : join(cache, 'manyhands'), `node-${VERSION}`);
}

function nodeIn(folder) {
  return join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
}

/** Installed beside its place and moved there whole, so that two at once, or one that is killed, leave nothing half done. */
function install(folder, need) {
  const parent = join(folder, '..');
  mkdirSync(parent, { recursive: true });
  const staging = mkdtempSync(join(parent, 'install-'));
  const stopReporting = reportProgress(`Node ${VERSION}`, staging);
  try {
    cpSync(DEFINITION, staging, { recursive: true });
    const npm = process.env.npm_execpath;
    const [program, ...before] = npm?.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm'];
    const options = { cwd: staging, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] };
    const result = spawnSync(program, [...before, ...NPM_ARGS], options);
    if (result.status !== 0 || !existsSync(nodeIn(staging))) {
      const output = result.error ? result.error.message : `${result.stdout}${result.stderr}`.trim();
      throw new Error(
        `${need}, and npm could not install one: ${output}\nInstall Node 22.18 or newer, then try again.`,
      );
    }
    moveIntoPlace(staging, folder);
  } finally {
    stopReporting();
    rmSync(staging, { recursive: true, force: true });
  }
}

function moveIntoPlace(staging, folder) {
  try {
    renameSync(staging, folder);
  } catch (error) {
    // Another process installed it at the same time.
    if (!existsSync(nodeIn(folder))) throw error;
  }
}
