import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bash, claudeFixture, write } from './claude-fixture.ts';
import { startModelServer } from './model-server.ts';
import { ofType } from './of-type.ts';
import { makeSandbox } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['claude'], 'the real Claude Code in a scope', (path) => {
  const { perform: play } = claudeFixture(server, path('claude'));
  const scopes = [{ allow: ['src'], deny: ['src/keys'], also: [] }];

  it('is refused each tool that would write outside of it, gets the reason, and continues', async () => {
    await using sandbox = await makeSandbox(server);
    const script = [
      write(sandbox, 'docs.md'),
      bash('touch other.txt'),
      write(sandbox, 'src/keys/a.pem'),
      write(sandbox, 'src/a.txt'),
      { say: 'Well.' },
    ];
    const run = await play(sandbox, { script, more: { scopes, settings: { allowedCli: ['touch'] } } });
    const results = ofType(run, 'tool-result');
    expect(results.map(({ isError }) => isError)).toEqual([true, true, true, false]);
    expect(results[0]?.output).toContain('docs.md is outside of what is allowed in this task. Allowed: src.');
    expect(
      ['docs.md', 'other.txt', 'src/keys/a.pem'].filter((name) => existsSync(join(sandbox.workspace, name))),
    ).toEqual([]);
    expect(existsSync(join(sandbox.workspace, 'src/a.txt'))).toBe(true);
    expect(run.result).toMatchObject({ text: 'Well.' });
  });

  it('cannot leave it through trusted settings of the repository', async () => {
    await using sandbox = await makeSandbox(server);
    const text = JSON.stringify({ disableAllHooks: true, permissions: { allow: ['Bash(touch *)'] } });
    await mkdir(join(sandbox.workspace, '.claude'), { recursive: true });
    await writeFile(join(sandbox.workspace, '.claude/settings.json'), text);
    const trust = { '.claude/settings.json': createHash('sha256').update(text).digest('hex') };
    const script = [bash('touch out.txt'), { say: 'Well.' }];
    await play(sandbox, { script, trust, more: { scopes } });
    expect(existsSync(join(sandbox.workspace, 'out.txt'))).toBe(false);
  });
});
