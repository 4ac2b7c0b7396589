import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Assignment, AssignmentSettings } from '../../../src/agents/agent.ts';
import { geminiAgent } from '../../../src/agents/gemini/gemini.ts';
import { geminiRights } from '../../../src/agents/gemini/gemini-permissions.ts';
import { AgentConfig } from '../../../src/schema/config/agent.ts';
import { makeAssignment, PLAIN_SETTINGS } from '../../contracts/attempt.ts';
import { sampleAssignment } from '../sample-assignment.ts';
import { makeGemini } from './gemini-files.ts';

describe('the permissions of Gemini', () => {
  const rights = (more: Partial<AssignmentSettings>, access: Assignment['access'] = 'write') =>
    geminiRights({ ...sampleAssignment(), access, settings: { ...PLAIN_SETTINGS, ...more } });

  it('of a read-only task are to read, whatever the settings allow', () => {
    const { mode, policy } = rights(
      { permission: 'bypass', allowedTools: ['write_file'], allowedCli: ['npm'] },
      'read',
    );
    expect(mode).toBe('default');
    expect(policy).toContain('toolName = ["write_file","replace","save_memory"]\ndecision = "deny"');
    expect(policy).toContain('"git diff"');
    expect(policy).not.toContain('npm');
    expect(policy).not.toContain('allowRedirection');
    const verifier = rights({ scratchTools: ['Bash', 'Read', 'Write'] }, 'read').policy;
    expect(verifier).toContain('toolName = ["replace","save_memory"]\ndecision = "deny"');
    expect(verifier).toContain('toolName = ["run_shell_command","write_file"]\ndecision = "allow"');
  });

  it("follow the permission and the allowed and disallowed tools, also in other agents' syntax for shell commands", () => {
    const { mode, policy } = rights({
      allowedCli: ['gh'],
      allowedTools: ['web_fetch', 'Bash(npm test *)', 'Edit'],
      disallowedTools: ['run_shell_command(git push)'],
    });
    expect(mode).toBe('auto_edit');
    expect(policy).toContain('commandPrefix = ["git","gh"]');
    expect(policy).toContain('commandPrefix = ["npm test"]');
    expect(policy).toContain('toolName = ["web_fetch"]');
    expect(policy).toContain('commandPrefix = ["git push"]\ndecision = "deny"\npriority = 900');
    expect(rights({ permission: 'bypass' }).mode).toBe('yolo');
    expect(rights({ permission: 'dontAsk' }).mode).toBe('default');
  });
});

describe('the home of Gemini', () => {
  it("links the user's login, and has its own settings and instructions", async () => {
    await using made = await makeAssignment();
    const user = join(made.root, '.gemini');
    await mkdir(user);
    await writeFile(join(user, 'oauth_creds.json'), '{}');
    await writeFile(join(user, 'GEMINI.md'), 'Be rude.');
    await writeFile(
      join(user, 'settings.json'),
      '{ // mine\n "security": { "auth": { "selectedType": "oauth-personal" } },\n "mcpServers": { "x": {} }, "general": { "maxAttempts": 7 } }',
    );
    const settings = {
      ...PLAIN_SETTINGS,
      instructions: 'Use tabs.',
      addDirs: ['/data'],
      mcp: { tools: { command: 'node', args: ['m.mjs'], env: {} }, far: { url: 'http://h/x', headers: { a: 'b' } } },
    };
    const limits = { ...made.assignment.limits, turns: 9 };
    const { env } = await makeGemini([]).command({
      ...made.assignment,
      settings,
      limits,
      outputSchema: { type: 'object' },
    });
    const inner = join(env.GEMINI_CLI_HOME ?? '', '.gemini');
    expect(await readlink(join(inner, 'oauth_creds.json'))).toBe(join(user, 'oauth_creds.json'));
    expect(await readlink(join(inner, 'tmp'))).toBe(join(user, 'tmp'));
    const instructions = await readFile(join(inner, 'GEMINI.md'), 'utf8');
    expect(instructions).toMatch(/^Use tabs\.\n\n.*JSON Schema:\n\n\{"type":"object"\}$/s);
    expect(JSON.parse(await readFile(join(inner, 'settings.json'), 'utf8'))).toMatchObject({
      security: { auth: { selectedType: 'oauth-personal' } },
      general: { maxAttempts: 7, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      hooksConfig: { enabled: false },
      model: { maxSessionTurns: 9 },
      context: { fileName: ['GEMINI.md', 'AGENTS.md'], includeDirectories: ['/data'] },
      mcpServers: {
        tools: { command: 'node', args: ['m.mjs'], trust: true },
        far: { httpUrl: 'http://h/x', headers: { a: 'b' }, trust: true },
      },
    });
    expect(await readFile(join(user, 'GEMINI.md'), 'utf8')).toBe('Be rude.');
  });

  it('belongs to the selected account, and no inherited key overrides it', async () => {
    await using made = await makeAssignment();
    const configDir = join(made.root, 'work');
    const account = { name: 'work', configDir, env: {} };
    await mkdir(join(configDir, '.gemini'), { recursive: true });
    await writeFile(join(configDir, '.gemini', 'oauth_creds.json'), '{}');
    const assignment = {
      ...made.assignment,
      env: { ...made.assignment.env, GEMINI_API_KEY: 'inherited' },
      settings: { ...PLAIN_SETTINGS, account },
    };
    const { env } = await makeGemini([]).command(assignment);
    expect(env).not.toHaveProperty('GEMINI_API_KEY');
    const inner = join(env.GEMINI_CLI_HOME ?? '', '.gemini');
    expect(JSON.parse(await readFile(join(inner, 'settings.json'), 'utf8'))).toMatchObject({
      security: { auth: { selectedType: 'oauth-personal' } },
    });
    expect(await readdir(inner)).toContain('oauth_creds.json');
  });

  it('uses the settings of the repository only if they are trusted', async () => {
    await using made = await makeAssignment();
    const trustOf = async (path: string) => {
      const settings = { ...PLAIN_SETTINGS, trusted: [{ path, text: '{"hooks":{}}' }] };
      const { command, env } = await makeGemini([]).command({ ...made.assignment, settings });
      return [env.GEMINI_CLI_TRUST_WORKSPACE, command.includes('--skip-trust')];
    };
    expect(await trustOf('.gemini/settings.json')).toEqual(['true', false]);
    expect(await trustOf('.claude/settings.json')).toEqual(['false', true]);
  });

  it('is created again when the attempt is prepared a second time, and changes nothing behind its links', async () => {
    await using made = await makeAssignment();
    const user = join(made.root, '.gemini');
    await mkdir(join(user, 'kept'), { recursive: true });
    await writeFile(join(user, 'kept', 'file'), 'x');
    await symlink('/nowhere', join(user, 'broken'));
    await makeGemini([]).command(made.assignment);
    await makeGemini([]).command(made.assignment);
    expect(await readFile(join(user, 'kept', 'file'), 'utf8')).toBe('x');
  });
});

describe('an unavailable Gemini', () => {
  it('reports whether the program or the login is missing, and what to do', async () => {
    await using made = await makeAssignment();
    const search = { dir: made.root, path: made.root };
    const gone = geminiAgent({ name: 'g', config: AgentConfig.parse({ kind: 'gemini' }), search, env: {} });
    expect(await gone.available()).toMatchObject({ ok: false, detail: 'gemini is not on PATH' });
    expect(await makeGemini([], { env: { GEMINI_API_KEY: '', HOME: made.root } }).available()).toMatchObject({
      ok: false,
      detail: expect.stringContaining('0.61.0, not logged in'),
      nextStep: expect.stringContaining('GEMINI_API_KEY'),
    });
  });
});
