import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAgentChoice, pinAgents } from '../../src/agents/pin-agents.ts';
import { createAgents } from '../../src/agents/registry.ts';
import { Config } from '../../src/schema/config.ts';

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'mh-registry-')));
const program = ['node', 'rehearsal.js'];

beforeAll(() => {
  for (const name of ['agent.sh', 'other/Agent.sh', '7z']) {
    mkdirSync(join(dir, 'other'), { recursive: true });
    writeFileSync(join(dir, name), '#!/bin/sh\n');
    chmodSync(join(dir, name), 0o755);
  }
  writeFileSync(join(dir, 'scenario.yaml'), 'agents: [ada, grace]\n');
});
afterAll(() => rmSync(dir, { recursive: true }));

function options(adHoc: string[], more: { agents?: unknown; scenario?: string } = {}) {
  const config = Config.parse({ agents: more.agents ?? {} });
  const rehearsal = more.scenario === undefined ? { program } : { program, scenario: more.scenario };
  return { config, dir, rehearsal, adHoc, path: '/usr/bin:/bin' };
}

describe('the choice of an agent', () => {
  const named = (name: string) => ({ kind: 'named', name });

  it.each([
    ['claude', { agents: [{ kind: 'named', name: 'claude' }] }],
    ['claude,codex', { agents: [named('claude'), named('codex')] }],
    ['auto', { agents: [] }],
    ['review=auto', { role: 'review', agents: [] }],
    ['implement=codex', { role: 'implement', agents: [{ kind: 'named', name: 'codex' }] }],
    ['command:./agent.sh a,b', { agents: [{ kind: 'command', program: './agent.sh', args: ['a,b'] }] }],
    [
      `implement=command:./a.sh --flag=x 'two words' "a \\"b\\"" c\\ d ''`,
      {
        role: 'implement',
        agents: [{ kind: 'command', program: './a.sh', args: ['--flag=x', 'two words', 'a "b"', 'c d', ''] }],
      },
    ],
  ])('is read from %s', (text, choice) => {
    expect(parseAgentChoice(text)).toEqual(choice);
  });

  it.each(['', 'implement=', 'command:', 'command:   ', 'command:./a.sh "open'])(
    'is refused as usage when it is "%s"',
    (text) => {
      expect(() => parseAgentChoice(text)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    },
  );

  it.each([
    ['two options', ['claude:opus', 'claude:sonnet']],
    ['a list', ['claude:opus,claude:sonnet']],
  ])('of two models of one agent is two agents: %s', (_, adHoc) => {
    const { agents, choices } = pinAgents(options(adHoc));
    expect(choices.flatMap((choice) => choice.agents)).toEqual(['claude', 'claude-sonnet']);
    expect(agents).toMatchObject({ claude: { model: 'opus' }, 'claude-sonnet': { model: 'sonnet' } });
  });

  it('of an unknown name is refused with the known names and the closest one', () => {
    const agents = { codex: { kind: 'command', command: 'codex' } };
    expect(() => createAgents(options(['review=codxe'], { agents }))).toThrow(
      expect.objectContaining({
        code: 'AGENT_UNKNOWN',
        message:
          'There is no agent "codxe". Did you mean codex? Known agents: rehearsal, codex, claude, gemini, auto, command:<program>',
      }),
    );
  });

  it('is not fooled by names that every object has', () => {
    expect(() => createAgents(options(['constructor']))).toThrow(expect.objectContaining({ code: 'AGENT_UNKNOWN' }));
  });

  it.each(['command:./none.sh', 'command:no-such-program-anywhere', 'command:./other'])(
    '%s without a program is refused',
    (text) => {
      expect(() => createAgents(options([text]))).toThrow(expect.objectContaining({ code: 'AGENT_MISSING' }));
    },
  );
});

it('a path with a space that is not quoted is refused with the quotes that it needs', () => {
  expect(() => createAgents(options(['command:./my tools/agent.sh']))).toThrow(
    expect.objectContaining({
      code: 'AGENT_MISSING',
      message: expect.stringContaining("; a path with spaces needs quotes: command:'./my tools/agent.sh'"),
    }),
  );
});

describe('a built-in agent', () => {
  it('needs no settings, and may be given a model', () => {
    const { agents } = pinAgents(options(['claude', 'implement=codex:gpt-5.5']));
    expect(agents).toEqual({
      claude: expect.objectContaining({ kind: 'claude' }),
      'codex-gpt-5-5': expect.objectContaining({ kind: 'codex', model: 'gpt-5.5' }),
    });
    expect(pinAgents(options(['codex:gpt-5.5'])).agents).toMatchObject({ codex: { model: 'gpt-5.5' } });
  });

  it('is also found on PATH when only roles or auto are requested, and listed in order', () => {
    const path = join(dir, 'found');
    mkdirSync(path);
    for (const name of ['claude', 'codex']) writeFileSync(join(path, name), '#!/bin/sh\n', { mode: 0o755 });
    const names = (...texts: string[]) => Object.keys(pinAgents({ ...options(texts), path }).agents).toSorted();
    expect(names('auto')).toEqual(['claude', 'codex']);
    expect(names('review=codex')).toEqual(['claude', 'codex']);
    expect(names('codex')).toEqual(['codex']);
    expect(pinAgents({ ...options(['review=codex,claude']), path }).choices).toEqual([
      { role: 'review', agents: ['codex', 'claude'] },
    ]);
  });

  it('is found on PATH when none is configured or requested', () => {
    const path = join(dir, 'bin');
    mkdirSync(path);
    writeFileSync(join(path, 'gemini'), '#!/bin/sh\n', { mode: 0o755 });
    expect(Object.keys(pinAgents({ ...options([]), path }).agents)).toEqual(['gemini']);
  });

  it('is overruled by settings of the same name', () => {
    const { agents } = pinAgents(options(['claude'], { agents: { claude: { kind: 'claude', effort: 'high' } } }));
    expect(agents.claude).toMatchObject({ effort: 'high' });
  });
});

describe('the agents of a run', () => {
  it('are none when none is configured or requested', () => {
    expect(createAgents(options([])).size).toBe(0);
  });

  it('are the requested ones first, then the configured ones', () => {
    const agents = { codex: { kind: 'command', command: 'codex' } };
    const made = createAgents(options(['rehearsal', 'command:./agent.sh'], { agents }));
    expect([...made.keys()]).toEqual(['rehearsal', 'agent', 'codex']);
    expect([...made.values()].map(({ kind }) => kind)).toEqual(['rehearsal', 'command', 'command']);
  });

  it('never include a rehearsal that was not requested', () => {
    const agents = { codex: { kind: 'command', command: 'codex' } };
    expect([...createAgents(options([], { agents })).keys()]).toEqual(['codex']);
  });

  it('have readable and unique names, and the same command is the same agent', () => {
    const texts = [
      'command:./agent.sh',
      'command:other/Agent.sh',
      'fix=command:./agent.sh',
      'command:./agent.sh -x',
      'command:./7z',
    ];
    expect(pinAgents(options(texts)).choices).toEqual([
      { agents: ['agent'] },
      { agents: ['agent-2'] },
      { role: 'fix', agents: ['agent'] },
      { agents: ['agent-3'] },
      { agents: ['agent-7z'] },
    ]);
  });

  it('do not take the name of a configured one', () => {
    const agents = { agent: { kind: 'command', command: 'sh' } };
    expect(pinAgents(options(['command:./agent.sh'], { agents })).choices).toEqual([{ agents: ['agent-2'] }]);
  });

  it('are pinned with absolute programs, so that they are found again from anywhere', () => {
    const { agents } = pinAgents(options(['command:./agent.sh --fast {prompt}', 'command:sh']));
    expect(agents.agent).toMatchObject({ command: join(dir, 'agent.sh'), args: ['--fast', '{prompt}'] });
    expect(agents.sh?.command).toMatch(/^\/(usr\/)?bin\/sh$/);
    const again = createAgents({ config: Config.parse({ agents }), dir: '/', rehearsal: { program }, adHoc: [] });
    expect([...again.keys()]).toEqual(['agent', 'sh']);
  });

  it('of a scenario have its names, and rehearsal selects all of them', () => {
    const request = options(['rehearsal', 'review=grace'], { scenario: 'scenario.yaml' });
    const { agents, choices } = pinAgents(request);
    expect(choices).toEqual([{ agents: ['ada', 'grace'] }, { role: 'review', agents: ['grace'] }]);
    expect(agents.ada).toMatchObject({ kind: 'rehearsal', scenario: join(dir, 'scenario.yaml') });
    expect([...createAgents(request).keys()]).toEqual(['ada', 'grace']);
  });

  it('are all rehearsed within their own limits; only a program from the command line is run', () => {
    const configured = { codex: { kind: 'codex', spendUsd: 3 }, mine: { kind: 'command', command: 'sh' } };
    const request = options(['fix=codex:big', 'review=command:./agent.sh', 'rehearsal'], { agents: configured });
    const { agents } = pinAgents({ ...request, rehearsal: { program, allAgents: true } });
    const kinds = Object.entries(agents).map(([name, { kind }]) => [name, kind]);
    expect(Object.fromEntries(kinds)).toEqual({
      claude: 'rehearsal',
      codex: 'rehearsal',
      'codex-big': 'rehearsal',
      gemini: 'rehearsal',
      mine: 'rehearsal',
      rehearsal: 'rehearsal',
      agent: 'command',
    });
    expect(agents.codex).toMatchObject({ spendUsd: 3 });
    expect(agents.codex).not.toHaveProperty('model');
  });

  it('of kind command need a program in the configuration', () => {
    expect(() => createAgents(options([], { agents: { mine: { kind: 'command' } } }))).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('agents.mine.command') }),
    );
  });
});
