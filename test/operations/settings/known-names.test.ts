import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCaller } from '../../../src/access/open-caller.ts';

const folder = mkdtempSync(join(tmpdir(), 'mh-names-'));
const dir = join(folder, 'project');
const file = join(dir, '.manyhands/config.yaml');
const env = { PATH: process.env.PATH, HOME: folder, MANYHANDS_HOME: join(folder, 'home') };
const TEXT = 'agents: { mine: { kind: command, command: ./mine.sh } }\nroles: { older: { agent: gone } }\n';

beforeAll(async () => {
  await mkdir(join(dir, '.manyhands'), { recursive: true });
  execFileSync('git', ['init', '-q', dir]);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The three ways to change a settings file: one key, some paths, the whole text. */
const WAYS = ['a key', 'paths', 'the text'] as const;

async function setAgent(way: (typeof WAYS)[number], agent: string, role = 'review'): Promise<unknown> {
  writeFileSync(file, TEXT);
  await using caller = await openCaller({ env });
  const ref = { dir, scope: 'project' as const };
  if (way === 'a key') return caller.call('set-setting', { ...ref, key: `roles.${role}.agent`, value: agent });
  const { hash, text } = await caller.call('read-settings', ref);
  if (way === 'paths')
    return caller.call('write-settings', { ...ref, hash, changes: [{ path: ['roles', role, 'agent'], value: agent }] });
  const changed = text.replace('roles: {', `roles: { ${role}: { agent: ${JSON.stringify(agent)} },`);
  return caller.call('replace-settings-text', { ...ref, hash, text: changed });
}

describe.each(WAYS)('a settings file that is changed by %s', (way) => {
  it('may not name an agent that does not exist', async () => {
    await expect(setAgent(way, 'clade')).rejects.toThrow('There is no agent "clade". Did you mean claude?');
    await expect(setAgent(way, 'codex,min')).rejects.toThrow('There is no agent "min". Did you mean mine?');
    expect(readFileSync(file, 'utf8')).toBe(TEXT);
  });

  it('may not name a role that does not exist', async () => {
    await expect(setAgent(way, 'claude', 'revew')).rejects.toThrow('There is no role "revew". Did you mean review?');
    expect(readFileSync(file, 'utf8')).toBe(TEXT);
  });

  it.each(['claude:opus', 'mine', 'codex,claude', 'auto', 'command:./other.sh --flag'])(
    'may name what --agent accepts, and keeps what it has: %s',
    async (agent) => {
      await setAgent(way, agent);
      expect(readFileSync(file, 'utf8')).toMatch(/older: *\{ *agent: gone/);
      expect(readFileSync(file, 'utf8')).toContain(agent);
    },
  );
});
