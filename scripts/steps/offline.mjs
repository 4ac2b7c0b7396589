import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { endingOf } from './end-all.mjs';
import { say } from './ready.mjs';

/** How long it may take to say what it was about before it is killed. */
const LAST_WORDS_MS = 5_000;

/**
 * Runs a program where there is no network but this machine's own; gives its exit code, and whether it took longer than
 * it may and was killed with all that it had started. Where the system does not let us make such a place, it says so
 * and runs it as it is; MANYHANDS_OFFLINE tells the program.
 */
export async function runOffline(command, options, longestMs) {
  const place = placeWithoutNetwork();
  const [program, ...args] = [...place, ...command];
  const env = { ...options.env, MANYHANDS_OFFLINE: place.length > 0 ? '1' : '0' };
  const child = spawn(program, args, { stdio: 'inherit', ...options, env });
  let end;
  let killing;
  const stop = (signal) => {
    end ??= endingOf(child.pid);
    child.kill(signal);
    killing ??= setTimeout(end, LAST_WORDS_MS);
  };
  for (const signal of ['SIGTERM', 'SIGHUP']) process.once(signal, () => stop(signal));
  // A Ctrl-C reaches the child by itself; its exit code is ours.
  process.on('SIGINT', () => {});
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    stop('SIGTERM');
  }, longestMs);
  try {
    const code = await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (number, signal) => resolve(number ?? 128 + constants.signals[signal]));
    });
    end?.();
    return { code, isLate };
  } finally {
    clearTimeout(deadline);
    clearTimeout(killing);
  }
}

/** What puts a command into a network namespace of its own, in which only the loopback device is there and up. */
function placeWithoutNetwork() {
  const rights = process.getuid() === 0 ? [] : ['--user', '--map-current-user', '--keep-caps'];
  const place = ['unshare', ...rights, '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  if (spawnSync(place[0], [...place.slice(1), 'true'], { stdio: 'ignore' }).status === 0) return place;
  say('NOT ISOLATED: no network namespace can be made here; a proxy traps requests to the outside instead.');
  return [];
}
