import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import {
  attackScript,
  endSleepers,
  type LOGINS,
  put,
  putSecrets,
  succeededCases,
  VICTIM_ENV,
} from '../escape/attack.ts';
import { ESCAPE_CASES } from '../escape/cases.ts';
import { SHOP } from '../hostile/hostile-run.ts';
import { SANDBOX } from '../support/sandbox.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { SPEAKERS } from './acp-speakers.ts';
import { claudeEnv, codexProvider, geminiEnv } from './invocations.ts';
import type { Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { HOMES } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

type Vendor = keyof typeof LOGINS | 'opencode';
type Setup = { base: string; command: string };

/** How a vendor's program is configured, how its model calls a shell, and what an attempt would leave for the user's own session. */
const VENDORS: Record<
  Vendor,
  {
    agent(setup: Setup): object;
    shell(command: string): Step;
    planted: string[];
    /** Files in the home of the user. */
    files?(base: string): Record<string, string>;
  }
> = {
  claude: {
    agent: ({ base, command }) => ({ kind: 'claude', command, model: 'claude-sonnet-4-5', env: claudeEnv(base) }),
    shell: (command) => ({ call: [{ name: 'Bash', args: { command, description: 'Attack' } }] }),
    planted: ['.claude/settings.json', '.claude/hooks/planted', '.claude.json'],
  },
  codex: {
    agent: ({ base, command }) => ({
      kind: 'codex',
      command,
      model: 'gpt-5.5',
      args: codexProvider(base),
      env: { SCRIPTED_KEY: 'test-key', CODEX_API_KEY: 'test-key' },
    }),
    shell: (cmd) => ({ call: [{ name: 'exec_command', args: { cmd, yield_time_ms: 110_000 } }] }),
    planted: ['.codex/config.toml', '.codex/AGENTS.md'],
  },
  gemini: {
    agent: ({ base, command }) => ({ kind: 'gemini', command, model: 'gemini-2.5-flash', env: geminiEnv(base) }),
    shell: SPEAKERS.gemini.run,
    planted: ['.gemini/GEMINI.md', '.gemini/commands/planted.toml'],
    files: (base) => SPEAKERS.gemini.files(servingAt(base)),
  },
  opencode: {
    agent: ({ base, command }) => ({
      kind: 'acp',
      command,
      args: SPEAKERS.opencode.args,
      env: SPEAKERS.opencode.env(servingAt(base)),
    }),
    shell: SPEAKERS.opencode.run,
    planted: ['.config/opencode/AGENTS.md', '.config/opencode/plugin/planted.js'],
    files: (base) => SPEAKERS.opencode.files(servingAt(base)),
  },
};

function servingAt(base: string) {
  return { base, retries: 1, waitMs: 30_000 };
}

/** Programs of vendors listen on sockets of their own, in the network of the attempt; a command agent runs this case. */
const OWN_SOCKETS = 'connects to any service by its socket';
/** The parent of a vendor's shell is the vendor's program, not the shim. */
const CASES = ESCAPE_CASES.filter(({ name, command }) => !command.includes('$SHIM') && name !== OWN_SOCKETS);

/** What it leaves running must not hold the output of the shell, for which Gemini would wait. */
const ATTACK = 'sh ./attack.sh </dev/null >/dev/null 2>&1';

let tries = 0;
const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['claude', 'codex', 'gemini', 'opencode'], `a real agent ${SANDBOX.title}`, (path) => {
  it.skipIf(SANDBOX.missing).each(['claude', 'codex', 'gemini', 'opencode'] as const)(
    'the shell of %s escapes in no way and leaves nothing for the own session of its user',
    async (name) => {
      const vendor = VENDORS[name];
      tries += 1;
      const base = server.scenario(`escape-${name}-${tries}`, ({ turn }) =>
        turn === 0 ? vendor.shell(ATTACK) : { say: 'Done.' },
      );
      await using shop = await makeShop(name, { base, command: path(name) });
      const folder = mkdtempSync(join(tmpdir(), 'mh-escape-'));
      const victim = spawn('sleep', ['86400'], { stdio: 'ignore', cwd: shop.root, env: VICTIM_ENV });
      try {
        putSecrets({ shop, folder }, name === 'opencode' ? undefined : name);
        for (const [file, text] of Object.entries(vendor.files?.(base) ?? {})) put(join(shop.root, file), text);
        const plant = vendor.planted
          .map((file) => `echo planted >>"$HOME/${file}"; mkdir -p "$HOME/${file}"`)
          .join('\n');
        const script = attackScript({ shop, folder, pid: victim.pid ?? 0 }, CASES).replace(
          'exit 0\n',
          `${plant}\nexit 0\n`,
        );
        writeFileSync(join(shop.repo, 'attack.sh'), script);
        shop.git('add', '--all');
        shop.git('commit', '--quiet', '--message=Attack');
        const ended = await shop.mh(['job', 'Run attack.sh', '--agent', name, '--json'], {
          env: { MANYHANDS_BWRAP: SANDBOX.program },
        });
        const { names, hasEnded } = succeededCases({ shop, folder });
        expect([hasEnded, names], ended.stderr).toEqual([true, []]);
        expect(vendor.planted.filter((file) => existsSync(join(shop.root, file)))).toEqual([]);
        expect(await shop.leftovers().then(() => endSleepers())).toEqual([]);
      } finally {
        victim.kill('SIGKILL');
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});

/** A project whose agent is the only one, in the settings of the person. */
async function makeShop(name: Vendor, setup: Setup): Promise<Scratch> {
  const shop = await makeScratch({ parent: HOMES, files: SHOP });
  const settings = {
    agents: { [name]: { ...VENDORS[name].agent(setup), permission: 'bypass' } },
    network: { allow: [new URL(setup.base).host] },
    checks: ['true'],
    limits: { attempts: 1, retryDelaySeconds: 0 },
  };
  put(join(shop.root, '.config', 'manyhands', 'config.yaml'), JSON.stringify(settings));
  return shop;
}
