import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditCheck } from '../../src/operations/audit/verify-audit.ts';
import { AuditRecord } from '../../src/reports/audit-record.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

const AGENT = '#!/bin/sh\ncat > /dev/null\necho made > made.txt\necho "I made it"\n';
const SETTINGS = 'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["true"]\n';

let project: Scratch;
let run: RunDocument;
let keys: string;

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'mh-keys-'));
  const key = join(keys, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'ada@example.org', '-f', key]);
  writeFileSync(join(keys, 'signers'), `ada@example.org ${readFileSync(`${key}.pub`, 'utf8')}`);
  writeFileSync(
    join(keys, 'gitconfig'),
    `[gpg]\n  format = ssh\n[gpg "ssh"]\n  allowedSignersFile = ${join(keys, 'signers')}\n[user]\n  signingKey = ${key}\n`,
  );
  project = await makeScratch({ files: { 'agent.sh': AGENT, '.manyhands/config.yaml': SETTINGS } });
  run = RunDocument.parse((await project.mh(['job', 'add a file', '--land', 'merge', '--json'])).json);
});

afterAll(async () => {
  await project[Symbol.asyncDispose]();
  rmSync(keys, { recursive: true, force: true });
});

async function verify(...args: string[]): Promise<{ code: number | null; check: AuditCheck }> {
  const { code, json, stderr } = await project.mh(['audit', 'verify', ...args, '--json']);
  const parsed = AuditCheck.safeParse(json);
  if (!parsed.success) throw new Error(stderr);
  return { code, check: parsed.data };
}

describe('the record of a run', () => {
  it('is intact, and says what that does not prove', async () => {
    const { code, check } = await verify();
    expect([code, check.intact]).toEqual([0, true]);
    expect(check.streams.map(({ stream }) => stream)).toContain(`run/${run.run}`);
    expect(check.notProven.join()).toContain('replaced');
    const shown = await project.mh(['audit', 'verify', run.run]);
    expect(shown.stdout).toMatch(new RegExp(`✓ intact.*\\n  head: ${run.run}@\\d+:[0-9a-f]{64}`));
  });

  it('has its head in the landed commit, with which it can be compared', async () => {
    const message = project.git('log', '-1', '--format=%B', run.landed?.commit ?? '');
    expect(message).toMatch(new RegExp(`^Manyhands-Audit: ${run.run}@\\d+:[0-9a-f]{64}$`, 'm'));
    const { code, check } = await verify('--commit', run.landed?.commit ?? '');
    expect([code, check.against?.holds, check.against?.source]).toEqual([0, true, 'commit']);
    const root = await project.mh(['audit', 'verify', '--commit', 'HEAD~1']);
    expect([root.code, root.stderr]).toEqual([3, expect.stringContaining('has no Manyhands-Audit trailer')]);
  });

  it('has its head in the report', async () => {
    const { stdout } = await project.mh(['report', run.run]);
    const head = /audit verify --head (\S+)/.exec(stdout)?.[1] ?? '';
    expect((await verify('--head', head)).check.against?.holds).toBe(true);
    expect(stdout).toMatch(/\(cli\)|a person|Manyhands/);
  });

  it('is exported with who, what and how contained, and signed with the git signing key', async () => {
    const folder = join(project.root, 'bundle');
    const env = { GIT_CONFIG_GLOBAL: join(keys, 'gitconfig') };
    const exported = await project.mh(['audit', 'export', run.run, '--output', folder, '--json'], { env });
    expect(exported.json).toMatchObject({ run: run.run, unsigned: null, signature: join(folder, 'SHA256SUMS.sig') });
    const audit = AuditRecord.parse(JSON.parse(readFileSync(join(folder, 'audit.json'), 'utf8')));
    expect(audit.requested.by).toMatchObject({ actor: { kind: 'person' }, via: 'cli' });
    expect(audit.attempts).toMatchObject([
      { agent: 'hand', outcome: 'ended', containment: { level: expect.any(String) } },
    ]);
    expect(audit.changed.landed?.commit).toBe(run.landed?.commit);
    execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: folder, stdio: 'pipe' });
    const verified = await project.mh(['audit', 'verify', '--bundle', folder, '--json'], { env });
    expect(verified.json).toMatchObject({
      intact: true,
      against: { source: 'bundle', holds: true },
      signature: expect.stringContaining('Good "manyhands-audit" signature for ada@example.org'),
    });
    const events = readFileSync(join(folder, 'events.jsonl'), 'utf8');
    writeFileSync(join(folder, 'events.jsonl'), events.replace('add a file', 'add a fine'));
    const changed = await verify('--bundle', folder);
    expect([changed.code, changed.check.intact]).toEqual([4, false]);
    expect(changed.check.streams.map(({ broken }) => broken).join()).toContain('events.jsonl was changed');
  });

  it('without a signing key is exported unsigned, and says so', async () => {
    const folder = join(project.root, 'unsigned');
    const { code, stderr, stdout } = await project.mh(['audit', 'export', run.run, '--output', folder]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('not signed: your git configuration has no')]);
    expect(stdout).toMatch(/^\w+@\d+:[0-9a-f]{64}\n$/);
    const again = await project.mh(['audit', 'export', run.run, '--output', folder]);
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining(folder)]);
  });

  it.each([
    ['altered', "UPDATE blobs SET text = text || ' and push'", 'that it names was altered'],
    ['missing', 'DELETE FROM blobs', 'is missing'],
  ])('shows a text of a role that is %s', async (_, sql, message) => {
    const file = join(project.home, 'manyhands.db');
    const before = readFileSync(file);
    const db = new DatabaseSync(file);
    db.exec(sql);
    db.close();
    const { code, check } = await verify(run.run);
    expect([code, check.intact, check.streams[0]?.broken]).toEqual([4, false, expect.stringContaining(message)]);
    writeFileSync(file, before);
  });

  it('shows an altered, and a recomputed, event', async () => {
    const file = join(project.home, 'manyhands.db');
    const before = readFileSync(file);
    const db = new DatabaseSync(file);
    const alter = "UPDATE events SET data = replace(data, 'add a file', 'add a fine') WHERE stream = ? AND version = 1";
    db.prepare(alter).run(`run/${run.run}`);
    db.close();
    const { code, check } = await verify(run.run);
    expect([code, check.streams[0]?.broken]).toEqual([4, expect.stringContaining('event 1 was altered')]);
    expect((await verify('--commit', 'HEAD')).check.against?.holds).toBe(false);
    expect((await project.mh(['audit', 'verify', run.run])).stdout).toContain('✗ changed');
    writeFileSync(file, before);
  });
});
