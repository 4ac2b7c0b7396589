import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { loadRole, roleNames } from '../../src/roles/load.ts';
import { renderPrompt } from '../../src/roles/prompt.ts';
import { parseRole } from '../../src/roles/role.ts';
import { PLACEHOLDERS } from '../../src/roles/template.ts';
import { Opinion } from '../../src/schema/acceptance.ts';
import { AnalysisOutput, PlanOutput, RequestedSteps, ReviewOutput, TasksOutput } from '../../src/schema/output.ts';

const userDir = mkdtempSync(join(tmpdir(), 'mh-roles-'));
afterAll(() => rmSync(userDir, { recursive: true }));

const HEADER = '---\nrole: mine\nsummary: Does it.\naccess: read\n---\n';
const EVERYTHING = Object.fromEntries(PLACEHOLDERS.map((name) => [name, `<${name}>`]));
const BUILT_IN = await roleNames();

function role(text: string) {
  return parseRole(text, { name: 'mine', file: 'mine.md' });
}

it('is no device in the place of its file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mh-roles-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync('/dev/zero', join(folder, 'implement.md'));
  await expect(loadRole('implement', { userDir: folder })).rejects.toMatchObject({ code: 'ROLE_INVALID' });
});

describe('the built-in roles', () => {
  it('are these', () => {
    expect(BUILT_IN).toEqual([
      ...[
        'analyze',
        'architecture',
        'assess',
        'bulk',
        'confirm',
        'debate',
        'debug',
        'discover',
        'discuss',
        'fix',
        'implement',
        'judge',
        'milestones',
        'plan',
        'repair',
        'requirements',
        'research',
      ],
      ...['resolve', 'review', 'security', 'synthesize', 'tasks', 'testing', 'verify', 'watch'],
    ]);
  });

  it.each(BUILT_IN)('%s tells its agent the work, the rules and what to hand over', async (name) => {
    const loaded = await loadRole(name);
    const prompt = renderPrompt(loaded, EVERYTHING);
    expect(prompt.startsWith('# <title>\n')).toBe(true);
    for (const part of [
      '<task>',
      '<instructions>',
      '<evidence>',
      '<checks>',
      '## Rules',
      '## What to hand over',
      'push',
    ]) {
      expect(prompt).toContain(part);
    }
    expect(renderPrompt(loaded, { title: 'T', goal: 'G', task: 'K' })).not.toMatch(/\{\{|<|\n\n\n/);
  });

  it.each(BUILT_IN)('%s shows an example of its output that its own schema accepts', async (name) => {
    const loaded = await loadRole(name);
    const example = /```json\n(.*)\n```/.exec(loaded.text)?.[1];
    expect(example === undefined).toBe(loaded.output === undefined);
    if (loaded.output && example)
      expect(z.fromJSONSchema(loaded.output).safeParse(JSON.parse(example)).error).toBeUndefined();
  });

  it.each([
    ['plan', PlanOutput],
    ['tasks', TasksOutput],
    ['review', ReviewOutput],
    ['verify', RequestedSteps],
    ['analyze', AnalysisOutput],
    ['judge', Opinion],
  ])('%s asks for exactly what the program reads', async (name, schema) => {
    const { $schema: _, ...expected } = z.toJSONSchema(schema, { io: 'input' });
    expect((await loadRole(name)).output).toEqual(expected);
  });

  it('may write only where the work is to change code', async () => {
    const writers = await Promise.all(
      BUILT_IN.map(async (name) => ((await loadRole(name)).access === 'write' ? [name] : [])),
    );
    expect(writers.flat()).toEqual(['bulk', 'fix', 'implement', 'repair', 'resolve']);
  });
});

describe('a role of the user', () => {
  it('overrides the built-in one of its name, and adds new ones', async () => {
    writeFileSync(join(userDir, 'implement.md'), `${HEADER.replace('mine', 'implement')}Mine: {{task}}\n`);
    writeFileSync(join(userDir, 'mine.md'), `${HEADER}New: {{task}}\n`);
    expect(renderPrompt(await loadRole('implement', { userDir }), { task: 'x' })).toBe('Mine: x\n');
    expect(renderPrompt(await loadRole('mine', { userDir }), { task: 'x' })).toBe('New: x\n');
    expect((await loadRole('plan', { userDir })).summary).toBe((await loadRole('plan')).summary);
    expect(await roleNames({ userDir })).toContain('mine');
  });

  it('need not exist: a missing folder changes nothing', async () => {
    expect((await loadRole('plan', { userDir: join(userDir, 'none') })).name).toBe('plan');
  });

  it.each([
    ['no front matter', 'Do {{task}}\n', 1, 'must begin with front matter'],
    ['an unknown key', `${HEADER.replace('access', 'acces')}{{task}}`, 4, 'unknown key "acces"'],
    ['a wrong access', `${HEADER.replace('read', 'all')}{{task}}`, 4, 'access'],
    ['a key given twice', `${HEADER.replace('access', 'role: mine\naccess')}{{task}}`, 4, 'unique'],
    ['the name of another role', `${HEADER.replace('mine', 'other')}{{task}}`, 2, 'is in the file of "mine"'],
    ['an unknown placeholder', `${HEADER}{{task}}\n\n{{taks}}\n`, 8, 'unknown placeholder {{taks}}'],
    ['an unclosed section', `${HEADER}{{task}}\n{{#evidence}}\n`, 7, '{{#evidence}} is never closed'],
    ['a section closed in the wrong order', `${HEADER}{{task}}\n{{#goal}}\n{{/task}}\n`, 8, '{{/task}} closes nothing'],
    ['no task in it', `${HEADER}Be nice.\n`, 6, 'neither {{task}} nor {{goal}}'],
    [
      'an output that is no object',
      `${HEADER.replace('---\n', '---\noutput: { type: string }\n')}{{task}}`,
      2,
      'type: object',
    ],
  ])('with %s is refused with file and line', (_, text, line, reason) => {
    expect(() => role(text)).toThrow(
      expect.objectContaining({ code: 'ROLE_INVALID', message: expect.stringContaining(`mine.md:${line}: `) }),
    );
    expect(() => role(text)).toThrow(reason);
  });

  it.each(['implemet', '../implement', 'Implement', ''])(
    'that does not exist (%s) is refused with the known ones',
    async (name) => {
      await expect(loadRole(name)).rejects.toMatchObject({
        code: 'ROLE_UNKNOWN',
        message: expect.stringContaining('implement, judge'),
      });
    },
  );

  it('that is misspelt is refused with the nearest name', async () => {
    await expect(loadRole('reveiw')).rejects.toMatchObject({
      message: expect.stringContaining('Did you mean review?'),
    });
  });
});

describe('a prompt', () => {
  it('takes values letter for letter and never expands them again', () => {
    const prompt = renderPrompt(role(`${HEADER}{{task}} {{goal}}\n`), { task: '{{goal}} $& {{#x}}', goal: '{{task}}' });
    expect(prompt).toBe('{{goal}} $& {{#x}} {{task}}\n');
  });

  it('drops the sections about nothing, with their lines', () => {
    const made = role(
      `${HEADER}A\n{{#evidence}}\n## Evidence\n\n{{evidence}}\n\n{{/evidence}}\nB {{#goal}}for {{goal}}{{/goal}}{{task}}\n`,
    );
    expect(renderPrompt(made, { evidence: ' \n', task: 'x' })).toBe('A\nB x\n');
    expect(renderPrompt(made, { evidence: 'red', goal: 'g', task: 'x' })).toBe('A\n## Evidence\n\nred\n\nB for gx\n');
  });

  it('drops a section within a dropped section', () => {
    const made = role(`${HEADER}{{task}}{{#goal}}[{{#evidence}}{{evidence}}{{/evidence}}]{{/goal}}.\n`);
    expect(renderPrompt(made, { task: 'x', evidence: 'e' })).toBe('x.\n');
    expect(renderPrompt(made, { task: 'x', goal: 'g' })).toBe('x[].\n');
  });
});
