import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { codexFixture, MCP_SERVER, MODEL, type More, patch, shell } from './codex-fixture.ts';
import type { Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { ofType } from './of-type.ts';
import { makeSandbox } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

await describeWith(['codex'], 'the real Codex', (path) => {
  const { perform: play } = codexFixture(server, path('codex'));

  describe.concurrent('its sandbox', () => {
    it('refuses writes outside the workspace, and the work continues', async () => {
      await using sandbox = await makeSandbox(server);
      const outside = join(sandbox.root, 'outside.txt');
      const run = await play(sandbox, {
        script: [shell(`sleep 1; echo x > ${outside}`), patch(outside), { say: 'Well.' }],
      });
      expect(ofType(run, 'tool-result')).toMatchObject([{ isError: true, output: expect.stringContaining('outside') }]);
      expect(ofType(run, 'permission-denied')).toMatchObject([{ tool: 'apply_patch' }]);
      expect(existsSync(outside)).toBe(false);
      expect(run.result).toMatchObject({ text: 'Well.' });
      expect(run.result).not.toHaveProperty('failure');
      const more: More = { number: 2, settings: { addDirs: [sandbox.root] } };
      await play(sandbox, { script: [shell(`echo x > ${outside}`)], more });
      expect(existsSync(outside)).toBe(true);
    });

    it('lets a read-only role read the history, and write nothing', async () => {
      await using sandbox = await makeSandbox(server);
      const script = [
        shell('sleep 1; git log --oneline && git diff HEAD'),
        shell('sleep 1; echo x > a.txt'),
        shell('sleep 1; git commit --allow-empty -qm bad'),
        patch('b.txt'),
      ];
      const more: More = { access: 'read', settings: { permission: 'bypass', addDirs: [sandbox.root] } };
      const run = await play(sandbox, { script, more });
      expect(ofType(run, 'tool-result').map(({ isError }) => isError)).toEqual([false, true, true]);
      expect(ofType(run, 'permission-denied')).toHaveLength(1);
      expect(sandbox.git('status', '--porcelain')).toBe('');
      expect(sandbox.git('log', '--format=%s')).toBe('Start');
    });

    it('is disabled if everything is permitted', async () => {
      await using sandbox = await makeSandbox(server);
      const outside = join(sandbox.root, 'outside.txt');
      await play(sandbox, { script: [shell(`echo x > ${outside}`)], more: { settings: { permission: 'bypass' } } });
      expect(existsSync(outside)).toBe(true);
    });
  });

  describe.concurrent('MCP servers', () => {
    const call: Step = { call: [{ name: 'report_status', namespace: 'mcp__notes', args: { status: 'green' } }] };

    it('can be used, and get their secrets not through arguments', async () => {
      await using sandbox = await makeSandbox(server);
      const seen = join(sandbox.root, 'seen');
      const [variable, program] = [`printf %s "$TOKEN" > ${seen}`, `exec "${process.execPath}" "${MCP_SERVER}"`];
      const notes = { command: '/bin/sh', args: ['-c', `${variable}; ${program}`], env: { TOKEN: `it's "$HOME"` } };
      const run = await play(sandbox, { script: [call], more: { settings: { mcp: { notes } } } });
      expect(ofType(run, 'tool-call')).toMatchObject([{ name: 'mcp__notes__report_status' }]);
      expect(ofType(run, 'tool-result')).toMatchObject([{ output: 'reported green', isError: false }]);
      expect(readFileSync(seen, 'utf8')).toBe(`it's "$HOME"`);
    });

    it('do not offer a refused tool', async () => {
      await using sandbox = await makeSandbox(server);
      const mcp = { notes: { command: process.execPath, args: [MCP_SERVER], env: {} } };
      const disallowedTools = ['mcp__notes__report_status', 'web_search'];
      const run = await play(sandbox, {
        script: [call, { say: 'Well.' }],
        more: { settings: { mcp, disallowedTools } },
      });
      expect(ofType(run, 'tool-result')).toEqual([]);
      expect(run.requests[0]?.tools).not.toContain('web_search');
    });
  });

  describe.concurrent('the repository', () => {
    it("instructs through the base's AGENTS.md, not through one that an agent wrote", async () => {
      await using sandbox = await makeSandbox(server);
      await writeFile(join(sandbox.workspace, 'AGENTS.md'), 'Written by an agent.');
      const instructions = 'Written by "the user".\n\\ ünïcode\u007f';
      const run = await play(sandbox, {
        script: [],
        more: { settings: { native: { 'AGENTS.md': 'Written in the base.' }, instructions, effort: 'max' } },
      });
      expect(run.requests[0]?.system).toContain(`Written in the base.\n\n${instructions}`);
      expect(JSON.stringify(run.requests[0]?.body)).not.toContain('Written by an agent.');
      expect(run.requests[0]?.body).toMatchObject({ model: MODEL, reasoning: { effort: 'xhigh' } });
    });

    it('has its hooks and servers obeyed only in the trusted content', async () => {
      await using sandbox = await makeSandbox(server);
      const [hooked, served] = [join(sandbox.root, 'hooked'), join(sandbox.root, 'served')];
      const hook = { hooks: [{ type: 'command', command: `touch ${hooked}` }] };
      const files = {
        '.codex/hooks.json': JSON.stringify({ hooks: { SessionStart: [hook] } }),
        '.codex/config.toml': `[mcp_servers.evil]\ncommand = "touch"\nargs = ["${served}"]\n`,
      };
      await mkdir(join(sandbox.workspace, '.codex'));
      for (const [name, text] of Object.entries(files)) await writeFile(join(sandbox.workspace, name), text);
      const hash = (text: string) => createHash('sha256').update(text).digest('hex');
      const trust = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, hash(text)]));
      const obeyed = () => [hooked, served].map((file) => existsSync(file));

      await play(sandbox, { script: [shell('true')], args: ['--dangerously-bypass-hook-trust'] });
      const changed = { ...trust, '.codex/config.toml': hash('something else') };
      await play(sandbox, { script: [], trust: changed, more: { number: 2 } });
      expect(obeyed()).toEqual([false, false]);
      await play(sandbox, { script: [shell('true')], trust, more: { number: 3 } });
      expect(obeyed()).toEqual([true, true]);
    });
  });
});
