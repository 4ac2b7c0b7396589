#!/usr/bin/env node
// Any Node from 18 on must be able to read this file and what it imports.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import { isFitting, requireFittingNode } from './runtime.mjs';

const LINK_FD = 3;
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** For a process that lives long: what it needs while it starts does not decide how much it takes for young objects. */
const LONG_LIVED = process.argv[2] === 'serve' ? ['--semi-space-growth-factor=1'] : [];

const folder = fileURLToPath(new URL('..', import.meta.url));
const program = new URL('../dist/main.js', import.meta.url);

if (process.platform === 'win32') refuse('Manyhands does not run on Windows itself: use it in WSL 2.');
else if (!existsSync(program)) refuse(`Manyhands is not built yet: run \`npm run setup\` in ${folder} first.`);
else if (isFitting(process.version)) await runHere();
else runOnAnotherNode();

function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 3;
}

function runOnAnotherNode() {
  try {
    runOn(requireFittingNode((line) => process.stderr.write(`${line}\n`)));
  } catch (error) {
    refuse(error.message);
  }
}

/** Node 22 calls its SQLite experimental on stderr, at every start; all other warnings are shown. */
async function runHere() {
  for (const flag of LONG_LIVED) v8.setFlagsFromString(flag);
  const shown = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.includes('SQLite')) return;
    for (const show of shown) show.call(process, warning);
  });
  // Beside the program: whoever could alter what is kept there could alter the program. Where it cannot be written, nothing is kept.
  module.enableCompileCache?.(`${folder}.setup/compiled`);
  await import(program.href);
}

/** The program holds the other end of a link: it ends when this process is gone, and is told of signals that may have reached only this one. */
function runOn(otherNode) {
  const child = spawn(otherNode, [...LONG_LIVED, fileURLToPath(program), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, MANYHANDS_LAUNCHER_FD: String(LINK_FD) },
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
