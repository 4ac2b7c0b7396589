import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { roleNames } from '../../src/roles/load.ts';
import { addToBatch, batchDocument, batchFiles, loadBatch, removeBatch } from '../../src/templates/batch.ts';
import { listTemplates, loadTemplate, templateNames, templateSources } from '../../src/templates/load.ts';
import { listNamed } from '../../src/templates/named-files.ts';
import { removeTemplate, writeTemplate } from '../../src/templates/write.ts';

const made: string[] = [];
afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true }))));

const PACK = [
  'bugfix',
  'frontend-polish',
  'refactor-plan',
  'release-check',
  'repo-audit',
  'security-audit',
  'test-generation',
];

/** A project, a home folder, and the templates that hold there. */
async function place(files: Record<string, string> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'mh-templates-'));
  made.push(root);
  const repo = join(root, 'project');
  mkdirSync(join(repo, '.git'), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const env = { HOME: root };
  return { root, repo, sources: await templateSources(env, repo), batches: await batchFiles(repo) };
}

const PROJECT = 'project/.manyhands/templates';
const GLOBAL = '.config/manyhands/templates';

function template(name: string, more = '', text = 'Do it well.'): string {
  return `---\nname: ${name}\nsummary: A ${name}\n${more}---\n${text}\n`;
}

describe('templates', () => {
  it('come with a pack whose every file can be used', async () => {
    const { sources } = await place();
    const { templates, mistakes } = await listTemplates(sources);
    expect([templates.map(({ name }) => name), mistakes]).toEqual([PACK, []]);
    const roles = await roleNames();
    for (const { role, text, from } of templates) {
      expect([from, role === undefined || roles.includes(role)]).toEqual(['built-in', true]);
      expect(text.length).toBeGreaterThan(800);
    }
  });

  it('of the project hide those of the person, and those the built-in ones', async () => {
    const { sources, repo } = await place({
      [`${PROJECT}/bugfix.md`]: template('bugfix', 'dir: sub\n', 'Of the project {{task}}'),
      [`${GLOBAL}/bugfix.md`]: template('bugfix'),
      [`${GLOBAL}/mine.md`]: template('mine', 'agent: ada\ntier: light\nchecks: [npm test]\nbudget: 2.5\n'),
    });
    expect(await loadTemplate('bugfix', sources)).toMatchObject({
      from: 'project',
      text: 'Of the project {{task}}',
      dir: join(repo, 'sub'),
    });
    expect(await loadTemplate('mine', sources)).toMatchObject({
      from: 'global',
      agent: 'ada',
      checks: ['npm test'],
      budget: 2.5,
    });
    await expect(loadTemplate('bugfx', sources)).rejects.toThrow('Did you mean bugfix?');
  });

  it.each([
    ['no front matter', 'Just text', /:1: must begin with front matter/],
    ['another name', template('other'), /x\.md:2: name: "other" is in the file of "x"/],
    ['an unknown key', template('x', 'modle: m\n'), /x\.md:4: unknown key "modle"/],
    ['a wrong value', template('x', 'budget: -1\n'), /x\.md:4: budget: /],
    ['no text', template('x', '', ''), /x\.md:5: there is no text/],
    ['write without a role', template('x', 'write: true\n'), /x\.md:4: write: has no effect/],
    [
      'a summary that would read a file',
      '---\nname: x\nsummary: "@/etc/passwd"\n---\ntext',
      /x\.md:3: summary: must not begin with @/,
    ],
  ])('are refused with file and line: %s', async (_, text, reason) => {
    const { sources } = await place({ [`${PROJECT}/x.md`]: text, [`${PROJECT}/good.md`]: template('good') });
    await expect(loadTemplate('x', sources)).rejects.toThrow(reason);
    const { templates, mistakes } = await listTemplates(sources);
    expect([templates.some(({ name }) => name === 'good'), mistakes.length]).toEqual([true, 1]);
  });

  it.each(['../secret', '/etc/passwd', '..', 'a/b', '-x', 'A', 'x'.repeat(65), 'a\nb'])(
    'have names that are no paths: %j',
    async (name) => {
      const { sources } = await place({ [`${PROJECT}/../secret.md`]: template('secret') });
      await expect(loadTemplate(name, sources)).rejects.toThrow('is no name');
      const request = { name, content: 'text', header: {}, scope: 'project' as const, force: true };
      await expect(writeTemplate(sources, request)).rejects.toThrow('is no name');
    },
  );

  it('are written with what was said about them, never over one that is there, and removed again', async () => {
    const { sources } = await place();
    const request = {
      name: 'style',
      content: '# House style\n\nBe {{kind}}.\n',
      header: { checks: ['npm test'] },
      scope: 'project' as const,
      force: false,
    };
    const { file } = await writeTemplate(sources, request);
    expect(await loadTemplate('style', sources)).toMatchObject({
      summary: 'House style',
      checks: ['npm test'],
      text: '# House style\n\nBe {{kind}}.',
    });
    await expect(writeTemplate(sources, request)).rejects.toThrow(`There is a template "style" already: ${file}`);
    await expect(writeTemplate(sources, { ...request, name: 'none', content: ' ' })).rejects.toThrow(/summary|no text/);
    await removeTemplate(sources, { name: 'style', scope: 'project' });
    expect(await templateNames(sources)).toEqual(PACK);
    await expect(removeTemplate(sources, { name: 'bugfix', scope: 'project' })).rejects.toThrow(
      'There is no template "bugfix" in',
    );
  });
});

it('reads plain files of text only', async () => {
  const { sources, root } = await place({ [`${PROJECT}/long.md`]: template('long', '', 'x'.repeat(1_100_000)) });
  symlinkSync('/dev/zero', join(root, PROJECT, 'zero.md'));
  mkdirSync(join(root, PROJECT, 'folder.md'));
  writeFileSync(join(root, PROJECT, 'bytes.md'), Buffer.from([0xff, 0xfe, 0x41]));
  const reasons = (await listTemplates(sources)).mistakes.map((reason) => reason.split(':1: ')[1]);
  expect(reasons).toEqual([
    'not UTF-8 text; save the file as UTF-8',
    'not a plain file',
    'longer than 1000000 bytes',
    'not a plain file',
  ]);
});

describe('batches', () => {
  const BATCH =
    '# ours\ntemplate: bugfix\ncontext: { team: a }\nitems:\n  - One # first\n  - { prompt: Two, context: { team: b } }\n';

  it('keep what a person wrote when items are added', async () => {
    const { batches } = await place({ 'project/.manyhands/batches/docs.yaml': BATCH });
    const batch = await addToBatch(batches, 'docs', {
      items: ['Three: "{{x}}"', '- no list'],
      settings: { parallel: 2 },
    });
    expect(batchDocument(batch)).toMatchObject({
      parallel: 2,
      items: [
        { prompt: 'One', template: 'bugfix', context: { team: 'a' } },
        { prompt: 'Two', context: { team: 'b' } },
        { prompt: 'Three: "{{x}}"' },
        { prompt: '- no list' },
      ],
    });
    expect(readFileSync(batch.file, 'utf8')).toContain('# ours');
    expect(readFileSync(batch.file, 'utf8')).toContain('One # first');
    expect(batchDocument(await loadBatch(batches, 'docs'))).toEqual(batchDocument(batch));
    await removeBatch(batches, 'docs');
    expect(await listNamed(batches)).toEqual([]);
  });

  it('hold ten thousand items and no more', async () => {
    const { batches } = await place();
    const items = Array.from({ length: 10_000 }, (_, index) => `Do item ${index}`);
    expect((await addToBatch(batches, 'many', { items, settings: {} })).items).toHaveLength(10_000);
    await expect(addToBatch(batches, 'many', { items: ['one more'], settings: {} })).rejects.toThrow(
      'at most 10000 items',
    );
    expect((await loadBatch(batches, 'many')).items).toHaveLength(10_000);
  });

  it.each([
    ['no items', 'template: bugfix\n', /x\.yaml:1: items: /],
    ['an empty prompt', 'items:\n  - One\n  - ""\n', /x\.yaml:3: items\[1\]\.prompt: must not be empty/],
    ['an unknown key', 'items: [One]\nparalel: 3\n', /x\.yaml:2: unknown key "paralel"/],
    ['a template that is a path', 'items: [One]\ntemplate: ../x\n', /x\.yaml:2: template: /],
    ['broken YAML', 'items: [One\n', /x\.yaml:\d+: /],
  ])('are refused with file and line: %s', async (_, text, reason) => {
    const { batches } = await place({ 'project/.manyhands/batches/x.yaml': text });
    await expect(loadBatch(batches, 'x')).rejects.toThrow(reason);
    await expect(addToBatch(batches, 'x', { items: ['Two'], settings: {} })).rejects.toThrow(reason);
    expect(readFileSync(join(batches.folder, 'x.yaml'), 'utf8')).toBe(text);
  });

  it.each(['../x', '..', 'a/b', ''])('have names that are no paths: %j', async (name) => {
    const { batches } = await place();
    await expect(addToBatch(batches, name, { items: ['x'], settings: {} })).rejects.toThrow('is no name');
    await expect(loadBatch(batches, name)).rejects.toThrow('is no name');
  });
});
