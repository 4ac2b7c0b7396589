import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bash, claudeStage, write } from './claude-stage.ts';
import { startModelServer } from './model-server.ts';
import { ofType } from './of-type.ts';
import { describeWith } from './with-programs.ts';
import { makeWorkplace } from './workplace.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['claude'], 'the real Claude Code in a scope', (path) => {
  const { play } = claudeStage(server, path('claude'));
  const scopes = [{ allow: ['src'], deny: ['src/keys'], also: [] }];

  it('is refused each tool that would write outside of it, gets the reason, and continues', async () => {
    await using place = await makeWorkplace(server);
    const script = [
      write(place, 'docs.md'),
      bash('touch other.txt'),
      write(place, 'src/keys/a.pem'),
      write(place, 'src/a.txt'),
      { say: 'Well.' },
    ];
    const run = await play(place, { script, more: { scopes, settings: { allowedCli: ['touch'] } } });
    const results = ofType(run, 'tool-result');
    expect(results.map(({ isError }) => isError)).toEqual([true, true, true, false]);
    expect(results[0]?.output).toContain('docs.md is outside of what is allowed in this task. Allowed: src.');
    expect(
      ['docs.md', 'other.txt', 'src/keys/a.pem'].filter((name) => existsSync(join(place.workspace, name))),
    ).toEqual([]);
    expect(existsSync(join(place.workspace, 'src/a.txt'))).toBe(true);
    expect(run.result).toMatchObject({ text: 'Well.' });
  });

  it('cannot leave it through trusted settings of the repository', async () => {
    await using place = await makeWorkplace(server);
    const text = JSON.stringify({ disableAllHooks: true, permissions: { allow: ['Bash(touch *)'] } });
    await mkdir(join(place.workspace, '.claude'), { recursive: true });
    await writeFile(join(place.workspace, '.claude/settings.json'), text);
    const trust = { '.claude/settings.json': createHash('sha256').update(text).digest('hex') };
    const script = [bash('touch out.txt'), { say: 'Well.' }];
    await play(place, { script, trust, more: { scopes } });
    expect(existsSync(join(place.workspace, 'out.txt'))).toBe(false);
  });
});
