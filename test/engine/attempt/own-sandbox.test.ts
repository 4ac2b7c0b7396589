import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { OwnSandbox } from '../../../src/agents/agent.ts';
import { ownSandboxProblem } from '../../../src/engine/attempt/own-sandbox.ts';
import { SANDBOX } from '../../support/sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'mh-own-sandbox-'));
const env = { PATH: '/usr/bin:/bin', HOME: folder };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const own = (script: string): OwnSandbox => ({
  isUsed: () => true,
  trial: () => ({ command: ['/bin/sh', '-c', script], env, login: [] }),
  problem: (output) => (output.startsWith('bwrap: ') ? { reason: output.trim(), fix: 'Fix it.' } : undefined),
});
const tried = (script: string, program?: string) => {
  const sandbox = { kind: 'available', backend: 'bubblewrap', program: program ?? '', version: '' } as const;
  return ownSandboxProblem(own(script), env, {
    sandbox: program === undefined ? undefined : sandbox,
    folder,
    dataFolder: folder,
  });
};

describe('the trial of the sandbox of a vendor', () => {
  it('finds no problem where it ends with 0, or where it failed for another reason', async () => {
    expect(await tried(':')).toBeUndefined();
    expect(await tried('echo "error: unexpected argument" >&2; exit 2')).toBeUndefined();
  });

  it('gives the reason and what to do, and is made once', async () => {
    writeFileSync(join(folder, 'count'), '');
    const script = `echo x >>${folder}/count; echo "bwrap: no" >&2; exit 1`;
    for (const _ of [1, 2]) expect(await tried(script)).toEqual({ reason: 'bwrap: no', fix: 'Fix it.' });
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('x\n');
  });

  it.skipIf(SANDBOX.missing)(`is made inside of ours, ${SANDBOX.title}`, async () => {
    const script = 'test "$(ls /proc | grep -c "^[0-9]")" -gt 9 || { echo "bwrap: few processes" >&2; exit 1; }';
    expect((await tried(script, SANDBOX.program))?.reason).toBe('bwrap: few processes');
  });
});
