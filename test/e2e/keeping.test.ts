import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { ArchiveResult, BackupResult } from '../../src/schema/keeping.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

const AGENT = '#!/bin/sh\ncat > /dev/null\necho made > made.txt\necho "I made it"\n';

async function scratch(): Promise<Scratch & { run: string }> {
  const settings = 'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["true"]\n';
  const place = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': settings } });
  const { run } = RunDocument.parse((await place.mh(['job', 'add a file', '--json'])).json);
  return Object.assign(place, { run });
}

async function archived(place: Scratch, ...args: string[]): Promise<ArchiveResult['items'][number]> {
  const { json, stdout, stderr } = await place.mh(['archive', '--older-than', '0', ...args, '--json']);
  const result = ArchiveResult.safeParse(json);
  const item = result.data?.items[0];
  if (item === undefined) throw new Error(`nothing was archived: ${stdout}${stderr}`);
  return item;
}

describe('keeping what is stored', () => {
  it('copies the database to files that can be used, and keeps the newest', async () => {
    await using place = await scratch();
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1)
      made.push(BackupResult.parse((await place.mh(['backup', '--keep', '2', '--json'])).json).file);
    const asked = readdirSync(join(place.home, 'backups')).filter((name) => !name.includes('auto'));
    expect(asked.map((name) => join(place.home, 'backups', name))).toEqual(made.slice(1));
    expect(statSync(made[2] ?? '').mode & 0o777).toBe(0o600);
    const other = join(place.root, 'other');
    mkdirSync(other);
    copyFileSync(made[2] ?? '', join(other, 'manyhands.db'));
    const listed = await place.mh(['ls', '--all', '--json'], { env: { MANYHANDS_HOME: other } });
    expect(listed.json).toMatchObject([{ run: place.run, status: 'done' }]);
  });

  it('moves an old run into a file that tar can read, and back, without losing a word', async () => {
    await using place = await scratch();
    const look = async () => [
      (await place.mh(['show', place.run, '--json'])).json,
      (await place.mh(['logs', place.run])).stdout,
    ];
    const before = await look();
    const dry = await archived(place);
    expect([dry.bytes, existsSync(dry.file)]).toEqual([null, false]);
    expect(await archived(place, '--apply', '--remove')).toMatchObject({
      removed: false,
      reason: expect.stringContaining('manyhands clean'),
    });
    await place.mh(['clean', '--older-than', '0', '--apply']);
    const died = await place.mh(['archive', '--older-than', '0', '--apply', '--remove'], {
      env: { MANYHANDS_CRASH: 'archive.removing:1' },
    });
    expect([died.signal, await look()]).toEqual(['SIGKILL', before]);
    const { file, removed } = await archived(place, '--apply', '--remove');
    expect(removed).toBe(true);
    expect((await place.mh(['ls', '--json'])).json).toEqual([]);
    const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' });
    expect(names).toContain(`${place.run}/report.md\n${place.run}/run.json\n${place.run}/events.jsonl\n`);
    expect((await place.mh(['archive', 'restore', place.run])).code).toBe(0);
    expect(await look()).toEqual(before);
    expect((await place.mh(['archive', 'restore', place.run])).code).toBe(3);
  });

  it('refuses an archive that was cut off or changed, and stores nothing of it', async () => {
    await using place = await scratch();
    await place.mh(['clean', '--older-than', '0', '--apply']);
    const { file } = await archived(place, '--apply', '--remove');
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, whole.length - 40));
    const cut = await place.mh(['archive', 'restore', file, '--json']);
    expect([cut.code, cut.json]).toMatchObject([3, { error: { code: 'DATA_DAMAGED' } }]);
    expect((await place.mh(['ls', '--json'])).json).toEqual([]);
    expect((await place.mh(['archive', 'restore', 'no-such-file'])).code).toBe(3);
  });
});
