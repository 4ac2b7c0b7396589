import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeScratch, type Scratch, writeFiles } from '../../support/scratch.ts';

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
async function doctorLine(project: Scratch): Promise<unknown> {
  const { json } = await project.mh(['doctor', '--json']);
  return Array.isArray(json) ? json.find(({ name }) => name === 'backup') : json;
}

describe('automatic backups', () => {
  it('are made when a run ends, at most one per configured interval, and only the newest are kept', async () => {
    await using project = await scratch();
    personal(project, 'backup: { every: 30m, keep: 2 }\n');
    await project.mh(['job', 'first']);
    const [first = '', ...rest] = backups(project);
    expect([first, rest]).toEqual([expect.stringMatching(/^manyhands-auto-\d{8}T\d{9}Z\.db$/), []]);
    expect(statSync(join(project.home, 'backups', first)).mode & 0o777).toBe(0o600);
    await project.mh(['job', 'second']);
    expect(backups(project)).toEqual([first]);
    renameSync(join(project.home, 'backups', first), join(project.home, 'backups', OLD));
    await project.mh(['job', 'third']);
    const [, third = ''] = backups(project);
    expect(backups(project)).toEqual([OLD, third]);
    const other = join(project.root, 'other');
    mkdirSync(other);
    copyFileSync(join(project.home, 'backups', third), join(other, 'manyhands.db'));
    const listed = await project.mh(['ls', '--json'], { env: { MANYHANDS_HOME: other } });
    expect(listed.json).toHaveLength(3);
  });

  it('keep manual backups, and remove what a killed backup left', async () => {
    await using project = await scratch();
    personal(project, 'backup: { keep: 1 }\n');
    const died = await project.mh(['job', 'first'], { env: { MANYHANDS_CRASH: 'backup.made:1' } });
    expect(died.signal).toBe('SIGKILL');
    const [left = '', ...others] = backups(project);
    expect([left, others]).toEqual([expect.stringMatching(/\.db\.making-/), []]);
    expect((await project.mh(['resume'])).code).toBe(0);
    // A kill before the run's end was recorded makes `resume` end the run again, with a backup; the next run must be due for one.
    for (const name of backups(project).filter((one) => one !== left)) rmSync(join(project.home, 'backups', name));
    utimesSync(join(project.home, 'backups', left), 1_577_836_800, 1_577_836_800);
    for (const name of [OLD, 'manyhands-20200101T000000000Z.db'])
      writeFileSync(join(project.home, 'backups', name), 'of long ago');
    await project.mh(['job', 'second']);
    expect(backups(project)).toEqual([
      'manyhands-20200101T000000000Z.db',
      expect.stringMatching(/^manyhands-auto-2\d{7}T\d{9}Z\.db$/),
    ]);
    expect(backups(project)).not.toContain(OLD);
  });

  it('fail no run when they cannot be made: doctor reports it until one succeeds', async () => {
    await using project = await scratch();
    expect(await doctorLine(project)).toMatchObject({ ok: true, detail: expect.stringContaining('none yet') });
    writeFileSync(join(project.home, 'backups'), 'in the way');
    const { code, stderr } = await project.mh(['job', 'first']);
    expect(code, stderr).toBe(0);
    expect(await doctorLine(project)).toMatchObject({ ok: false, required: false, fix: expect.any(String) });
    rmSync(join(project.home, 'backups'));
    await project.mh(['job', 'second']);
    expect(await doctorLine(project)).toMatchObject({ ok: false });
    expect((await project.mh(['backup'])).code).toBe(0);
    expect(await doctorLine(project)).toMatchObject({ ok: true });
  });

  it('are not made when disabled, and a project cannot change that', async () => {
    await using project = await scratch();
    personal(project, 'backup: { every: off }\n');
    writeFiles(project.repo, { '.manyhands/config.yaml': `${SETTINGS}backup: { every: 1m, keep: 9 }\n` });
    await project.mh(['job', 'first']);
    expect(readdirSync(project.home)).not.toContain('backups');
  });
});
