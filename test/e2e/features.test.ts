import { rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { featuresText, ledger, makeFeatures, statuses } from '../support/features-project.ts';
import { runForDocument } from '../support/run-for-document.ts';
import type { Scratch } from '../support/scratch.ts';
import { until } from '../support/until.ts';
import { variants } from '../support/variants.ts';

const LONG = { timeout: 300_000 };

function filesOn(project: Scratch, branch: string): string[] {
  return project.git('ls-tree', '--name-only', branch).split('\n');
}

describe('a list of features', () => {
  it('lands on a checked-out base although its own file changes there', LONG, async () => {
    await using project = await makeFeatures(['alpha', 'beta'], {
      settings: 'progress: notes/progress.txt\n',
      files: { 'notes/progress.txt': 'Begun.\n' },
      verifier: 'echo x > by-verifier.txt; echo changed > base.txt',
    });
    project.git('checkout', '--quiet', '-b', 'ai-develop');
    const done = await runForDocument(project, 'run', 'features.json');
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(statuses(project)).toEqual(['passed', 'passed']);
    expect(filesOn(project, 'ai-develop')).toEqual(expect.arrayContaining(['alpha.txt', 'beta.txt']));
    expect(await readFile(join(project.repo, 'alpha.txt'), 'utf8')).toBe('more\n');
    expect(filesOn(project, 'ai-develop'), 'what a verifier writes').not.toContain('by-verifier.txt');
    expect(await readFile(join(project.repo, 'base.txt'), 'utf8')).not.toContain('changed');
    expect(
      project
        .git('status', '--porcelain')
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual(['M features.json', 'M notes/progress.txt']);
    expect(await readFile(join(project.repo, 'notes/progress.txt'), 'utf8')).toMatch(
      /^Begun\.\n.*Add (alpha|beta).*\n.*Add (alpha|beta)/,
    );
  });

  it('waits for the user when the checkout of its base has uncommitted changes', LONG, async () => {
    await using project = await makeFeatures(['alpha']);
    project.git('checkout', '--quiet', '-b', 'ai-develop');
    writeFileSync(join(project.repo, 'base.txt'), 'mine\n');
    const held = await runForDocument(project, 'run', 'features.json');
    expect([held.code, held.status]).toEqual([4, 'held']);
    expect(await readFile(join(project.repo, 'base.txt'), 'utf8')).toBe('mine\n');
    expect(filesOn(project, 'ai-develop')).not.toContain('alpha.txt');
    project.git('checkout', '--quiet', 'base.txt');
    const done = await runForDocument(project, 'approve');
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(filesOn(project, 'ai-develop')).toContain('alpha.txt');
  });

  it.each(
    variants(
      [
        ['between the proposal and the verdict', 'candidate.proposed:1'],
        ['while the status is written', 'features.writing:2'],
      ],
      [
        ['while it is implemented', 'attempt.going:1'],
        ['while it is verified', 'attempt.going:2'],
        ['between the verdict and its landing', 'attempt.ended:2'],
        ['between its landing and the status', 'base.pushed:1'],
      ],
    ),
  )('is done once and pays for nothing twice after a kill %s', LONG, async (_, point) => {
    await using project = await makeFeatures(['alpha']);
    const died = await project.mh(['run', 'features.json', '--json'], { env: { MANYHANDS_CRASH: point } });
    expect(died.signal, died.stderr).toBe('SIGKILL');
    const resumed = await project.mh(['resume', '--json']);
    expect(resumed.code, resumed.stderr + resumed.stdout).toBe(0);
    expect(ledger(project)).toEqual(['implement alpha.txt', 'verify alpha.txt']);
    expect(statuses(project)).toEqual(['passed']);
    expect(project.git('show', 'ai-develop:alpha.txt')).toBe('more');
    expect(project.git('status', '--porcelain').trim()).toBe('M features.json');
    expect(await project.leftovers()).toEqual([]);
  });

  it('keeps concurrent edits of the file and concurrent commits on the base', LONG, async () => {
    await using project = await makeFeatures(['alpha'], {
      verifier: 'touch "$HOME/verifying"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done',
    });
    project.git('checkout', '--quiet', '-b', 'ai-develop');
    const working = project.start(['run', 'features.json', '--json']);
    await until(() => statuses(project)[0] === 'verifying' && ledger(project).length === 2);
    const text = await readFile(join(project.repo, 'features.json'), 'utf8');
    writeFileSync(join(project.repo, 'features.json'), text.replace('"owner": "me"', '"owner": "somebody else"'));
    writeFileSync(join(project.repo, 'mine.txt'), 'mine\n');
    project.git('add', 'mine.txt');
    project.git('commit', '--quiet', '--message=Mine');
    writeFileSync(join(project.root, 'go'), '');
    const ended = await working.done;
    expect(ended.code, ended.stderr + ended.stdout).toBe(0);
    expect(statuses(project)).toEqual(['passed']);
    expect(await readFile(join(project.repo, 'features.json'), 'utf8')).toContain('somebody else');
    expect(filesOn(project, 'ai-develop')).toEqual(expect.arrayContaining(['alpha.txt', 'mine.txt']));
    expect(project.git('status', '--porcelain').trim()).toBe('M features.json');
  });

  it.each(
    variants(
      [['breaks', (file: string) => writeFileSync(file, '{ "features": [')]],
      [
        ['deletes', (file: string) => rmSync(file)],
        ['empties', (file: string) => writeFileSync(file, featuresText([]))],
      ],
    ),
  )('lands all the same when a person %s the file, leaves it so and says it', LONG, async (_, harm) => {
    await using project = await makeFeatures(['alpha'], {
      verifier: 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done',
    });
    const file = join(project.repo, 'features.json');
    const working = project.start(['run', 'features.json', '--json']);
    await until(() => ledger(project).length === 2);
    harm(file);
    const harmed = await readFile(file, 'utf8').catch(() => 'gone');
    writeFileSync(join(project.root, 'go'), '');
    const document = RunDocument.parse((await working.done).json);
    expect([document.status, document.reason]).toEqual(['done', expect.stringContaining('features.json')]);
    expect(await readFile(file, 'utf8').catch(() => 'gone')).toBe(harmed);
    expect(filesOn(project, 'ai-develop')).toContain('alpha.txt');
  });

  it('pauses and resumes track by track from a second terminal', LONG, async () => {
    const settings = 'tracks:\n  back: { categories: [core], default: true }\n  front: { categories: [ui] }\n';
    const text = featuresText(['alpha', 'beta', 'gamma']).replace(
      '"id": 3, "category": "core"',
      '"id": 3, "category": "ui"',
    );
    await using project = await makeFeatures([], {
      settings,
      files: { 'features.json': text },
      implementer: '[ "$file" != alpha.txt ] || while [ ! -e "$HOME/go" ]; do sleep 0.05; done',
    });
    const working = project.start(['run', 'features.json', '--json']);
    await until(() => ledger(project).includes('implement alpha.txt'));
    expect((await project.mh(['pause', '--track', 'back', '--reason', 'lunch'])).code).toBe(0);
    writeFileSync(join(project.root, 'go'), '');
    const paused = RunDocument.parse((await working.done).json);
    expect([paused.status, paused.attention[0]?.reason]).toEqual(['paused', expect.stringContaining('lunch')]);
    expect(ledger(project)).not.toContain('implement beta.txt');
    expect(ledger(project)).toContain('implement gamma.txt');
    for (const named of [[paused.run], []]) {
      const refused = await project.mh(['resume', ...named, '--track', 'nowhere']);
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /no track "nowhere"; its tracks: back, front.*Use a track that the message lists/s,
        ),
      });
    }
    const done = await project.mh(['resume', paused.run, '--track', 'back', '--json']);
    expect(done.code, done.stderr + done.stdout).toBe(0);
    expect(statuses(project)).toEqual(['passed', 'passed', 'passed']);
  });

  it('pauses a track after two environment failures in a row, and resumes once it is fixed', LONG, async () => {
    const settings = 'criticalPatterns: [{ pattern: ECONNREFUSED, label: The database is down }]\n';
    await using project = await makeFeatures(['alpha', 'beta'], {
      settings: `${settings}tracks: { all: { default: true } }\n`,
      implementer: '[ -e "$HOME/mended" ] || { echo "connect ECONNREFUSED 127.0.0.1:5432" >&2; exit 1; }',
    });
    const paused = await runForDocument(project, 'run', 'features.json');
    expect([paused.code, paused.status]).toEqual([4, 'paused']);
    expect(paused.attention[0]?.reason).toMatch(/environment failed 2 times in a row/);
    expect(ledger(project)).toEqual(['implement alpha.txt', 'implement alpha.txt']);
    writeFileSync(join(project.root, 'mended'), '');
    const done = await project.mh(['resume', paused.run, '--track', 'all', '--json']);
    expect(done.code, done.stderr + done.stdout).toBe(0);
    expect(statuses(project)).toEqual(['passed', 'passed']);
  });
});
