import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { containment } from '../../src/process/terminate.ts';
import { makeShop } from '../hostile/hostile-run.ts';
import { SANDBOX } from '../support/sandbox.ts';
import { TESTS_ALL } from '../support/variants.ts';
import { attackScript, endSleepers, put, putSecrets, succeededCases, VICTIM_ENV } from './attack.ts';
import { ESCAPE_CASES } from './cases.ts';

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

  test('the changed mirror is detected, and no process outlives the attempt, except some that hide where no cgroup can be written', () => {
    expect([attacked.code, attacked.stderr]).toEqual([4, expect.stringContaining('of the mirror')]);
    const hidden = containment().kind === 'cgroup' ? [] : ['/bin/sleep 86404', 'sleep 86406'];
    expect(attacked.outlived.filter((command) => !hidden.includes(command))).toEqual([]);
  });
});

/** Runs one attempt whose agent tries all cases, and finds out from inside and from outside what succeeded. */
async function attack(env: Record<string, string>): Promise<Escape> {
  await using shop = await makeShop({ check: 'true' });
  const folder = mkdtempSync(join(tmpdir(), 'mh-escape-'));
  const victim = spawn('sleep', ['86400'], { stdio: 'ignore', cwd: shop.root, env: VICTIM_ENV });
  try {
    putSecrets({ shop, folder });
    const program = join(folder, 'agent', 'agent.sh');
    put(program, attackScript({ shop, folder, pid: victim.pid ?? 0 }));
    chmodSync(program, 0o755);
    const own = ['.docker/bin', 'work/bin'].map((name) => join(shop.root, name));
    const path = [join(folder, 'tools'), ...own, dirname(process.execPath), '/usr/bin', '/bin'].join(':');
    const finished = await shop.mh(['job', 'x', '--agent', `command:${program}`, '--json'], {
      env: { ...env, PATH: path },
    });
    return {
      code: finished.code,
      stderr: finished.stderr,
      succeeded: succeededCases({ shop, folder }).names,
      outlived: await shop.leftovers().then(() => endSleepers()),
    };
  } finally {
    victim.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}
