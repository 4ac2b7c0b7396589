import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { atTerminal } from '../support/attached.ts';
import { makeScratch } from '../support/scratch.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/manyhands.mjs', import.meta.url));
const AGENT =
  '#!/bin/sh\ncat > /dev/null\necho \'{"type":"tool_call","id":"1","name":"Bash","input":{"command":"git push"}}\'\necho made > made.txt\necho done\n';
const PROJECT =
  'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["true"]\napprove: { confirm: "off" }\npolicy:\n  - { decision: ask, command: git push }\n';

it('a decision needs the code that is shown on the terminal, whatever the file of the project says', async () => {
  await using project = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': PROJECT } });
  mkdirSync(join(project.root, '.config', 'manyhands'), { recursive: true });
  writeFileSync(join(project.root, '.config', 'manyhands', 'config.yaml'), 'approve: { confirm: terminal }\n');
  const run = RunDocument.parse((await project.mh(['job', 'add a file', '--json'])).json);
  expect(run.status).toBe('held');
  for (const args of [['approve'], ['reject', '--reason', 'no'], ['retry'], ['land']]) {
    const refused = await withoutTerminal(project, [args[0] ?? '', run.run, ...args.slice(1)]);
    expect(refused.text, args[0]).toContain('has no terminal on which a person could see it');
    expect(refused.text, args[0]).not.toMatch(/approve\.confirm|config\.yaml|script|setsid/);
    expect(refused.code, args[0]).toBe(3);
  }
  expect((await project.mh(['show', run.run, '--json'])).json).toMatchObject({ status: 'held' });
});

it('a person at a terminal sees the code there and enters it; a wrong one decides nothing', async () => {
  await using project = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': PROJECT } });
  mkdirSync(join(project.root, '.config', 'manyhands'), { recursive: true });
  writeFileSync(join(project.root, '.config', 'manyhands', 'config.yaml'), 'approve: { confirm: terminal }\n');
  const run = RunDocument.parse((await project.mh(['job', 'add a file', '--json'])).json);
  const wrong = atTerminal(project, ['approve', run.run]);
  await wrong.until(/Code: /);
  wrong.type('XXXXXX\r');
  expect(await wrong.ended).not.toBe(0);
  expect((await project.mh(['show', run.run, '--json'])).json).toMatchObject({ status: 'held' });

  const terminal = atTerminal(project, ['approve', run.run]);
  await terminal.until(/Code: /);
  const [, code = ''] = /within 5 minutes: (\w+)/.exec(terminal.shown()) ?? [];
  terminal.type(`${code}\r`);
  expect(await terminal.ended, terminal.shown()).toBe(0);
  expect((await project.mh(['show', run.run, '--json'])).json).toMatchObject({ status: 'done' });
});

/** Runs the program in a session of its own, as an agent is, without a controlling terminal. */
function withoutTerminal(
  { repo, root, home }: { repo: string; root: string; home: string },
  args: readonly string[],
): Promise<{ code: number | null; text: string }> {
  const env = { PATH: process.env.PATH ?? '', HOME: root, MANYHANDS_HOME: home };
  const child = spawn(process.execPath, [LAUNCHER, ...args], { cwd: repo, env, detached: true, stdio: 'pipe' });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, text })));
}
