import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { resolveHome } from '../../../src/home.ts';
import { currentProject } from '../../../src/operations/projects/current-project.ts';
import { makeDemo } from '../../../src/operations/projects/make-demo.ts';

const folder = mkdtempSync(join(tmpdir(), 'mh-demo-'));
afterAll(() => rmSync(folder, { recursive: true }));
const call = {
  signal: new AbortController().signal,
  origin: { actor: { kind: 'person', name: 'operator' }, via: 'http' },
} as const;
// Both operations read nothing of the app but its folders.
const app = { home: resolveHome({ MANYHANDS_HOME: folder }) } as App;

describe('the demo', () => {
  it('is made in a repository of its own below the data directory, each time another one', async () => {
    const [first, second] = [await makeDemo.run(app, {}, call), await makeDemo.run(app, {}, call)];
    expect(first.dir).not.toBe(second.dir);
    expect(first.dir.startsWith(join(folder, 'demos'))).toBe(true);
    const git = (...args: string[]) => execFileSync('git', args, { cwd: first.dir, encoding: 'utf8' });
    expect(git('log', '--format=%s')).toBe('Open the corner shop\n');
    expect(git('status', '--porcelain')).toBe('');
    expect(first.goal.length).toBeGreaterThan(20);
    expect(first.options).toMatchObject({ dir: first.dir, rehearse: true, checks: ['npm test'] });
    expect(readFileSync(first.options.scenario, 'utf8')).toContain('tasks');
    expect(existsSync(join(first.dir, 'package.json'))).toBe(true);
  });
});

describe('the project of a server', () => {
  it('is the repository in which it was started', async () => {
    const { project } = await currentProject.run(app, {}, call);
    expect(project?.root).toBe(execFileSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8' }).trim());
  });
});
