import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DoctorLine } from '../../src/operations/maintenance/doctor/doctor-line.ts';
import {
  examineProject,
  packageScript,
  startedProgram,
} from '../../src/operations/maintenance/doctor/doctor-project.ts';
import { testProgram } from '../cli/cli-run.ts';
import { makeScratch } from '../support/scratch.ts';
import { makeProject, type Project } from './project.ts';

const examine = ({ root, env }: Project, online = false) => examineProject({ dir: root, env, online });
const summary = (lines: readonly DoctorLine[]) => lines.map(({ name, ok }) => `${ok ? 'ok' : 'no'} ${name}`);

describe('what the settings of a project name', () => {
  it('is looked for: programs, scripts and files, each with a fix where it is missing', async () => {
    using project = makeProject({
      'package.json': '{"scripts":{"test":"x"}}',
      '.manyhands/config.yaml': [
        'checks: [npm test, npm run gone, nosuchprogram --all, "cd a && make x", "FOO=1 ./made.sh", "(odd | shell)"]',
        'workspace: { setup: [./make-it.sh] }',
        'project: { testCommand: git version, keyFiles: [nowhere], testInstructions: package.json }',
        'instructions: missing.md',
      ].join('\n'),
    });
    const lines = await examine(project);
    expect(summary(lines)).toEqual([
      'ok check npm test',
      'no check npm run gone',
      'no check nosuchprogram --all',
      expect.stringMatching(/check cd a && make x$/),
      'ok check FOO=1 ./made.sh',
      'ok check (odd | shell)',
      'ok check test',
      'ok set-up 1',
      'no file',
      'no file',
    ]);
    expect(lines.filter(({ ok, fix }) => ok === (fix !== null))).toEqual([]);
    expect(lines[1]?.detail).toBe('npm run gone: package.json has no script "gone"');
  });

  it('is not guessed at while the settings have a mistake: that has a line of its own', async () => {
    using project = makeProject({ '.manyhands/config.yaml': 'checks: 7\n' });
    expect(await examine(project)).toEqual([]);
  });

  it('tells of servers: programs by looking, addresses only when asked to', async () => {
    const server = createServer((_, response) => response.writeHead(405).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    using project = makeProject({
      '.manyhands/config.yaml': `mcp:\n  a: { command: git }\n  b: { command: nosuch }\n  c: { url: "http://127.0.0.1:${port}/mcp?key=secret" }\n  d: { url: "http://127.0.0.1:1/" }\n`,
    });
    const quiet = await examine(project);
    const examined = await examine(project, true);
    server.close();
    expect(summary(quiet)).toEqual(['ok mcp a', 'no mcp b', 'ok mcp c', 'ok mcp d']);
    expect(quiet[2]?.detail).toBe(`http://127.0.0.1:${port}: not checked; --online contacts it`);
    expect(summary(examined)).toEqual(['ok mcp a', 'no mcp b', 'ok mcp c', 'no mcp d']);
    expect(JSON.stringify([quiet, examined])).not.toContain('secret');
  });

  it('looks for a browser where features are verified in one', async () => {
    using project = makeProject({ '.manyhands/config.yaml': 'verify: { browser: { enabled: true, command: git } }\n' });
    const bin = join(project.root, 'bin');
    mkdirSync(bin);
    const without = { ...project.env, PATH: bin };
    expect(summary(await examineProject({ dir: project.root, env: without, online: false }))).toEqual([
      'no browser tools',
      'no browser',
    ]);
    writeFileSync(join(bin, 'chromium'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(bin, 'git'), '#!/bin/sh\n', { mode: 0o755 });
    expect(summary(await examineProject({ dir: project.root, env: without, online: false }))).toEqual([
      'ok browser tools',
      'ok browser',
    ]);
  });

  it('notices a schema file of another version, which init then renews', async () => {
    using project = makeProject({});
    const init = () => testProgram({ cwd: project.root, env: project.env }).run('init', '--yes');
    await init();
    const file = join(project.root, '.manyhands/config.schema.json');
    expect(summary(await examine(project))).toEqual([]);
    writeFileSync(
      file,
      '{"$comment":"Made by manyhands init, for editors. Run it again after an update; changes to this file are lost."}',
    );
    expect((await examine(project)).map(({ name, fix }) => [name, fix])).toEqual([
      ['schema', 'Run manyhands init --yes: it updates that file only.'],
    ]);
    await init();
    expect(await examine(project)).toEqual([]);
  });
});

it('says in one line what works without an agent, and which checks init would use', async () => {
  const agents = 'agents:\n  hand: { kind: command, command: ./missing.sh }\n';
  await using scratch = await makeScratch({
    files: { '.manyhands/config.yaml': agents, Makefile: 'test:\n\ttrue\n' },
  });
  const { json } = await scratch.mh(['doctor', '--json']);
  const lines = z.array(DoctorLine).parse(json);
  expect(lines.find(({ name }) => name === 'settings')?.detail).toContain('manyhands init would use: make test');
  expect(lines.filter(({ name }) => name === 'agents')).toEqual([
    expect.objectContaining({ ok: false, detail: expect.stringMatching(/^none is usable here: .*--rehearse.* work$/) }),
  ]);
});

describe('the program of a command', () => {
  it.each([
    ['npm test', 'npm', '.', 'test'],
    ['A=1 B=x pnpm run lint:all --fix', 'pnpm', '.', undefined],
    ['cd apps/web && yarn run build', 'yarn', 'apps/web', 'build'],
    ['./gradlew test', './gradlew', '.', undefined],
  ])('%s', (command, program, folder, script) => {
    expect(startedProgram(command)).toEqual({ program, folder });
    expect(packageScript(command)).toBe(script);
  });

  it('is not guessed where a shell decides', () => {
    expect(startedProgram('$(which npm) test')).toBeUndefined();
    expect(startedProgram('"my program" x')).toBeUndefined();
  });
});
