import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeScratch, type Scratch, writeFiles } from '../support/scratch.ts';

const AGENT = '#!/bin/sh\ncat > /dev/null\necho "$MANYHANDS_TASK $$" > made.txt\n';
const SETTINGS = 'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["true"]\n';

/** A name that a backup of long ago would have. */
const OLD = 'manyhands-auto-20200101T000000000Z.db';

function scratch(): Promise<Scratch> {
  return makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': SETTINGS } });
}

function backups({ home }: Scratch): string[] {
  return readdirSync(join(home, 'backups')).sort();
}

function personal({ root }: Scratch, text: string): void {
  writeFiles(join(root, '.config', 'manyhands'), { 'config.yaml': text });
}

/** What `doctor` says of backups. */
async function doctorLine(place: Scratch): Promise<unknown> {
  const { json } = await place.mh(['doctor', '--json']);
  return Array.isArray(json) ? json.find(({ name }) => name === 'backup') : json;
}

describe('automatic backups', () => {
  it('are made when a run ends, at most one in the time that is set, and only the newest stay', async () => {
    await using place = await scratch();
    personal(place, 'backup: { every: 30m, keep: 2 }\n');
    await place.mh(['job', 'first']);
    const [first = '', ...rest] = backups(place);
    expect([first, rest]).toEqual([expect.stringMatching(/^manyhands-auto-\d{8}T\d{9}Z\.db$/), []]);
    expect(statSync(join(place.home, 'backups', first)).mode & 0o777).toBe(0o600);
    await place.mh(['job', 'second']);
    expect(backups(place)).toEqual([first]);
    renameSync(join(place.home, 'backups', first), join(place.home, 'backups', OLD));
    await place.mh(['job', 'third']);
    const [, third = ''] = backups(place);
    expect(backups(place)).toEqual([OLD, third]);
    const other = join(place.root, 'other');
    mkdirSync(other);
    copyFileSync(join(place.home, 'backups', third), join(other, 'manyhands.db'));
    const listed = await place.mh(['ls', '--json'], { env: { MANYHANDS_HOME: other } });
    expect(listed.json).toHaveLength(3);
  });

  it('leave what a person backed up alone, and remove what a killed one left', async () => {
    await using place = await scratch();
    personal(place, 'backup: { keep: 1 }\n');
    const died = await place.mh(['job', 'first'], { env: { MANYHANDS_CRASH: 'backup.made:1' } });
    expect(died.signal).toBe('SIGKILL');
    const [left = '', ...others] = backups(place);
    expect([left, others]).toEqual([expect.stringMatching(/\.db\.making-/), []]);
    expect((await place.mh(['resume'])).code).toBe(0);
    utimesSync(join(place.home, 'backups', left), 1_577_836_800, 1_577_836_800);
    for (const name of [OLD, 'manyhands-20200101T000000000Z.db'])
      writeFileSync(join(place.home, 'backups', name), 'of long ago');
    await place.mh(['job', 'second']);
    expect(backups(place)).toEqual([
      'manyhands-20200101T000000000Z.db',
      expect.stringMatching(/^manyhands-auto-2\d{7}T\d{9}Z\.db$/),
    ]);
    expect(backups(place)).not.toContain(OLD);
  });

  it('fail no run when they cannot be made: the doctor tells it until one was made', async () => {
    await using place = await scratch();
    expect(await doctorLine(place)).toMatchObject({ ok: true, detail: expect.stringContaining('none yet') });
    writeFileSync(join(place.home, 'backups'), 'in the way');
    const { code, stderr } = await place.mh(['job', 'first']);
    expect(code, stderr).toBe(0);
    expect(await doctorLine(place)).toMatchObject({ ok: false, required: false, fix: expect.any(String) });
    rmSync(join(place.home, 'backups'));
    await place.mh(['job', 'second']);
    expect(await doctorLine(place)).toMatchObject({ ok: false });
    expect((await place.mh(['backup'])).code).toBe(0);
    expect(await doctorLine(place)).toMatchObject({ ok: true });
  });

  it('are not made when they are switched off, and a project cannot decide about them', async () => {
    await using place = await scratch();
    personal(place, 'backup: { every: off }\n');
    writeFiles(place.repo, { '.manyhands/config.yaml': `${SETTINGS}backup: { every: 1m, keep: 9 }\n` });
    await place.mh(['job', 'first']);
    expect(readdirSync(place.home)).not.toContain('backups');
  });
});
