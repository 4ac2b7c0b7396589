import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeShop } from '../hostile/hostile-run.ts';
import { SANDBOX } from '../support/sandbox.ts';
import type { Scratch } from '../support/scratch.ts';
import { TESTS_ALL } from '../support/variants.ts';
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
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  'project/.env',
  'data/server/tokens.json',
  'data/attempts/other-1-1/prompt.md',
  'data/workspaces/other-1/file',
];

/** What one attempt, which tried all cases, came to. */
type Escape = { code: number | null; stderr: string; succeeded: string[]; outlived: string[] };

describe.skipIf(SANDBOX.missing)(SANDBOX.title, () => {
  let attacked: Escape;
  beforeAll(async () => {
    attacked = await attack({ MANYHANDS_BWRAP: SANDBOX.program });
  });

  test.each(ESCAPE_CASES.map(({ name }) => name))('an attempt that %s does not succeed', (name) => {
    expect(attacked.succeeded).not.toContain(name);
  });

  test('its work lands, and no process outlives it', () => {
    expect(attacked.code, attacked.stderr).toBe(0);
    expect(attacked.outlived).toEqual([]);
  });
});

describe.runIf(TESTS_ALL)('without a sandbox', () => {
  let attacked: Escape;
  beforeAll(async () => {
    attacked = await attack({ MANYHANDS_BWRAP: '' });
  });

  test('the cases are real: what an agent of the same user can do succeeds', () => {
    expect(attacked.succeeded.length).toBeGreaterThan(ESCAPE_CASES.length / 2);
  });

  test('the changed mirror is detected, and no process outlives the attempt', () => {
    expect([attacked.code, attacked.stderr]).toEqual([4, expect.stringContaining('of the mirror')]);
    expect(attacked.outlived).toEqual([]);
  });
});

/** Runs one attempt whose agent tries all cases, and finds out from inside and from outside what succeeded. */
async function attack(env: Record<string, string>): Promise<Escape> {
  await using shop = await makeShop({ check: 'true' });
  const folder = mkdtempSync(join(tmpdir(), 'mh-escape-'));
  const victim = spawn('sleep', ['86400'], { stdio: 'ignore', cwd: shop.root, env: { SECRET, PATH: '/usr/bin:/bin' } });
  try {
    for (const file of SECRETS) put(join(shop.root, file), `${SECRET}\n`);
    for (const name of ['other', 'tools', 'temporary']) put(join(folder, name, 'file'), `${SECRET}\n`);
    const program = join(folder, 'agent', 'agent.sh');
    put(program, script({ shop, folder, victim: victim.pid ?? 0 }));
    chmodSync(program, 0o755);
    const path = `${join(folder, 'tools')}:${dirname(process.execPath)}:/usr/bin:/bin`;
    const finished = await shop.mh(['job', 'x', '--agent', `command:${program}`, '--json'], {
      env: { ...env, PATH: path },
    });
    const landed = reportOf(shop);
    const inside = landed.split('\n').filter(Boolean);
    const judgedOutside = ESCAPE_CASES.filter(({ target }) => target !== undefined);
    const outside = judgedOutside.filter((each) => isWritten(each, shop, folder)).map(({ name }) => name);
    const isJudgedOutside = (name: string) => judgedOutside.some((each) => each.name === name);
    return {
      code: finished.code,
      stderr: finished.stderr,
      succeeded: [...inside.filter((name) => !isJudgedOutside(name) && name !== 'end'), ...outside],
      outlived: await shop.leftovers().then(() => runningSleepers()),
    };
  } finally {
    victim.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
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

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
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

/** The agent: each case by itself, in the workspace, with a time limit; the names of those that succeeded are its work. */
function script({ shop, folder, victim: pid }: { shop: Scratch; folder: string; victim: number }): string {
  const variables = Object.entries(variablesOf(shop, folder)).map(([name, value]) => `export ${name}='${value}'`);
  const cases = ESCAPE_CASES.map(({ name, command }, index) => {
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
    ...cases,
    ...OUTLIVING,
    'echo end >>escaped.txt',
    'exit 0',
    '',
  ].join('\n');
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

function runningSleepers(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const command = /^\d+$/.test(pid)
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
        : '';
      return /sleep 8640[1-9]$/.test(command) ? [command] : [];
    } catch {
      // It ended since it was listed.
      return [];
    }
  });
}
