import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { UndoResult } from '../../src/schema/undo.ts';
import { type Finished, makeScratch, type Scratch } from '../support/scratch.ts';

/** Adds a file and changes another; with `fix` in its prompt it mends what the check looks for. */
const AGENT = `#!/bin/sh
case "$(cat)" in *fix*) echo good > state.txt; exit 0 ;; esac
mkdir -p made; echo new > made/new.txt
sed 's/three/THREE/' lines.txt > lines.new && mv lines.new lines.txt
`;
const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';

function scratch(check = 'test -e keep.txt'): Promise<Scratch> {
  const settings = `agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: [${JSON.stringify(check)}]\n`;
  const files = { 'agent.sh': AGENT, 'lines.txt': LINES, 'keep.txt': 'k\n', '.manyhands/config.yaml': settings };
  return makeScratch({ files });
}

async function landed(place: Scratch, task = 'add a file'): Promise<string> {
  const { json, stderr } = await place.mh(['job', task, '--land', 'merge', '--json']);
  const document = RunDocument.safeParse(json);
  if (!document.success || document.data.landed === null) throw new Error(`it did not land: ${stderr}`);
  return document.data.run;
}

function commit(place: Scratch, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(place.repo, path), text);
  place.git('add', '--all');
  place.git('commit', '--quiet', '--message=Mine');
}

async function undo(place: Scratch, ...args: string[]): Promise<Finished & { result: UndoResult }> {
  const finished = await place.mh(['undo', ...args, '--yes', '--json']);
  const result = UndoResult.safeParse(finished.json);
  if (!result.success) throw new Error(`undo ended with ${finished.code}: ${finished.stdout}${finished.stderr}`);
  return { ...finished, result: result.data };
}

async function refused(place: Scratch, ...args: string[]): Promise<string> {
  const before = await place.fingerprint();
  const branches = place.git('for-each-ref');
  const { code, json, stdout } = await place.mh(['undo', ...args, '--yes', '--json']);
  expect(await place.fingerprint()).toBe(before);
  expect(place.git('for-each-ref')).toBe(branches);
  return `${code} ${JSON.stringify(json ?? stdout)}`;
}

describe.concurrent('undoing a run', () => {
  it('takes back exactly what it brought, new files too, by one new commit that git can follow', async () => {
    await using place = await scratch();
    const run = await landed(place);
    const before = place.git('rev-parse', 'main');
    expect((await place.mh(['undo', run, '--dry-run', '--json'])).json).toMatchObject({
      dryRun: true,
      reverted: { commit: null },
    });
    expect(place.git('rev-parse', 'main')).toBe(before);
    const { result } = await undo(place, run);
    expect(result.reverted?.files).toEqual([
      { path: 'lines.txt', status: 'modified' },
      { path: 'made/new.txt', status: 'deleted' },
    ]);
    expect(result.reverted?.checks).toEqual([{ gate: 'test -e keep.txt', verdict: 'pass' }]);
    expect(place.git('rev-parse', 'main', 'main^')).toBe(`${result.reverted?.commit}\n${before}`);
    expect(place.git('rev-parse', 'main^{tree}')).toBe(place.git('rev-parse', 'main~2^{tree}'));
    expect([existsSync(join(place.repo, 'made')), place.git('status', '--porcelain')]).toEqual([false, '']);
    expect((await place.mh(['show', run, '--json'])).json).toMatchObject({
      undone: { branch: 'main', commit: result.reverted?.commit },
    });
    expect(await refused(place, run)).toMatch(/^3 .*undone already/);
    expect((await place.mh(['land', run])).stderr).toContain('git revert');
  });

  it('keeps what came to the base since', async () => {
    await using place = await scratch();
    const run = await landed(place);
    commit(place, { 'mine.txt': 'mine\n', 'lines.txt': LINES.replace('three', 'THREE').replace('nine', 'NINE') });
    await undo(place, run);
    expect(readFileSync(join(place.repo, 'lines.txt'), 'utf8')).toBe(LINES.replace('nine', 'NINE'));
    expect(place.git('ls-tree', '-r', '--name-only', 'main').split('\n')).toContain('mine.txt');
    expect(existsSync(join(place.repo, 'made/new.txt'))).toBe(false);
  });

  it('takes back a landing that was merged with what came meanwhile', async () => {
    await using place = await scratch();
    const { json } = await place.mh(['job', 'add a file', '--json']);
    const { run } = RunDocument.parse(json);
    commit(place, { 'mine.txt': 'mine\n' });
    const mine = place.git('rev-parse', 'main^{tree}');
    expect((await place.mh(['land', run])).code).toBe(0);
    expect(place.git('rev-parse', 'main^{tree}')).not.toBe(mine);
    await undo(place, run);
    expect(place.git('rev-parse', 'main^{tree}')).toBe(mine);
  });

  it('refuses and names the files when its changes were changed again', async () => {
    await using place = await scratch();
    const run = await landed(place);
    commit(place, { 'made/new.txt': 'edited\n' });
    expect(await refused(place, run)).toMatch(/^4 .*UNDO_UNSAFE.*made\/new\.txt/);
    commit(place, { 'made/new.txt': 'new\n', 'lines.txt': LINES.replace('three', 'drei') });
    expect(await refused(place, run)).toMatch(/^4 .*UNDO_UNSAFE.*lines\.txt/);
  });

  it('refuses when the base lost the landing, and when nothing of it is left', async () => {
    await using place = await scratch();
    const run = await landed(place);
    place.git('revert', '--no-edit', 'HEAD');
    expect(await refused(place, run)).toMatch(/^3 .*Nothing of the run is left on main/);
    place.git('reset', '--quiet', '--hard', 'HEAD~2');
    expect(await refused(place, run)).toMatch(/^4 .*no longer contains its landing/);
  });

  it('touches no checkout that is not clean', async () => {
    await using place = await scratch();
    const run = await landed(place);
    writeFileSync(join(place.repo, 'lines.txt'), 'my own words\n');
    expect(await refused(place, run)).toMatch(/^4 .*CHECKOUT_DIRTY/);
    place.git('checkout', '--quiet', '--', 'lines.txt');
    writeFileSync(join(place.repo, 'untracked.txt'), 'u\n');
    await undo(place, run);
    expect(readFileSync(join(place.repo, 'untracked.txt'), 'utf8')).toBe('u\n');
  });

  it('refuses when a check fails without the run, but not for one that was red before it', async () => {
    await using place = await scratch('test ! -e needs.txt || find . -name "n*w.txt" | grep -q .');
    const run = await landed(place);
    commit(place, { 'needs.txt': 'n\n' });
    expect(await refused(place, run)).toMatch(/^4 .*does not pass without it/);
    await using other = await scratch('cat st*.txt | grep -q good');
    const fixed = await landed(other, 'fix the check');
    const { result } = await undo(other, fixed);
    expect(result.notes.join()).toContain('failed before the run');
    expect(existsSync(join(other.repo, 'state.txt'))).toBe(false);
  });

  it('removes nothing of a run that landed only on its branch, unless asked, and then keeps its commits', async () => {
    await using place = await scratch();
    const { run } = RunDocument.parse((await place.mh(['job', 'add a file', '--json'])).json);
    expect(await refused(place, run)).toMatch(/^3 .*landed only on its branch/);
    const tip = place.git('rev-parse', `mh/${run}`);
    place.git('switch', '--quiet', `mh/${run}`);
    expect(await refused(place, run, '--branch')).toMatch(/^4 .*could not be deleted/);
    commit(place, { 'mine.txt': 'on top\n' });
    const mine = place.git('rev-parse', 'HEAD');
    place.git('switch', '--quiet', 'main');
    const { result } = await undo(place, run, '--branch');
    expect(result).toMatchObject({ reverted: null, deleted: { branch: `mh/${run}`, commit: mine } });
    expect(place.git('branch', '--list', 'mh/*')).toBe('');
    const mirrors = `${place.home}/mirrors`;
    const kept = place.git('ls-remote', `${mirrors}/${readdirSync(mirrors)[0]}`, result.deleted?.ref ?? '');
    expect(kept.startsWith(mine)).toBe(true);
    expect(mine).not.toBe(tip);
  });

  it.each(['undo.pushing', 'push.done', 'undo.pushed', 'undo.recorded'])(
    'reverts once, whether or not it is killed at %s',
    async (point) => {
      await using place = await scratch();
      const run = await landed(place);
      const before = place.git('rev-parse', 'main');
      const died = await place.mh(['undo', run, '--yes'], { env: { MANYHANDS_CRASH: `${point}:1` } });
      expect(died.signal, died.stderr).toBe('SIGKILL');
      const again = await place.mh(['undo', run, '--yes', '--json']);
      expect(again.code, again.stdout).toBe(point === 'undo.recorded' ? 3 : 0);
      expect(place.git('rev-list', '--count', `${before}..main`)).toBe('1');
      expect(place.git('rev-parse', 'main^{tree}')).toBe(place.git('rev-parse', `${before}^^{tree}`));
      expect((await place.mh(['show', run, '--json'])).json).toMatchObject({
        undone: { commit: place.git('rev-parse', 'main') },
      });
      expect([place.git('status', '--porcelain'), await place.leftovers()]).toEqual(['', []]);
    },
  );

  it('reverts once when two terminals ask at the same time', async () => {
    await using place = await scratch();
    const run = await landed(place);
    const before = place.git('rev-parse', 'main');
    const both = await Promise.all([place.mh(['undo', run, '--yes']), place.mh(['undo', run, '--yes'])]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 3]);
    expect(place.git('rev-list', '--count', `${before}..main`)).toBe('1');
  });

  it('is not for agents', async () => {
    await using place = await scratch();
    const run = await landed(place);
    const { code, stderr } = await place.mh(['undo', run, '--yes'], { env: { MANYHANDS_TOKEN: 'x' } });
    expect([code, stderr]).toEqual([3, expect.stringContaining('agents do not steer runs')]);
  });
});
