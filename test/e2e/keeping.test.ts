import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DoctorLine } from '../../src/operations/maintenance/doctor/doctor-line.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { ArchiveResult, BackupResult } from '../../src/schema/keeping.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';

const AGENT = '#!/bin/sh\ncat > /dev/null\necho made > made.txt\necho "I made it"\n';

async function scratch(): Promise<Scratch & { run: string }> {
  const settings = 'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["true"]\n';
  const project = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': settings } });
  const { run } = RunDocument.parse((await project.mh(['job', 'add a file', '--json'])).json);
  return Object.assign(project, { run });
}

async function archived(project: Scratch, ...args: string[]): Promise<ArchiveResult['items'][number]> {
  const { json, stdout, stderr } = await project.mh(['archive', '--older-than', '0', ...args, '--json']);
  const result = ArchiveResult.safeParse(json);
  const item = result.data?.items[0];
  if (item === undefined) throw new Error(`nothing was archived: ${stdout}${stderr}`);
  return item;
}

/** Inverts bytes in the middle of every page of a file but its first. */
function flipBytes(file: string): void {
  const bytes = readFileSync(file);
  for (let page = 4_096; page < bytes.length; page += 4_096)
    for (let at = page; at < page + 300; at += 1) bytes.writeUInt8(bytes.readUInt8(at) ^ 0x55, at);
  writeFileSync(file, bytes);
}

async function databaseLine(project: Scratch): Promise<{ code: number | null; line: DoctorLine }> {
  const { code, json } = await project.mh(['doctor', '--json']);
  const line = DoctorLine.array()
    .parse(json)
    .find(({ name }) => name === 'database');
  if (line === undefined) throw new Error('doctor says nothing about the database');
  return { code, line };
}

describe('a damaged database', () => {
  it.each(
    variants<[string, (file: string) => void], [string, (file: string) => void]>(
      [['with flipped bytes', flipBytes]],
      [['whose header is overwritten', (file: string) => writeFileSync(file, 'not a database\n')]],
    ),
  )('%s is found by doctor, whose commands restore the newest intact backup', async (_, damage) => {
    await using project = await scratch();
    const [older, newer] = [await project.mh(['backup', '--json']), await project.mh(['backup', '--json'])].map(
      ({ json }) => BackupResult.parse(json).file,
    );
    flipBytes(newer ?? '');
    const file = join(project.home, 'manyhands.db');
    damage(file);
    const damaged = readFileSync(file);
    const listing = await project.mh(['ls', '--all']);
    expect([listing.code, listing.stderr]).toEqual([3, expect.stringContaining('manyhands doctor')]);

    const { code, line } = await databaseLine(project);
    expect([code, line.ok, line.detail]).toEqual([3, false, expect.stringContaining('is damaged')]);
    const commands = (line.fix ?? '').split('\n').filter((text) => /^(mkdir|cp) /.test(text));
    expect(commands.at(-1)).toContain(older);
    for (const command of commands) execFileSync('sh', ['-c', command], { stdio: 'pipe' });
    expect((await databaseLine(project)).line).toMatchObject({ ok: true, detail: expect.stringContaining('1 run in') });
    expect((await project.mh(['ls', '--all', '--json'])).json).toMatchObject([{ run: project.run }]);
    const [aside = ''] = readdirSync(project.home).filter((name) => name.startsWith('damaged-'));
    expect(readFileSync(join(project.home, aside, 'manyhands.db')).equals(damaged)).toBe(true);
  });
});

describe('backups and archives', () => {
  it('copies the database to usable files, and keeps the newest', async () => {
    await using project = await scratch();
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1)
      made.push(BackupResult.parse((await project.mh(['backup', '--keep', '2', '--json'])).json).file);
    const requested = readdirSync(join(project.home, 'backups')).filter((name) => !name.includes('auto'));
    expect(requested.map((name) => join(project.home, 'backups', name))).toEqual(made.slice(1));
    expect(statSync(made[2] ?? '').mode & 0o777).toBe(0o600);
    const other = join(project.root, 'other');
    mkdirSync(other);
    copyFileSync(made[2] ?? '', join(other, 'manyhands.db'));
    const listed = await project.mh(['ls', '--all', '--json'], { env: { MANYHANDS_HOME: other } });
    expect(listed.json).toMatchObject([{ run: project.run, status: 'done' }]);
  });

  it('moves an old run into a tar archive and back without loss', async () => {
    await using project = await scratch();
    const look = async () => [
      (await project.mh(['show', project.run, '--json'])).json,
      (await project.mh(['logs', project.run])).stdout,
    ];
    const before = await look();
    const dry = await archived(project);
    expect([dry.bytes, existsSync(dry.file)]).toEqual([null, false]);
    mkdirSync(join(project.home, 'attempts', `${project.run}-setup-0`));
    for (const point of ['archive.cleaned', 'archive.made', 'archive.removing']) {
      const died = await project.mh(['archive', '--older-than', '0', '--apply', '--remove'], {
        env: { MANYHANDS_CRASH: `${point}:1` },
      });
      expect([died.signal, await look()], point).toEqual(['SIGKILL', before]);
      expect(readdirSync(join(project.home, 'attempts')).filter((name) => name.startsWith(project.run))).toEqual([]);
    }
    const unknown = join(project.home, 'attempts', `${project.run}-unknown`);
    mkdirSync(unknown);
    const kept = await project.mh(['archive', '--older-than', '0', '--apply', '--remove']);
    expect([kept.code, kept.stdout, kept.stderr]).toMatchObject([
      3,
      expect.stringContaining('it stays in the database'),
      expect.stringContaining('0 removed from the database'),
    ]);
    rmdirSync(unknown);
    writeFileSync(dry.file, 'damaged');
    const { file, removed } = await archived(project, '--apply', '--remove');
    expect(removed).toBe(true);
    expect(readdirSync(join(project.home, 'archives'))).toEqual([basename(file)]);
    expect((await project.mh(['ls', '--json'])).json).toEqual([]);
    const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' });
    expect(names).toContain(`${project.run}/report.md\n${project.run}/run.json\n${project.run}/events.jsonl\n`);
    expect((await project.mh(['archive', 'restore', project.run])).code).toBe(0);
    expect(await look()).toEqual(before);
    expect((await project.mh(['archive', 'restore', project.run])).code).toBe(3);
  });

  it('rejects a truncated or changed archive, and stores nothing of it', async () => {
    await using project = await scratch();
    await project.mh(['clean', '--older-than', '0', '--apply']);
    const { file } = await archived(project, '--apply', '--remove');
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, whole.length - 40));
    const cut = await project.mh(['archive', 'restore', file, '--json']);
    expect([cut.code, cut.json]).toMatchObject([3, { error: { code: 'DATA_DAMAGED' } }]);
    expect((await project.mh(['ls', '--json'])).json).toEqual([]);
    expect((await project.mh(['archive', 'restore', 'no-such-file'])).code).toBe(3);
  });
});
