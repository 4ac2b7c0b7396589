import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent, Assignment } from '../../src/agents/agent.ts';
import { createAgents } from '../../src/agents/registry.ts';
import { Config } from '../../src/schema/config.ts';

const PROMPT = 'Do it.\n--not an option "or" $(this)';
let folder = '';
let agents = new Map<string, Agent>();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mh-interactive-'));
  writeFileSync(join(folder, 'prompt.md'), PROMPT);
  writeFileSync(join(folder, 'program'), '#!/bin/sh\n', { mode: 0o755 });
  const command = join(folder, 'program');
  const config = Config.parse({
    agents: Object.fromEntries(
      ['claude', 'codex', 'gemini', 'command', 'acp'].map((kind) => [kind, { kind, command, args: ['--mine'] }]),
    ),
  });
  agents = createAgents({ config, dir: folder, adHoc: [], rehearsal: { program: [] } });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function assignment(session?: string): Assignment {
  return {
    attempt: 'k3v9x2ab-1-1',
    run: 'k3v9x2ab',
    task: 'job/1',
    role: 'implement',
    number: 1,
    access: 'write',
    workspace: folder,
    folder,
    promptFile: join(folder, 'prompt.md'),
    limits: { inactivityMs: 1_000, runtimeMs: 1_000, outputBytes: 1_000 },
    settings: {
      permission: 'acceptEdits',
      allowedTools: ['Read'],
      disallowedTools: [],
      allowedCli: [],
      addDirs: [],
      mcp: {},
      trusted: [],
      instructions: '',
      native: {},
    },
    env: { PATH: '/usr/bin', HOME: folder },
    interactive: true,
    ...(session === undefined ? {} : { session }),
  };
}

async function commandOf(name: string, session?: string): Promise<string[]> {
  const { command } = (await agents.get(name)?.interactive?.command(assignment(session))) ?? { command: [] };
  return command.slice(1);
}

describe('an agent in a terminal', () => {
  it('is Claude Code without its headless mode, in a named session, with the prompt last', async () => {
    const command = await commandOf('claude');
    expect(command.slice(-3)).toEqual(['--mine', '--', PROMPT]);
    expect(command).not.toContain('-p');
    const session = command[command.indexOf('--session-id') + 1] ?? '';
    expect(session).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    const reader = agents.get('claude')?.interactive?.reader(assignment());
    expect(reader?.end({ kind: 'exited', code: 130 })).toMatchObject({ session, usage: { kind: 'unknown' } });
    expect(await commandOf('claude', 'earlier')).toEqual(expect.arrayContaining(['--resume', 'earlier']));
  });

  it('is Codex without exec, in its sandbox, with the prompt last', async () => {
    const command = await commandOf('codex');
    expect(command).not.toContain('exec');
    expect(command).toEqual(expect.arrayContaining(['--sandbox', 'workspace-write']));
    expect(command.slice(-3)).toEqual(['--mine', '--', PROMPT]);
    expect((await commandOf('codex', 'earlier')).slice(-3)).toEqual(['earlier', '--', PROMPT]);
  });

  it('is Gemini, which continues after its prompt', async () => {
    const command = await commandOf('gemini');
    expect(command.at(-1)).toBe(`--prompt-interactive=${PROMPT}`);
    expect(command).not.toContain('--output-format');
  });

  it('is any command unchanged, and fails by its exit code', async () => {
    expect(await commandOf('command')).toEqual(['--mine']);
    const reader = agents.get('command')?.interactive?.reader(assignment());
    expect(reader?.end({ kind: 'exited', code: 3 }).failure?.kind).toBe('implementation');
  });

  it('is not available without an interactive mode', () => {
    expect(agents.get('acp')?.interactive).toBeUndefined();
  });
});
