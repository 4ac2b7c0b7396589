import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { appears } from '../support/appears.ts';
import { makeScratch } from '../support/scratch.ts';

/** Waits at a file if its prompt says so. */
const AGENT = `#!/bin/sh
case "$(cat)" in *wait*) echo > "$HOME/working"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done ;; esac
echo "$MANYHANDS_TASK $MANYHANDS_WORKSPACE" > made.txt
`;

/** Waits at a file once the base has moved. */
const CHECK = '[ ! -e mine.txt ] || { echo > "$HOME/checking"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; }';

it('lands a run once when two terminals land it concurrently, and does not affect other runs', async () => {
  const settings = `agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: [${JSON.stringify(CHECK)}]\n`;
  await using project = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': settings } });
  const { json } = await project.mh(['job', 'add a file', '--json']);
  const { run } = RunDocument.parse(json);
  const engine = project.start(['job', 'please wait', '--json']);
  await appears(join(project.root, 'working'));
  writeFileSync(join(project.repo, 'mine.txt'), 'mine\n');
  project.git('add', 'mine.txt');
  project.git('commit', '--quiet', '--message=Mine');
  const first = project.start(['land', run, '--json']);
  await appears(join(project.root, 'checking'));
  const second = project.start(['land', run, '--json']);
  await project.mh(['show', run]);
  writeFileSync(join(project.root, 'go'), '');
  const landed = [await first.done, await second.done];
  expect(landed.map(({ stderr }) => stderr).join()).not.toContain('is at version');
  expect(landed.map(({ code }) => code)).toEqual([0, 3]);
  expect(landed[1]?.stdout).toContain('has already landed on main');
  const ended = await engine.done;
  expect([ended.code, RunDocument.parse(ended.json).status], ended.stderr).toEqual([0, 'done']);
});
