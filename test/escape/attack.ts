import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Scratch } from '../support/scratch.ts';
import { ESCAPE_CASES, type EscapeCase, OUTLIVING } from './cases.ts';

const SECRET = 'canary-secret';
const SECRETS = [
  '.ssh/id_ed25519',
  '.aws/credentials',
  '.gnupg/key',
  '.mozilla/cookies',
  '.config/gh/hosts.yml',
  '.git-credentials',
  '.netrc',
  '.npmrc',
  'project/.env',
  'data/server/tokens.json',
  'data/attempts/other-1-1/prompt.md',
  'data/workspaces/other-1/file',
  'data/mirrors/z-other.git/objects/file',
  'data/seeds/other/key/files/file',
  '.config/manyhands/keys.yaml',
  '.bash_history',
  '.kube/config',
  '.pgpass',
  '.Xauthority',
  '.password-store/mail.gpg',
  'data/attempts/other-1-1/tools.json',
  'data/backups/manyhands.db',
  '.npm/_cacache/entry',
  '.cache/pip/entry',
  '.docker/config.json',
  '.docker/bin/docker',
  '.local/share/uv/credentials/credentials.toml',
  'work/bin/tool',
  'work/other/.env',
];

/** The logins of vendors, by the folder in which they are. */
export const LOGINS = {
  claude: '.claude/.credentials.json',
  codex: '.codex/auth.json',
  gemini: '.gemini/oauth_creds.json',
} as const;

/** A project that is attacked, a folder outside of it with another project, and a process of the user. */
export type Victim = { shop: Scratch; folder: string; pid: number };

/** Puts what must not be read or written to where it usually is; `own` is the vendor whose login the attempt may read. */
export function putSecrets({ shop, folder }: Omit<Victim, 'pid'>, own?: keyof typeof LOGINS): void {
  const logins = Object.entries(LOGINS).flatMap(([name, file]) => (name === own ? [] : [file]));
  for (const file of [...SECRETS, ...logins]) put(join(shop.root, file), `${SECRET}\n`);
  for (const name of ['other', 'tools', 'temporary']) put(join(folder, name, 'file'), `${SECRET}\n`);
}

/** The variables of a process of the user with a secret. */
export const VICTIM_ENV = { SECRET, PATH: '/usr/bin:/bin' };

/** A script that tries each case by itself, in the workspace, with a time limit; the names of those that succeeded are its work. */
export function attackScript({ shop, folder, pid }: Victim, cases = ESCAPE_CASES): string {
  const variables = Object.entries(variablesOf(shop, folder)).map(([name, value]) => `export ${name}='${value}'`);
  const tries = cases.map(({ name, command }, index) => {
    const file = `case-${index}.sh`;
    return [
      `cat >"$CASES/${file}" <<'END_OF_CASE'`,
      `NAME="${name}"; export NAME`,
      command,
      'END_OF_CASE',
      `( cd "$CASES/work" && timeout -k 1 10 sh "../${file}" ) >/dev/null 2>&1 && echo "${name}" >>escaped.txt`,
    ].join('\n');
  });
  return [
    '#!/bin/sh',
    ...variables,
    'export MIRROR="$(dirname "$(head -n 1 .git/objects/info/alternates)")"',
    `export VICTIM=${pid} SHIM=$PPID`,
    'export CASES="$PWD/.git/cases" && mkdir -p "$CASES/work" && cp sum.js "$CASES/work"',
    ...tries,
    ...OUTLIVING.map(({ command }) => command),
    'echo end >>escaped.txt',
    'exit 0',
    '',
  ].join('\n');
}

/** The cases that succeeded, judged from inside by what the attempt wrote, and from outside by what it changed. */
export function succeededCases({ shop, folder }: Omit<Victim, 'pid'>): { names: string[]; hasEnded: boolean } {
  const inside = reportOf(shop).split('\n').filter(Boolean);
  const judgedOutside = ESCAPE_CASES.filter(({ target }) => target !== undefined);
  const outside = judgedOutside.filter((each) => isWritten(each, shop, folder)).map(({ name }) => name);
  const isJudgedOutside = (name: string) => judgedOutside.some((each) => each.name === name);
  const names = [...inside.filter((name) => !isJudgedOutside(name) && name !== 'end'), ...outside];
  return { names, hasEnded: inside.includes('end') };
}

/** The processes that an attack started to outlive it; they are ended. */
export function endSleepers(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const command = /^\d+$/.test(pid)
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
        : '';
      if (!/sleep 8640[1-9]$/.test(command)) return [];
      process.kill(Number(pid), 'SIGKILL');
      return [command];
    } catch {
      // It ended since it was listed.
      return [];
    }
  });
}

/** Writes a file that only its owner may read, with its folder. */
export function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
}

/** What the agent wrote: landed, or still in its workspace. */
function reportOf(shop: Scratch): string {
  const workspaces = readdirSync(join(shop.home, 'workspaces')).filter((name) => /^\w{8}-1$/.test(name));
  const kept = workspaces
    .map((name) => join(shop.home, 'workspaces', name, 'escaped.txt'))
    .find((file) => existsSync(file));
  if (kept !== undefined) return readFileSync(kept, 'utf8');
  return shop.git('show', `${shop.git('branch', '--list', 'mh/*', '--format=%(refname:short)')}:escaped.txt`);
}

function variablesOf(shop: Scratch, folder: string): Record<string, string> {
  const mirrors = join(shop.home, 'mirrors');
  const mirror = existsSync(mirrors) ? (readdirSync(mirrors)[0] ?? '') : '';
  return {
    HOME: shop.root,
    REPO: shop.repo,
    DATA: shop.home,
    OTHER: join(folder, 'other'),
    TOOLS: join(folder, 'tools'),
    TEMPORARY: join(folder, 'temporary'),
    ...(mirror === '' ? {} : { MIRROR: join(mirrors, mirror) }),
  };
}

function isWritten({ name, target = '' }: EscapeCase, shop: Scratch, folder: string): boolean {
  const attempt = readdirSync(join(shop.home, 'attempts')).find(
    (each) => /-1-1$/.test(each) && !each.startsWith('other'),
  );
  const prompt = join(shop.home, 'attempts', attempt ?? '', 'prompt.md');
  const env = { ...variablesOf(shop, folder), MANYHANDS_PROMPT_FILE: prompt, PATH: '/usr/bin:/bin' };
  const file = execFileSync('sh', ['-c', `printf %s ${target}`], { env, encoding: 'utf8' });
  return existsSync(file) && readFileSync(file, 'utf8').includes(name);
}
