import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch } from '../support/scratch.ts';

/** Waits at a file if its prompt says so. */
const AGENT = `#!/bin/sh
case "$(cat)" in *wait*) echo > "$HOME/working"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done ;; esac
echo "$MANYHANDS_TASK $MANYHANDS_WORKSPACE" > made.txt
`;

/** Waits at a file once the base has moved. */
const CHECK = '[ ! -e mine.txt ] || { echo > "$HOME/checking"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; }';

it('lands a run that a second terminal lands at the same time, and leaves the runs of the engine alone', async () => {
  const settings = `agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: [${JSON.stringify(CHECK)}]\n`;
  await using place = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': settings } });
  const { json } = await place.mh(['job', 'add a file', '--json']);
  const { run } = RunDocument.parse(json);
  const engine = place.start(['job', 'please wait', '--json']);
  await appears(join(place.root, 'working'));
  writeFileSync(join(place.repo, 'mine.txt'), 'mine\n');
  place.git('add', 'mine.txt');
  place.git('commit', '--quiet', '--message=Mine');
  const first = place.start(['land', run, '--json']);
  await appears(join(place.root, 'checking'));
  const second = place.start(['land', run, '--json']);
  await place.mh(['show', run]);
  writeFileSync(join(place.root, 'go'), '');
  const landed = [await first.done, await second.done];
  expect(landed.map(({ stderr }) => stderr).join()).not.toContain('is at version');
  expect(landed.map(({ code }) => code)).toEqual([0, 3]);
  expect(landed[1]?.stdout).toContain('has landed on main already');
  const ended = await engine.done;
  expect([ended.code, RunDocument.parse(ended.json).status], ended.stderr).toEqual([0, 'done']);
});

/** Waits for a file that an agent or a check makes. */
async function appears(file: string): Promise<void> {
  for (let tries = 0; tries < 600 && !existsSync(file); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
}
