import { rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { featuresText, ledger, makeFeatures, statuses, told, until } from '../support/features-place.ts';
import type { Scratch } from '../support/scratch.ts';

const LONG = { timeout: 300_000 };

function filesOn(place: Scratch, branch: string): string[] {
  return place.git('ls-tree', '--name-only', branch).split('\n');
}

describe('a list of features', () => {
  it('lands on a base that is checked out, although its own file changes there', LONG, async () => {
    await using place = await makeFeatures(['alpha', 'beta'], {
      settings: 'progress: notes/progress.txt\n',
      files: { 'notes/progress.txt': 'Begun.\n' },
    });
    place.git('checkout', '--quiet', '-b', 'ai-develop');
    const done = await told(place, 'run', 'features.json');
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(statuses(place)).toEqual(['passed', 'passed']);
    expect(filesOn(place, 'ai-develop')).toEqual(expect.arrayContaining(['alpha.txt', 'beta.txt']));
    expect(await readFile(join(place.repo, 'alpha.txt'), 'utf8')).toBe('more\n');
    expect(
      place
        .git('status', '--porcelain')
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual(['M features.json', 'M notes/progress.txt']);
    expect(await readFile(join(place.repo, 'notes/progress.txt'), 'utf8')).toMatch(
      /^Begun\.\n.*Add (alpha|beta).*\n.*Add (alpha|beta)/,
    );
  });

  it('waits for a person when the checkout of its base has changes of theirs', LONG, async () => {
    await using place = await makeFeatures(['alpha']);
    place.git('checkout', '--quiet', '-b', 'ai-develop');
    writeFileSync(join(place.repo, 'base.txt'), 'mine\n');
    const held = await told(place, 'run', 'features.json');
    expect([held.code, held.status]).toEqual([4, 'held']);
    expect(await readFile(join(place.repo, 'base.txt'), 'utf8')).toBe('mine\n');
    expect(filesOn(place, 'ai-develop')).not.toContain('alpha.txt');
    place.git('checkout', '--quiet', 'base.txt');
    const done = await told(place, 'approve');
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(filesOn(place, 'ai-develop')).toContain('alpha.txt');
  });

  it.each([
    ['while it is implemented', 'attempt.going:1'],
    ['between the proposal and the verdict', 'candidate.proposed:1'],
    ['while it is verified', 'attempt.going:2'],
    ['between the verdict and its landing', 'attempt.ended:2'],
    ['between its landing and the status', 'base.pushed:1'],
    ['while the status is written', 'features.writing:2'],
  ])('is done once and pays for nothing twice after a kill %s', LONG, async (_, point) => {
    await using place = await makeFeatures(['alpha']);
    const died = await place.mh(['run', 'features.json', '--json'], { env: { MANYHANDS_CRASH: point } });
    expect(died.signal, died.stderr).toBe('SIGKILL');
    const resumed = await place.mh(['resume', '--json']);
    expect(resumed.code, resumed.stderr + resumed.stdout).toBe(0);
    expect(ledger(place)).toEqual(['implement alpha.txt', 'verify alpha.txt']);
    expect(statuses(place)).toEqual(['passed']);
    expect(place.git('show', 'ai-develop:alpha.txt')).toBe('more');
    expect(place.git('status', '--porcelain').trim()).toBe('M features.json');
    expect(await place.leftovers()).toEqual([]);
  });

  it('keeps what a person edits in the file meanwhile, and what they commit on the base', LONG, async () => {
    await using place = await makeFeatures(['alpha'], {
      verifier: 'touch "$HOME/verifying"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done',
    });
    place.git('checkout', '--quiet', '-b', 'ai-develop');
    const working = place.start(['run', 'features.json', '--json']);
    await until(() => statuses(place)[0] === 'verifying' && ledger(place).length === 2);
    const text = await readFile(join(place.repo, 'features.json'), 'utf8');
    writeFileSync(join(place.repo, 'features.json'), text.replace('"owner": "me"', '"owner": "somebody else"'));
    writeFileSync(join(place.repo, 'mine.txt'), 'mine\n');
    place.git('add', 'mine.txt');
    place.git('commit', '--quiet', '--message=Mine');
    writeFileSync(join(place.root, 'go'), '');
    const ended = await working.done;
    expect(ended.code, ended.stderr + ended.stdout).toBe(0);
    expect(statuses(place)).toEqual(['passed']);
    expect(await readFile(join(place.repo, 'features.json'), 'utf8')).toContain('somebody else');
    expect(filesOn(place, 'ai-develop')).toEqual(expect.arrayContaining(['alpha.txt', 'mine.txt']));
    expect(place.git('status', '--porcelain').trim()).toBe('M features.json');
  });

  it.each([
    ['deletes', (file: string) => rmSync(file)],
    ['breaks', (file: string) => writeFileSync(file, '{ "features": [')],
    ['empties', (file: string) => writeFileSync(file, featuresText([]))],
  ])('lands all the same when a person %s the file, leaves it so and says it', LONG, async (_, harm) => {
    await using place = await makeFeatures(['alpha'], {
      verifier: 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done',
    });
    const file = join(place.repo, 'features.json');
    const working = place.start(['run', 'features.json', '--json']);
    await until(() => ledger(place).length === 2);
    harm(file);
    const harmed = await readFile(file, 'utf8').catch(() => 'gone');
    writeFileSync(join(place.root, 'go'), '');
    const document = RunDocument.parse((await working.done).json);
    expect([document.status, document.reason]).toEqual(['done', expect.stringContaining('features.json')]);
    expect(await readFile(file, 'utf8').catch(() => 'gone')).toBe(harmed);
    expect(filesOn(place, 'ai-develop')).toContain('alpha.txt');
  });

  it('pauses and goes on track by track from a second terminal', LONG, async () => {
    const settings = 'tracks:\n  back: { categories: [core], default: true }\n  front: { categories: [ui] }\n';
    const text = featuresText(['alpha', 'beta', 'gamma']).replace(
      '"id": 3, "category": "core"',
      '"id": 3, "category": "ui"',
    );
    await using place = await makeFeatures([], {
      settings,
      files: { 'features.json': text },
      implementer: '[ "$file" != alpha.txt ] || while [ ! -e "$HOME/go" ]; do sleep 0.05; done',
    });
    const working = place.start(['run', 'features.json', '--json']);
    await until(() => ledger(place).includes('implement alpha.txt'));
    expect((await place.mh(['pause', '--track', 'back', '--reason', 'lunch'])).code).toBe(0);
    writeFileSync(join(place.root, 'go'), '');
    const paused = RunDocument.parse((await working.done).json);
    expect([paused.status, paused.attention[0]?.reason]).toEqual(['paused', expect.stringContaining('lunch')]);
    expect(ledger(place)).not.toContain('implement beta.txt');
    expect(ledger(place)).toContain('implement gamma.txt');
    for (const named of [[paused.run], []]) {
      const refused = await place.mh(['resume', ...named, '--track', 'nowhere']);
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /no track "nowhere"; its tracks: back, front.*Use a track that the message lists/s,
        ),
      });
    }
    const done = await place.mh(['resume', paused.run, '--track', 'back', '--json']);
    expect(done.code, done.stderr + done.stdout).toBe(0);
    expect(statuses(place)).toEqual(['passed', 'passed', 'passed']);
  });

  it('pauses a track after two failures of the environment in a row, and goes on once it is mended', LONG, async () => {
    const settings = 'criticalPatterns: [{ pattern: ECONNREFUSED, label: The database is down }]\n';
    await using place = await makeFeatures(['alpha', 'beta'], {
      settings: `${settings}tracks: { all: { default: true } }\n`,
      implementer: '[ -e "$HOME/mended" ] || { echo "connect ECONNREFUSED 127.0.0.1:5432" >&2; exit 1; }',
    });
    const paused = await told(place, 'run', 'features.json');
    expect([paused.code, paused.status]).toEqual([4, 'paused']);
    expect(paused.attention[0]?.reason).toMatch(/environment failed 2 times in a row/);
    expect(ledger(place)).toEqual(['implement alpha.txt', 'implement alpha.txt']);
    writeFileSync(join(place.root, 'mended'), '');
    const done = await place.mh(['resume', paused.run, '--track', 'all', '--json']);
    expect(done.code, done.stderr + done.stdout).toBe(0);
    expect(statuses(place)).toEqual(['passed', 'passed']);
  });
});
