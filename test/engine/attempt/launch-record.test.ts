import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AttemptState } from '../../../src/core/run/state.ts';
import { endUnknownAgents, writeLaunchRecord } from '../../../src/engine/attempt/launch-record.ts';
import { prepareHome, resolveHome } from '../../../src/home.ts';
import { liveness } from '../../../src/process/identity.ts';
import { launch } from '../../../src/process/launch.ts';
import { realWorld } from '../../../src/world.ts';

it('ends every agent, also after one that cannot be ended', async () => {
  const root = mkdtempSync(join(tmpdir(), 'mh-agents-'));
  const home = resolveHome({ MANYHANDS_HOME: root });
  await prepareHome(home);
  // Only these of its fields are written.
  const attempt = { agent: 'mine', base: 'abc' } as AttemptState;
  const start = async (name: string) => {
    const folder = join(home.attempts, name);
    mkdirSync(folder);
    const token = realWorld.token();
    const env = { PATH: process.env.PATH ?? '', MANYHANDS_TOKEN: token };
    const launched = await launch({ folder, command: ['sleep', '300'], cwd: folder, env, token });
    launched.go();
    return { folder, token, identity: launched.identity };
  };
  const [first, second] = [await start('aaaaaaaa-1-1'), await start('bbbbbbbb-1-1')];
  await writeLaunchRecord(first.folder, attempt, { identity: first.identity, token: 'short' });
  await writeLaunchRecord(second.folder, attempt, { identity: second.identity, token: second.token });
  await expect(endUnknownAgents(home, { read: () => [] }, { graceMs: 0 })).rejects.toThrow('too short');
  expect(liveness(second.identity)).toBe('gone');
  await writeLaunchRecord(first.folder, attempt, { identity: first.identity, token: first.token });
  await endUnknownAgents(home, { read: () => [] }, { graceMs: 0 });
  expect(liveness(first.identity)).toBe('gone');
  rmSync(root, { recursive: true });
});
