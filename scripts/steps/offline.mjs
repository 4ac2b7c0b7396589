import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { say } from './ready.mjs';

/**
 * Runs a program where there is no network but this machine's own, and gives its exit code. Where the system does not
 * let us make such a place, it says so and runs it as it is.
 */
export async function runOffline(command, options) {
  const [program, ...args] = withoutNetwork(command);
  const child = spawn(program, args, { stdio: 'inherit', ...options });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.once(signal, () => child.kill(signal));
  // A Ctrl-C reaches the child by itself; its exit code is ours.
  process.on('SIGINT', () => {});
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/** The command in a network namespace of its own, in which only the loopback device is there and up. */
function withoutNetwork(command) {
  const rights = process.getuid() === 0 ? [] : ['--user', '--map-current-user', '--keep-caps'];
  const place = ['unshare', ...rights, '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  if (spawnSync(place[0], [...place.slice(1), 'true'], { stdio: 'ignore' }).status === 0) return [...place, ...command];
  say('NOT ISOLATED: no network namespace can be made here; a proxy traps requests to the outside instead.');
  return command;
}
