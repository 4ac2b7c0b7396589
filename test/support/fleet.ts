import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeScratch, type Scratch } from './scratch.ts';

/** Notes that it ran, with its host, once for each attempt that is paid for, and writes the file of its item. */
const AGENT = `#!/bin/sh
file=$(sed -n 's/^Files: //p')
echo "$MANYHANDS_TASK $PWD" >> "$HOME/ran"
env | grep -E 'postgresql|MANYHANDS_DATABASE|PGPASSWORD' >> "$HOME/ran.leaked"
cat /proc/self/environ /proc/$PPID/environ /proc/[0-9]*/cmdline >> "$HOME/ran.seen" 2> /dev/null
live="$HOME/ran.live-$MANYHANDS_TASK"
if [ -e "$live" ] && kill -0 "$(cat "$live")" 2> /dev/null; then with=together; else with=alone; fi
echo $$ > "$live"
echo "$MANYHANDS_ATTEMPT $with" >> "$HOME/ran.paid"
[ -e "$HOME/ran.say" ] && cat "$HOME/ran.say"
while [ -e "$HOME/ran.wait" ]; do sleep 0.05; done
[ -e "$HOME/ran.seconds" ] && sleep "$(cat "$HOME/ran.seconds")"
mkdir -p "$(dirname "$file")"
echo "line of $MANYHANDS_TASK" > "$file"
echo "wrote $file"
rm -f "$live"
`;

/** A repository of bulk items whose attempts run on hosts, which exchange commits through a bare repository. */
export interface FleetProject extends AsyncDisposable {
  readonly project: Scratch;
  readonly env: Record<string, string>;
  /** The bare repository of the hosts. */
  readonly exchange: string;
  /** Starts a host, as a process of its own with its own data directory. */
  startHost(
    name: string,
    options?: { slots?: number; args?: string[]; env?: Record<string, string> },
  ): Promise<StartedHost>;
  /** The task and the host of each attempt that an agent began. */
  ran(): { task: string; host: string }[];
  /** Lets agents wait, or go on. */
  hold(isHeld: boolean): void;
}

type StartedHost = ReturnType<Scratch['start']>;

/** Makes a project with that many items on the database; everything is removed at the end. */
export async function makeFleetProject(
  url: string,
  items: number,
  { check = 'true', files = {} }: { check?: string; files?: Record<string, string> } = {},
): Promise<FleetProject> {
  const project = await makeScratch({ files: { 'agent.sh': AGENT, ...files }, check });
  const exchange = join(project.root, 'exchange.git');
  execFileSync('git', ['init', '--quiet', '--bare', exchange]);
  const settings = join(project.root, '.config', 'manyhands');
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, 'config.yaml'), `hosts:\n  git: ${exchange}\n`);
  if (files['items.jsonl'] === undefined) writeFileSync(join(project.repo, 'items.jsonl'), itemLines(items));
  const ranFile = join(project.root, 'ran');
  const env = { MANYHANDS_DATABASE_URL: url };
  await project.mh(['hosts'], { env });
  return {
    project,
    env,
    exchange,
    startHost: async (name, { slots = 4, args = [], env: more = {} } = {}) => {
      const host = project.start(['host', '--name', name, '--slots', String(slots), ...args], {
        env: { ...env, MANYHANDS_HOME: join(project.root, `machine-${name}`), ...more },
      });
      await host.received('is registered');
      return host;
    },
    ran: () =>
      (existsSync(ranFile) ? readFileSync(ranFile, 'utf8').trim().split('\n') : []).map((line) => {
        const [task = '', folder = ''] = line.split(' ');
        return { task, host: /\/machine-([^/]+)\//.exec(folder)?.[1] ?? 'server' };
      }),
    hold: (isHeld) => {
      if (isHeld) writeFileSync(`${ranFile}.wait`, '');
      else execFileSync('rm', ['-f', `${ranFile}.wait`]);
    },
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

/** The files below a folder that contain a text. */
export function filesWith(folder: string, text: string): string[] {
  const found = execFileSync('sh', ['-c', 'grep -rlF -e "$1" "$2" || true', 'sh', text, folder], { encoding: 'utf8' });
  return found.split('\n').filter(Boolean);
}

/** The URL of a module that moves the clock of the process that imports it. */
export function shiftedClock(offsetMs: number): string {
  const source = `const now = Date.now; const Real = Date; const moved = () => now() + ${offsetMs};
    globalThis.Date = class extends Real { constructor(...args) { args.length === 0 ? super(moved()) : super(...args); } static now() { return moved(); } };`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

function itemLines(items: number): string {
  return Array.from({ length: items }, (_, index) =>
    JSON.stringify({ id: `i${index}`, prompt: `Write item ${index}`, files: [`made/${index}.txt`] }),
  ).join('\n');
}
