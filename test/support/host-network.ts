import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Which packets of a host are lost: all, those that it sends, or those that it should receive. */
export type Cut = 'both' | 'sent' | 'received';

/** A machine of its own for the network: a namespace with one link to this one. */
export interface HostNetwork extends Disposable {
  /** The address of this machine as the host reaches it. */
  readonly server: string;
  /** What a command begins with that is to run there. */
  readonly prefix: readonly string[];
  cut(which: Cut): void;
  restore(): void;
}

/** Why hosts cannot have networks of their own here; undefined if they can. */
export const WITHOUT_NETWORKS = reasonWithout();

/** What a command begins with that is not to see these folders, as on another machine; after the prefix of a network, whose mounts are its own. */
export function withoutFolders(folders: readonly string[]): readonly string[] {
  const hide = folders.map((folder) => `mkdir -p '${folder}' && mount -t tmpfs tmpfs '${folder}'`);
  return ['sh', '-c', `${hide.join(' && ')} && exec "$0" "$@"`];
}

/** Makes the network of the host with this number; all of one process differ by its id. Those of ended processes are removed. */
export function makeHostNetwork(number: number): HostNetwork {
  if (number === 0) removeAbandoned();
  const name = `mh${process.pid}-${number}`;
  const [outside, inside] = [`${name}o`, `${name}i`];
  const net = `10.${64 + (process.pid % 128)}.${number}`;
  const [server, host] = [`${net}.1`, `${net}.2`];
  const here = (...args: string[]) => ip(...args);
  const there = (...args: string[]) => ip('-n', name, ...args);
  here('netns', 'add', name);
  here('link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', name);
  here('addr', 'add', `${server}/30`, 'dev', outside);
  here('link', 'set', outside, 'up');
  there('addr', 'add', `${host}/30`, 'dev', inside);
  there('link', 'set', inside, 'up');
  there('link', 'set', 'lo', 'up');
  const restores: (() => void)[] = [];
  const restore = () => {
    for (const undo of restores.splice(0)) undo();
  };
  return {
    server,
    prefix: ['ip', 'netns', 'exec', name],
    cut: (which) => {
      restore();
      if (which !== 'received') {
        there('route', 'add', 'blackhole', `${server}/32`);
        restores.push(() => there('route', 'del', 'blackhole', `${server}/32`));
      }
      if (which !== 'sent') {
        here('route', 'add', 'blackhole', `${host}/32`);
        restores.push(() => here('route', 'del', 'blackhole', `${host}/32`));
      }
    },
    restore,
    [Symbol.dispose]: () => {
      restore();
      here('link', 'del', outside);
      here('netns', 'del', name);
    },
  };
}

/** Removes the networks of test processes that were killed; a link ends with its namespace. */
function removeAbandoned(): void {
  const names = execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' }).split('\n');
  for (const name of names.map((line) => line.split(' ')[0] ?? '')) {
    const [, pid] = /^mh(\d+)-\d+$/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) ip('netns', 'del', name);
  }
}

function reasonWithout(): string | undefined {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  try {
    const name = `mh${process.pid}-try`;
    ip('netns', 'add', name);
    ip('netns', 'del', name);
    return undefined;
  } catch (error) {
    return `network namespaces cannot be made with ip: ${String(error).split('\n')[0]}`;
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: 'pipe' });
}
