import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UndoResult } from '../../src/schema/change.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { type Finished, makeScratch, type Scratch } from '../support/scratch.ts';
import { TESTS_ALL, variants } from '../support/variants.ts';

/** Adds a file and changes another; with `fix` in its prompt it fixes what the check tests. */
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

async function landed(project: Scratch, task = 'add a file'): Promise<string> {
  const { json, stderr } = await project.mh(['job', task, '--land', 'merge', '--json']);
  const document = RunDocument.safeParse(json);
  if (!document.success || document.data.landed === null) throw new Error(`it did not land: ${stderr}`);
  return document.data.run;
}

function commit(project: Scratch, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(project.repo, path), text);
  project.git('add', '--all');
  project.git('commit', '--quiet', '--message=Mine');
}

async function undo(project: Scratch, ...args: string[]): Promise<Finished & { result: UndoResult }> {
  const finished = await project.mh(['undo', ...args, '--yes', '--json']);
  const result = UndoResult.safeParse(finished.json);
  if (!result.success) throw new Error(`undo ended with ${finished.code}: ${finished.stdout}${finished.stderr}`);
  return { ...finished, result: result.data };
}

async function refused(project: Scratch, ...args: string[]): Promise<string> {
  const before = await project.fingerprint();
  const branches = project.git('for-each-ref');
  const { code, json, stdout } = await project.mh(['undo', ...args, '--yes', '--json']);
  expect(await project.fingerprint()).toBe(before);
  expect(project.git('for-each-ref')).toBe(branches);
  return `${code} ${JSON.stringify(json ?? stdout)}`;
}

describe.concurrent('undoing a run', () => {
  it('reverts exactly what it landed, including new files, with one new commit', async () => {
    await using project = await scratch();
    const run = await landed(project);
    const before = project.git('rev-parse', 'main');
    expect((await project.mh(['undo', run, '--dry-run', '--json'])).json).toMatchObject({
      dryRun: true,
      reverted: { commit: null },
    });
    expect(project.git('rev-parse', 'main')).toBe(before);
    const { result } = await undo(project, run);
    expect(result.reverted?.files).toEqual([
      { path: 'lines.txt', status: 'modified' },
      { path: 'made/new.txt', status: 'deleted' },
    ]);
    expect(result.reverted?.checks).toEqual([{ gate: 'test -e keep.txt', verdict: 'pass' }]);
    expect(project.git('rev-parse', 'main', 'main^')).toBe(`${result.reverted?.commit}\n${before}`);
    expect(project.git('rev-parse', 'main^{tree}')).toBe(project.git('rev-parse', 'main~2^{tree}'));
    expect([existsSync(join(project.repo, 'made')), project.git('status', '--porcelain')]).toEqual([false, '']);
    expect((await project.mh(['show', run, '--json'])).json).toMatchObject({
      undone: { branch: 'main', commit: result.reverted?.commit },
    });
    expect(await refused(project, run)).toMatch(/^3 .*already undone/);
    expect((await project.mh(['land', run])).stderr).toContain('git revert');
  });

  it('reverts once when two terminals request it concurrently, and keeps later commits on the base', async () => {
    await using project = await scratch();
    const run = await landed(project);
    commit(project, { 'mine.txt': 'mine\n', 'lines.txt': LINES.replace('three', 'THREE').replace('nine', 'NINE') });
    const before = project.git('rev-parse', 'main');
    const both = await Promise.all([project.mh(['undo', run, '--yes']), project.mh(['undo', run, '--yes'])]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 3]);
    expect(project.git('rev-list', '--count', `${before}..main`)).toBe('1');
    expect(readFileSync(join(project.repo, 'lines.txt'), 'utf8')).toBe(LINES.replace('nine', 'NINE'));
    expect(project.git('ls-tree', '-r', '--name-only', 'main').split('\n')).toContain('mine.txt');
    expect(existsSync(join(project.repo, 'made/new.txt'))).toBe(false);
  });

  it.runIf(TESTS_ALL)('reverts a landing that was merged with concurrent commits', async () => {
    await using project = await scratch();
    const { json } = await project.mh(['job', 'add a file', '--json']);
    const { run } = RunDocument.parse(json);
    commit(project, { 'mine.txt': 'mine\n' });
    const mine = project.git('rev-parse', 'main^{tree}');
    expect((await project.mh(['land', run])).code).toBe(0);
    expect(project.git('rev-parse', 'main^{tree}')).not.toBe(mine);
    await undo(project, run);
    expect(project.git('rev-parse', 'main^{tree}')).toBe(mine);
  });

  it.runIf(TESTS_ALL)('refuses and names the files when its changes were changed later', async () => {
    await using project = await scratch();
    const run = await landed(project);
    commit(project, { 'made/new.txt': 'edited\n' });
    expect(await refused(project, run)).toMatch(/^4 .*UNDO_UNSAFE.*made\/new\.txt/);
    commit(project, { 'made/new.txt': 'new\n', 'lines.txt': LINES.replace('three', 'drei') });
    expect(await refused(project, run)).toMatch(/^4 .*UNDO_UNSAFE.*lines\.txt/);
  });

  it.runIf(TESTS_ALL)('refuses when the base no longer contains the landing, or nothing of it is left', async () => {
    await using project = await scratch();
    const run = await landed(project);
    project.git('revert', '--no-edit', 'HEAD');
    expect(await refused(project, run)).toMatch(/^3 .*Nothing of the run is left on main/);
    project.git('reset', '--quiet', '--hard', 'HEAD~2');
    expect(await refused(project, run)).toMatch(/^4 .*no longer contains its landing/);
  });

  it.runIf(TESTS_ALL)('is refused to agents, and does not change a dirty checkout', async () => {
    await using project = await scratch();
    const run = await landed(project);
    const { code, stderr } = await project.mh(['undo', run, '--yes'], { env: { MANYHANDS_TOKEN: 'x' } });
    expect([code, stderr]).toEqual([3, expect.stringContaining('agents must not control runs')]);
    writeFileSync(join(project.repo, 'lines.txt'), 'my own words\n');
    expect(await refused(project, run)).toMatch(/^4 .*CHECKOUT_DIRTY/);
    project.git('checkout', '--quiet', '--', 'lines.txt');
    writeFileSync(join(project.repo, 'untracked.txt'), 'u\n');
    await undo(project, run);
    expect(readFileSync(join(project.repo, 'untracked.txt'), 'utf8')).toBe('u\n');
  });

  it.runIf(TESTS_ALL)(
    'refuses when a check fails without the run, but not for a check that failed before it',
    async () => {
      await using project = await scratch('test ! -e needs.txt || find . -name "n*w.txt" | grep -q .');
      const run = await landed(project);
      commit(project, { 'needs.txt': 'n\n' });
      expect(await refused(project, run)).toMatch(/^4 .*does not pass without it/);
      await using other = await scratch('cat st*.txt | grep -q good');
      const fixed = await landed(other, 'fix the check');
      const { result } = await undo(other, fixed);
      expect(result.notes.join()).toContain('failed before the run');
      expect(existsSync(join(other.repo, 'state.txt'))).toBe(false);
    },
  );

  it.runIf(TESTS_ALL)('removes the branch of an unlanded run only on request, and keeps its commits', async () => {
    await using project = await scratch();
    const { run } = RunDocument.parse((await project.mh(['job', 'add a file', '--json'])).json);
    expect(await refused(project, run)).toMatch(/^3 .*landed only on its branch/);
    const tip = project.git('rev-parse', `mh/${run}`);
    project.git('switch', '--quiet', `mh/${run}`);
    expect(await refused(project, run, '--branch')).toMatch(/^4 .*could not be deleted/);
    commit(project, { 'mine.txt': 'on top\n' });
    const mine = project.git('rev-parse', 'HEAD');
    project.git('switch', '--quiet', 'main');
    const { result } = await undo(project, run, '--branch');
    expect(result).toMatchObject({ reverted: null, deleted: { branch: `mh/${run}`, commit: mine } });
    expect(project.git('branch', '--list', 'mh/*')).toBe('');
    const mirrors = `${project.home}/mirrors`;
    const kept = project.git('ls-remote', `${mirrors}/${readdirSync(mirrors)[0]}`, result.deleted?.ref ?? '');
    expect(kept.startsWith(mine)).toBe(true);
    expect(mine).not.toBe(tip);
  });

  it.each(variants(['push.done'], ['undo.pushing', 'undo.pushed', 'undo.recorded']))(
    'reverts once, whether or not it is killed at %s',
    async (point) => {
      await using project = await scratch();
      const run = await landed(project);
      const before = project.git('rev-parse', 'main');
      const died = await project.mh(['undo', run, '--yes'], { env: { MANYHANDS_CRASH: `${point}:1` } });
      expect(died.signal, died.stderr).toBe('SIGKILL');
      const again = await project.mh(['undo', run, '--yes', '--json']);
      expect(again.code, again.stdout).toBe(point === 'undo.recorded' ? 3 : 0);
      expect(project.git('rev-list', '--count', `${before}..main`)).toBe('1');
      expect(project.git('rev-parse', 'main^{tree}')).toBe(project.git('rev-parse', `${before}^^{tree}`));
      expect((await project.mh(['show', run, '--json'])).json).toMatchObject({
        undone: { commit: project.git('rev-parse', 'main') },
      });
      expect([project.git('status', '--porcelain'), await project.leftovers()]).toEqual(['', []]);
    },
  );
});
