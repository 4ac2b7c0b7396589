import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withBlock, withoutBlock, writeAgentsMd } from '../../src/init/agents-md.ts';
import { failureOf } from '../config/scratch.ts';
import { makeProject, type Project } from './project.ts';

const add = ({ root }: Project) => writeAgentsMd({ root, remove: false, dryRun: false });
const remove = ({ root }: Project) => writeAgentsMd({ root, remove: true, dryRun: false });
const read = ({ root }: Project, path: string) => readFileSync(join(root, path), 'utf8');

describe('the block of instructions', () => {
  it('comes and goes without a trace in the text around it', () => {
    const text = fc.array(fc.constantFrom('a', '# b', '', ' ', '\r', '<!-- x -->'), { maxLength: 6 });
    const eol = fc.constantFrom('\n', '\r\n', '');
    fc.assert(
      fc.property(text, eol, eol, (lines, between, last) => {
        const before = lines.join(between) + last;
        const after = withBlock(before, 'one\ntwo', 'f');
        expect(after.startsWith(before)).toBe(true);
        expect(withoutBlock(after, 'f')).toBe(before);
        expect(withBlock(after, 'one\ntwo', 'f')).toBe(after);
      }),
    );
  });

  it('stays where a person moved it, and keeps what they wrote below', () => {
    const old = `top\n${withBlock('', 'old', 'f')}below\n`;
    const renewed = withBlock(old, 'new', 'f');
    expect(renewed).toBe('top\n<!-- manyhands:begin -->\nnew\n<!-- manyhands:end -->\nbelow\n');
  });

  it('is written with the line ends of the file', () => {
    expect(withBlock('a\r\n', 'x\ny', 'f')).toBe(
      'a\r\n\r\n<!-- manyhands:begin -->\r\nx\r\ny\r\n<!-- manyhands:end -->\r\n',
    );
  });
});

describe('AGENTS.md and CLAUDE.md', () => {
  it('are made, found unchanged the second time, and gone after removal', async () => {
    using project = makeProject({});
    expect((await add(project)).map(({ action }) => action)).toEqual(['written', 'written']);
    expect((await add(project)).map(({ action }) => action)).toEqual(['unchanged', 'unchanged']);
    expect((await remove(project)).map(({ action }) => action)).toEqual(['removed', 'removed']);
    expect(readdirSync(project.root).filter((name) => name.endsWith('.md'))).toEqual([]);
  });

  it('keep every byte of the person, with a backup that git does not see', async () => {
    const mine = '\uFEFF# Mine\r\nno line end';
    using project = makeProject({ 'AGENTS.md': mine });
    const [changed] = await add(project);
    expect(changed?.action).toBe('updated');
    expect(read(project, changed?.backup ?? '')).toBe(mine);
    expect(read(project, 'AGENTS.md').startsWith(mine)).toBe(true);
    expect(project.git('status', '--porcelain')).not.toContain('backup');
    await remove(project);
    expect(read(project, 'AGENTS.md')).toBe(mine);
  });

  it('are replaced with force, also where the marks are damaged, and a backup is kept', async () => {
    const mine = '# Mine\n<!-- manyhands:end -->\n';
    using project = makeProject({ 'AGENTS.md': mine });
    const force = { root: project.root, remove: false, dryRun: false, force: true };
    const [changed, made] = await writeAgentsMd(force);
    expect([changed?.action, made?.action, made?.backup]).toEqual(['updated', 'written', null]);
    expect(read(project, changed?.backup ?? '')).toBe(mine);
    expect(read(project, 'AGENTS.md')).toBe(read(project, 'CLAUDE.md'));
    expect((await writeAgentsMd(force)).map(({ action }) => action)).toEqual(['unchanged', 'unchanged']);
  });

  it('are one file where one is a link to the other', async () => {
    using project = makeProject({ 'AGENTS.md': 'a\n' });
    symlinkSync('AGENTS.md', join(project.root, 'CLAUDE.md'));
    const done = await add(project);
    expect(done.map(({ action }) => action)).toEqual(['updated', 'unchanged']);
    expect(read(project, 'AGENTS.md').match(/manyhands:begin/g)).toHaveLength(1);
    expect(lstatSync(join(project.root, 'CLAUDE.md')).isSymbolicLink()).toBe(true);
  });

  it('change nothing on a dry run', async () => {
    using project = makeProject({ 'AGENTS.md': 'a\n' });
    const done = await writeAgentsMd({ root: project.root, remove: false, dryRun: true });
    expect(done.map(({ action }) => action)).toEqual(['updated', 'written']);
    expect(project.git('status', '--porcelain')).toBe('');
  });

  it.each<[string, (root: string) => void, RegExp]>([
    [
      'one mark is missing',
      (root) => writeFileSync(join(root, 'AGENTS.md'), 'a\n<!-- manyhands:begin -->\n'),
      /AGENTS\.md:2: the marks/,
    ],
    [
      'it leads out of the project',
      (root) => symlinkSync('/etc/hostname', join(root, 'AGENTS.md')),
      /leads out of the project/,
    ],
    ['it leads nowhere', (root) => symlinkSync('nothing', join(root, 'AGENTS.md')), /broken link/],
    ['it is a folder', (root) => mkdirSync(join(root, 'AGENTS.md')), /no plain file/],
    ['it is a pipe', (root) => void execFileSync('mkfifo', [join(root, 'AGENTS.md')]), /no plain file/],
    ['it is no text', (root) => writeFileSync(join(root, 'AGENTS.md'), Buffer.from([0xff, 0xfe, 0x41])), /no UTF-8/],
  ])('are left alone when %s', async (_, prepare, reason) => {
    using project = makeProject({});
    prepare(project.root);
    const { code, message } = await failureOf(add(project));
    expect([code, message]).toEqual(['INIT_REFUSED', expect.stringMatching(reason)]);
    expect(existsSync(join(project.root, 'CLAUDE.md'))).toBe(false);
    expect(existsSync(join(project.root, '.manyhands'))).toBe(false);
  });
});
