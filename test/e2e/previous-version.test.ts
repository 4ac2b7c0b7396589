import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RunDocument, RunSummary } from '../../src/schema/document.ts';
import { ledger, statuses } from '../support/features-project.ts';
import { canBePlaced, readAnswers, unpackPreviousVersion } from '../support/previous-version.ts';
import { runForDocument } from '../support/run-for-document.ts';
import { type Scratch, writeFiles } from '../support/scratch.ts';
import { TESTS_ALL } from '../support/variants.ts';

const LONG = { timeout: 300_000 };
const Saved = z.array(z.object({ ref: z.string(), commit: z.string() }));
const Address = z.object({ url: z.string() });
const Migration = z.object({
  items: z.array(z.object({ what: z.string(), action: z.string() })),
  applied: z.boolean(),
  backup: z.string().nullable(),
});
const Token = z.object({ token: z.string() });

/** What the previous version answered, before it was packed. */
const answers = readAnswers();
const runsThen = z.array(RunSummary).parse(answers.get('ls')?.document);
const savedThen = Saved.parse(answers.get('salvage')?.document);

/** The inbox lists runs that no engine is running, which the previous version did not. */
function knownThen(name: string, document: unknown): unknown {
  if (name !== 'inbox' || !Array.isArray(document)) return document;
  return document.filter(({ reason }) => reason !== 'No engine is running it.');
}

describe.skipIf(!canBePlaced)('a data directory of the previous version', () => {
  it('is printed with the same documents as by the previous version', LONG, async () => {
    await using project = await unpackPreviousVersion();
    const preferences = 'limits:\n  agents: 3 # mine\n';
    writeFiles(project.root, { '.config/manyhands/config.yaml': preferences });
    const orchestrator = { '.orchestrator/config.json': '{"baseBranch":"main"}', 'orchestrator_runs/1/log.txt': 'x' };
    writeFiles(project.repo, orchestrator);
    const planned = Migration.parse((await project.mh(['migrate', '--json'])).json);
    expect(planned).toMatchObject({ applied: false, backup: null });
    expect(planned.items.map(({ action, what }) => `${action} ${what}`)).toEqual([
      'migrate database',
      'import settings of another tool',
      'run work file',
      'keep records of another tool',
    ]);
    const migrated = Migration.parse((await project.mh(['migrate', '--apply', '--json'])).json);
    expect(migrated).toMatchObject({ applied: true, backup: expect.stringContaining('manyhands-') });
    expect(existsSync(migrated.backup ?? '')).toBe(true);
    const after = Migration.parse((await project.mh(['migrate', '--json'])).json);
    expect(after.items.map(({ what }) => what)).not.toContain('database');
    for (const path of Object.keys(orchestrator)) rmSync(join(project.repo, path));
    for (const [name, { command, document }] of answers) {
      const answer = await project.mh([...command, '--json']);
      expect(answer.code, `${name}: ${answer.stderr}`).toBe(0);
      expect(withoutAdvice(knownThen(name, answer.json)), name).toMatchObject(
        z.record(z.string(), z.unknown()).or(z.array(z.unknown())).parse(withoutAdvice(document)),
      );
    }
    expect(statuses(project)).toEqual(['passed', 'open']);
    expect((await project.mh(['config', 'get', 'limits.agents'])).stdout).toContain('3');
    expect(readFileSync(join(project.root, '.config/manyhands/config.yaml'), 'utf8')).toBe(preferences);
    expect(project.git('status', '--porcelain', '--', '.manyhands/config.yaml')).toBe('');
  });

  it('resumes the interrupted run, and pays for nothing twice', LONG, async () => {
    await using project = await unpackPreviousVersion();
    writeFileSync(join(project.root, 'go'), '');
    const before = ledger(project);
    const done = await runForDocument(project, 'resume', runOf('Interrupted'));
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    const since = ledger(project).slice(before.length);
    expect(since.toSorted()).toEqual(['implement four.txt', 'implement three.txt', 'implement two.txt', 'review']);
    for (const page of ['one.txt', 'two.txt', 'three.txt', 'four.txt'])
      expect(project.git('show', `mh/${done.run}:${page}`)).toBe('begun\nwritten');
    const saved = await savedIn(project);
    expect(saved).toEqual(expect.arrayContaining(savedThen));
    const left = saved.find(({ ref }) => ref.startsWith(`refs/manyhands/attempts/${done.run}-3-1/`));
    expect(left, 'what the agent had begun').toBeDefined();
    expect(await project.leftovers()).toEqual([]);
  });

  it('runs the held plan once it is approved', LONG, async () => {
    await using project = await unpackPreviousVersion();
    const done = await runForDocument(project, 'approve', runOf('Planned'));
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(done.tasks.filter(({ role }) => role === 'implement').map(({ status }) => status)).toEqual([
      'done',
      'done',
      'done',
    ]);
    expect(project.git('rev-parse', `mh/${done.run}`)).toBe(done.commit);
  });

  it.runIf(TESTS_ALL)('lands the work that a guard held once it is approved', LONG, async () => {
    await using project = await unpackPreviousVersion();
    const before = ledger(project);
    const done = await runForDocument(project, 'approve', runOf('Guarded'));
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(project.git('show', `mh/${done.run}:package.json`)).toContain('test -s base.txt');
    expect(ledger(project)).toEqual(before);
  });

  it.runIf(TESTS_ALL)('retries the failed task', LONG, async () => {
    await using project = await unpackPreviousVersion();
    writeFileSync(join(project.root, 'mended'), '');
    const done = await runForDocument(project, 'retry', runOf('Failed'));
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(project.git('show', `mh/${done.run}:mended.txt`)).toContain('written');
  });

  it('resumes the paused features, and writes their statuses', LONG, async () => {
    await using project = await unpackPreviousVersion();
    const before = ledger(project);
    const done = await runForDocument(project, 'resume', runOf('Features'));
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(statuses(project)).toEqual(['passed', 'passed']);
    expect(readFileSync(join(project.repo, 'features.json'), 'utf8')).toContain('"owner": "me"');
    expect(project.git('show', 'ai-develop:alpha.txt', 'ai-develop:beta.txt')).toContain('written');
    expect(ledger(project).slice(before.length)).toEqual(['implement beta.txt', 'verify beta.txt']);
  });

  it.runIf(TESTS_ALL)('reverts the landing of the previous version', LONG, async () => {
    await using project = await unpackPreviousVersion();
    expect(project.git('ls-tree', '-r', '--name-only', 'main')).toContain('notes/first.md');
    project.git('add', '--all');
    project.git('commit', '--quiet', '--message=Mine');
    const undone = await project.mh(['undo', runOf('Landed'), '--yes', '--json']);
    expect(undone.code, undone.stderr + undone.stdout).toBe(0);
    expect(project.git('ls-tree', '-r', '--name-only', 'main')).not.toContain('notes/first.md');
  });

  it('is served: the token is accepted, and the batch continues to its last item', LONG, async () => {
    await using project = await unpackPreviousVersion();
    writeFileSync(join(project.root, 'go'), '');
    const server = project.start(['serve', '--port', '0']);
    await expect.poll(() => batchOf(project), LONG).toEqual(['done', 'done', 'done']);
    const { url } = Address.parse(JSON.parse(readFileSync(join(project.home, 'server/address.json'), 'utf8')));
    for (const name of ['token', 'viewer']) {
      const { token } = Token.parse(answers.get(name)?.document);
      const answer = await fetch(`${url}/api/runs`, { headers: { authorization: `Bearer ${token}` } });
      const runs = z.array(RunSummary).parse(await answer.json());
      expect(runs.map(({ title }) => title)).toContain('Landed');
    }
    const wait = await project.mh(['wait', runOf('Interrupted'), '--json']);
    expect(RunDocument.parse(wait.json).status).toBe('done');
    expect(await project.mh(['stop'])).toMatchObject({ code: 0 });
    expect((await server.done).code).toBe(0);
    expect(await savedIn(project)).toEqual(expect.arrayContaining(savedThen));
  });
});

function runOf(title: string): string {
  const found = runsThen.find((run) => run.title === title);
  if (found === undefined) throw new Error(`The previous version had no run ${title}`);
  return found.run;
}

async function savedIn(project: Scratch): Promise<z.infer<typeof Saved>> {
  return Saved.parse((await project.mh(['salvage', '--json'])).json);
}

/** How the runs of the batch stand, in the order of its items. */
async function batchOf(project: Scratch): Promise<string[]> {
  const { json } = await project.mh(['collection', 'show', 'pages', '--json']);
  return z
    .array(RunSummary)
    .parse(json)
    .sort((a, b) => a.title.localeCompare(b.title))
    .map(({ status }) => status);
}

/** The document without the text of next steps, which each version words itself. */
function withoutAdvice(document: unknown): unknown {
  const isChanged = (key: string, value: unknown) =>
    key === 'nextStep' || (key === 'landed' && typeof value === 'boolean');
  return JSON.parse(JSON.stringify(document, (key, value) => (isChanged(key, value) ? 'changed' : value)));
}
