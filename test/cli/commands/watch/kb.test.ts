import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { KnowledgeEntry } from '../../../../src/schema/coordination/knowledge.ts';
import { makeScratch, type Scratch } from '../../../support/scratch.ts';
import { testProgram } from '../../cli-run.ts';

const Entries = z.array(KnowledgeEntry);
const PORTS = 'Tests must listen on port zero, never on a fixed one.';

describe('mh kb', () => {
  let project: Scratch;
  beforeAll(async () => {
    project = await makeScratch({ files: { 'a.txt': 'one\n' } });
  });
  afterAll(() => project[Symbol.asyncDispose]());

  /** In this process, on the real data directory. */
  const kb = async (...args: string[]) => {
    const env = {
      PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
      HOME: project.root,
      MANYHANDS_HOME: project.home,
    };
    const result = await testProgram({ isReal: true, cwd: project.repo, env }).run('kb', ...args);
    return { ...result, json: args.includes('--json') && result.code === 0 ? JSON.parse(result.stdout) : undefined };
  };
  const list = async () => Entries.parse((await kb('ls', '--json')).json);

  it('adds, shows, changes, finds and removes an entry', async () => {
    const made = KnowledgeEntry.parse(
      (await kb('edit', '--title', 'Ports', '--text', PORTS, '--tag', 'tests', '--json')).json,
    );
    expect(made).toMatchObject({ title: 'Ports', tags: ['tests'], scope: 'project', status: 'kept', origin: null });
    expect((await kb('show', made.id)).stdout).toContain(PORTS);
    expect(KnowledgeEntry.parse((await kb('show', made.id.slice(0, 5), '--json')).json).id).toBe(made.id);
    const changed = KnowledgeEntry.parse((await kb('edit', made.id, '--title', 'Ports of tests', '--json')).json);
    expect(changed).toMatchObject({ id: made.id, title: 'Ports of tests', text: PORTS, tags: ['tests'] });
    expect(Entries.parse((await kb('search', 'fixed port', '--json')).json).map(({ id }) => id)).toEqual([made.id]);
    expect((await kb('search', 'unrelated')).stdout).toContain('There are no entries');
    expect((await kb('rm', made.id)).code).toBe(0);
    expect((await kb('show', made.id)).code).not.toBe(0);
    expect(await list()).toEqual([]);
  });

  it('lets an entry count everywhere, with its tags, in one place only', async () => {
    const made = KnowledgeEntry.parse((await kb('edit', '--title', 'Ports', '--text', PORTS, '--json')).json);
    await kb('edit', made.id, '--everywhere');
    expect(await list()).toMatchObject([{ id: made.id, scope: 'everywhere', status: 'kept' }]);
    expect((await kb('rm', made.id)).code).toBe(0);
  });

  it('imports what it exported, and only what is new', async () => {
    await kb('edit', '--title', 'Ports', '--text', PORTS);
    await kb('edit', '--title', 'Cache', '--text', 'The cache lives in .cache and survives tests.');
    const file = join(project.root, 'knowledge.json');
    writeFileSync(file, (await kb('export')).stdout);
    expect((await kb('import', file, '--json')).json).toEqual({ added: 0, known: 2 });
    for (const { id } of await list()) await kb('rm', id);
    expect((await kb('import', file, '--json')).json).toEqual({ added: 2, known: 0 });
    expect((await list()).map(({ title }) => title).sort()).toEqual(['Cache', 'Ports']);
  });

  it.each([
    ['no text', ['edit', '--title', 'Ports']],
    ['an unknown id', ['edit', 'zzzzzzzz', '--title', 'Ports of tests']],
    ['a text that is too short', ['edit', '--title', 'Ports', '--text', 'short']],
  ])('refuses %s and says why', async (_, args) => {
    const { code, stderr } = await kb(...args);
    expect([code === 0, stderr.length > 20]).toEqual([false, true]);
  });

  it('says what is wrong with a file to import', async () => {
    const file = join(project.root, 'broken.json');
    writeFileSync(file, '{"title": 1}');
    expect((await kb('import', file)).stderr).toContain('broken.json');
    writeFileSync(file, 'nonsense');
    expect((await kb('import', file)).stderr).toContain('is not JSON');
    expect((await kb('import', join(project.root, 'missing.json'))).code).not.toBe(0);
  });
});
