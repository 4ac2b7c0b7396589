import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bash, claudeFixture, MCP_SERVER, type More, write } from './claude-fixture.ts';
import { startModelServer } from './model-server.ts';
import { ofType } from './of-type.ts';
import { makeSandbox } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['claude'], 'the real Claude Code', (path) => {
  const { perform: play } = claudeFixture(server, path('claude'));

  describe.concurrent('permission', () => {
    it('is denied for what is not allowed, and the work continues', async () => {
      await using sandbox = await makeSandbox(server);
      const command = `node -e "require('fs').writeFileSync('made.txt', '')"`;
      const run = await play(sandbox, { script: [bash(command), { say: 'Well.' }] });
      expect(ofType(run, 'permission-denied')).toMatchObject([{ tool: 'Bash' }]);
      expect(existsSync(join(sandbox.workspace, 'made.txt'))).toBe(false);
      expect(run.result).toMatchObject({ text: 'Well.' });
      expect(run.result).not.toHaveProperty('failure');
      const allowed = await play(sandbox, {
        script: [bash(command)],
        more: { number: 2, settings: { allowedCli: ['node'] } },
      });
      expect(ofType(allowed, 'permission-denied')).toEqual([]);
      expect(existsSync(join(sandbox.workspace, 'made.txt'))).toBe(true);
    });

    it('to write is denied to a read-only role, to read the history is granted', async () => {
      await using sandbox = await makeSandbox(server);
      const edit = { file_path: join(sandbox.workspace, 'old.txt'), old_string: 'old', new_string: 'bad' };
      await writeFile(edit.file_path, 'old');
      const script = [
        bash('git log --oneline | head -5 && git show --stat HEAD && git diff HEAD'),
        write(sandbox, 'a.txt'),
        { call: [{ name: 'Edit', args: edit }] },
        bash('touch b.txt'),
        bash('echo x > c.txt'),
        bash('git diff --output=d.txt HEAD'),
        bash('git commit --allow-empty -qm bad'),
      ];
      const settings = { permission: 'bypass', allowedTools: ['Write', 'Bash(touch *)'], allowedCli: ['git'] } as const;
      const run = await play(sandbox, { script, more: { access: 'read', settings } });
      expect(ofType(run, 'tool-result').map(({ isError }) => isError)).toEqual([false, ...Array(6).fill(true)]);
      expect(sandbox.git('status', '--porcelain')).toBe('?? old.txt');
      expect(readFileSync(edit.file_path, 'utf8')).toBe('old');
      expect(sandbox.git('log', '--format=%s')).toBe('Start');
    });

    it('to run commands and write files is granted to a verifier, to edit is denied', async () => {
      await using sandbox = await makeSandbox(server);
      const edit = { file_path: join(sandbox.workspace, 'old.txt'), old_string: 'old', new_string: 'bad' };
      await writeFile(edit.file_path, 'old');
      const script = [
        bash(`node -e "require('fs').writeFileSync('made.txt', '')"`),
        write(sandbox, 'a.txt'),
        { call: [{ name: 'Read', args: { file_path: edit.file_path } }] },
        { call: [{ name: 'Edit', args: edit }] },
      ];
      const settings = { permission: 'plan', scratchTools: ['Bash', 'Read', 'Write'] } as const;
      const run = await play(sandbox, { script, more: { access: 'read', settings } });
      expect(ofType(run, 'tool-result').map(({ isError }) => isError)).toEqual([false, false, false, true]);
      expect(existsSync(join(sandbox.workspace, 'a.txt'))).toBe(true);
      expect(readFileSync(edit.file_path, 'utf8')).toBe('old');
    });

    it.skipIf(process.getuid?.() !== 0)(
      'for everything is an environment failure for root outside a sandbox',
      async () => {
        await using sandbox = await makeSandbox(server);
        const run = await play(sandbox, { script: [], more: { settings: { permission: 'bypass' } } });
        expect(run.result).toMatchObject({ usage: { kind: 'none' }, failure: { kind: 'environment' } });
        const more: More = { number: 2, settings: { permission: 'bypass' }, env: { IS_SANDBOX: '1' } };
        const inside = await play(sandbox, { script: [bash('echo x > x.txt')], more });
        expect(inside.result).not.toHaveProperty('failure');
        expect(existsSync(join(sandbox.workspace, 'x.txt'))).toBe(true);
      },
    );

    it('to use configured MCP servers is granted', async () => {
      await using sandbox = await makeSandbox(server);
      const call = { name: 'mcp__notes__report_status', args: { status: 'green' } };
      const mcp = { notes: { command: process.execPath, args: [MCP_SERVER], env: {} } };
      const run = await play(sandbox, { script: [{ call: [call] }], more: { settings: { mcp } } });
      expect(ofType(run, 'tool-result')).toMatchObject([{ output: 'reported green', isError: false }]);
    });
  });

  describe.concurrent('the repository', () => {
    it("instructs through the base's CLAUDE.md, not through one that an agent wrote", async () => {
      await using sandbox = await makeSandbox(server);
      await writeFile(join(sandbox.workspace, 'CLAUDE.md'), 'Written by an agent.');
      const settings = { native: { 'CLAUDE.md': 'Written in the base.' }, instructions: 'Written by the user.' };
      const run = await play(sandbox, { script: [], more: { settings } });
      expect(run.requests[0]?.system).toContain('Written in the base.');
      expect(run.requests[0]?.system).toContain('Written by the user.');
      expect(JSON.stringify(run.requests[0]?.body)).not.toContain('Written by an agent.');
    });

    it('has its hooks and servers obeyed only in the trusted content', async () => {
      await using sandbox = await makeSandbox(server);
      const [hooked, served] = [join(sandbox.root, 'hooked'), join(sandbox.root, 'served')];
      const touch = (file: string) => ({ command: 'touch', args: [file] });
      const hook = { hooks: [{ type: 'command', command: `touch ${hooked}` }] };
      const files = {
        '.claude/settings.json': JSON.stringify({ hooks: { SessionStart: [hook] }, enableAllProjectMcpServers: true }),
        '.mcp.json': JSON.stringify({ mcpServers: { evil: touch(served) } }),
      };
      await mkdir(join(sandbox.workspace, '.claude'));
      for (const [name, text] of Object.entries(files)) await writeFile(join(sandbox.workspace, name), text);
      const hash = (text: string) => createHash('sha256').update(text).digest('hex');
      const trust = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, hash(text)]));

      await play(sandbox, { script: [] });
      const changed = { ...trust, '.claude/settings.json': hash('something else') };
      await play(sandbox, { script: [], trust: changed, more: { number: 2 } });
      expect([hooked, served].map((file) => existsSync(file))).toEqual([false, false]);
      await play(sandbox, { script: [], trust, more: { number: 3 } });
      expect([hooked, served].map((file) => existsSync(file))).toEqual([true, true]);
    });
  });
});
