import { spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';

const ROUNDS = 20;

/**
 * Remembers a child of ours, who is below it now and, where it has one of its own, its network; calling what this gives
 * kills all of them and who came since, also after the child itself has gone.
 */
export function endingOf(child) {
  const network = networkOf(child);
  const isOwn = network !== undefined && network !== networkOf('self');
  const known = new Set([child, ...below([child])]);
  return () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const left = new Set([...below([...known]), ...(isOwn ? within(network) : [])]);
      if (left.size === 0) return;
      for (const pid of left) {
        known.add(pid);
        kill(pid);
      }
    }
  };
}

function networkOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    // It has ended, or this system has no such thing.
    return undefined;
  }
}

function within(network) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => networkOf(pid) === network).map(Number);
}

/** These processes as far as they live, and everybody below them. */
function below(tops) {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  const alive = (stdout ?? '').split('\n').flatMap((line) => {
    const [pid, parent, state] = line.trim().split(/\s+/);
    return state === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent) }];
  });
  const found = new Set(tops);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const { pid, parent } of alive) if (found.has(parent)) found.add(pid);
  }
  return alive.map(({ pid }) => pid).filter((pid) => found.has(pid));
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
