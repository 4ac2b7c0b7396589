#!/usr/bin/env node
// Any Node from 18 on must be able to read this file and what it imports.
// What only some starts need is imported there: loading a module of Node's own costs a millisecond or more.
import { isFitting } from './node-version.mjs';

// An import of them would make Node load what their rarest exports need; Node 18 and 20 know no other way.
const own = (name) => process.getBuiltinModule?.(name) ?? import(name);
const { existsSync, readFileSync } = await own('node:fs');
const { fileURLToPath } = await own('node:url');

const LINK_FD = 3;
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** The initial threshold of glibc, fixed for a server: it would rise with the first large body, whose memory then stays with the process. */
const RETURNED_MEMORY = process.argv[2] === 'serve' ? { MALLOC_MMAP_THRESHOLD_: '131072' } : {};
const VERSION_OPTIONS = ['--version', '-V'];

const folder = fileURLToPath(new URL('..', import.meta.url));
const program = new URL('../dist/main.js', import.meta.url);

if (process.argv.length === 3 && VERSION_OPTIONS.includes(process.argv[2])) printVersion();
else if (process.platform === 'win32') refuse('Manyhands does not run on Windows itself: use it in WSL 2.');
else if (!existsSync(program)) refuse(`Manyhands is not built yet: run \`npm run setup\` in ${folder} first.`);
else if (isFitting(process.version)) await runHere();
else await runOnAnotherNode();

function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 3;
}

function printVersion() {
  process.stdout.write(`${JSON.parse(readFileSync(`${folder}package.json`, 'utf8')).version}\n`);
}

async function runOnAnotherNode() {
  const { requireFittingNode } = await import('./runtime.mjs');
  try {
    await runOn(requireFittingNode((line) => process.stderr.write(`${line}\n`)));
  } catch (error) {
    refuse(error.message);
  }
}

/** Node 22 calls its SQLite experimental on stderr, at every start; all other warnings are shown. */
async function runHere() {
  const shown = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.includes('SQLite')) return;
    for (const show of shown) show.call(process, warning);
  });
  await import(program.href);
}

/** The program holds the other end of a link: it ends when this process is gone, and receives the signals that may have reached only this one. */
async function runOn(otherNode) {
  const { spawn } = await import('node:child_process');
  const child = spawn(otherNode, [fileURLToPath(program), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...RETURNED_MEMORY, ...process.env, MANYHANDS_LAUNCHER_FD: String(LINK_FD) },
  });
  const link = child.stdio[LINK_FD];
  // The program may be gone already when a signal is passed on; its end is reported below.
  link.on('error', () => {});
  for (const signal of FORWARDED) process.on(signal, () => link.write(`${signal}\n`));
  child.on('error', (error) =>
    refuse(`Manyhands could not start ${otherNode} (${error.message}): install Node 22.18 or newer.`),
  );
  child.on('exit', (code, signal) => {
    for (const name of FORWARDED) process.removeAllListeners(name);
    link.destroy();
    if (signal === null) process.exitCode = code;
    else process.kill(process.pid, signal);
  });
}
