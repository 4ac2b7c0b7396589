import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { trustedFiles } from '../../../src/engine/attempt/agent-settings.ts';
import { run } from '../../../src/process/run.ts';

const HOOKS = '{"hooks":{}}';
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

async function makeWorkspace(files: Record<string, string>) {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'mh-trust-')));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  return { workspace, [Symbol.asyncDispose]: () => rm(workspace, { recursive: true, force: true }) };
}

describe('settings files of the repository', () => {
  it('may be obeyed in exactly the content that the user trusts', async () => {
    await using made = await makeWorkspace({ '.claude/settings.json': HOOKS, 'hook.sh': 'exit 0' });
    const where = { workspace: made.workspace, access: 'write' } as const;
    const hashes = { '.claude/settings.json': hash(HOOKS), 'hook.sh': hash('exit 0') };
    const both = [
      { path: '.claude/settings.json', text: HOOKS },
      { path: 'hook.sh', text: 'exit 0' },
    ];
    expect(await trustedFiles(where, hashes)).toEqual(both);
    expect(await trustedFiles(where, {})).toEqual([]);
    await writeFile(join(made.workspace, 'hook.sh'), 'exit 1');
    expect(await trustedFiles(where, hashes), 'one that differs spoils all').toEqual([]);
    await rm(join(made.workspace, 'hook.sh'));
    expect(await trustedFiles(where, hashes)).toEqual([]);
  });

  it('grant no permission to a read-only task', async () => {
    await using made = await makeWorkspace({ '.mcp.json': HOOKS });
    expect(await trustedFiles({ ...made, access: 'read' }, { '.mcp.json': hash(HOOKS) })).toEqual([]);
  });

  it('are not read through a link, a pipe or a folder of the same name', async () => {
    await using made = await makeWorkspace({ 'other.json': HOOKS });
    const path = join(made.workspace, '.mcp.json');
    const take = () => trustedFiles({ ...made, access: 'write' }, { '.mcp.json': hash(HOOKS) });
    await symlink(join(made.workspace, 'other.json'), path);
    expect(await take()).toEqual([]);
    await rm(path);
    await run(['mkfifo', path], { env: { PATH: process.env.PATH ?? '' }, timeoutMs: 10_000 });
    expect(await take()).toEqual([]);
    await rm(path);
    await mkdir(path);
    expect(await take()).toEqual([]);
  });
});
