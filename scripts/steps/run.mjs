import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { requireFittingNode } from '../../bin/runtime.mjs';

/** Runs a script on a Node that fits, in this terminal, and gives its exit code; a Ctrl-C reaches it by itself. */
export async function runOnNode(script, args, options = {}) {
  const node = requireFittingNode((line) => process.stderr.write(`${line}\n`));
  return run(node, [script, ...args], options);
}

async function run(program, args, options) {
  const child = spawn(program, args, { stdio: 'inherit', ...options });
  const leaveToTerminal = () => {};
  const pass = (signal) => child.kill(signal);
  process.on('SIGINT', leaveToTerminal).on('SIGTERM', pass).on('SIGHUP', pass);
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
    });
  } finally {
    process.off('SIGINT', leaveToTerminal).off('SIGTERM', pass).off('SIGHUP', pass);
  }
}

/** Gives a command's exit code to the caller of this script; a failure of the script itself is one sentence and code 1. */
export async function finish(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
