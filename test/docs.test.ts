import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { referencePages } from '../scripts/reference/pages.ts';
import { OTHER_COMMANDS } from '../src/cli/other-commands.ts';
import { OTHER_OPTIONS } from '../src/cli/other-options.ts';
import { wholeProgram } from '../src/cli/program.ts';
import { describeConfig } from '../src/config/describe.ts';
import { ERRORS } from '../src/errors.ts';
import { testProgram } from './cli/cli-run.ts';
import { RESTRICTIONS, restrictionsPage, restrictionText } from './real/restrictions/table.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = [...pagesIn('.', false), ...pagesIn('docs', true), ...pagesIn('examples', false)];

test('the reference is what the program says; `npm run docs` writes it again', async () => {
  for (const { path, text } of await referencePages(ROOT)) expect(read(path), path).toBe(text);
});

test('the table of agents and scenarios is the one that the tests with the real programs prove', () => {
  const page = restrictionsPage((row, name) => restrictionText(RESTRICTIONS[row][name]));
  expect(read('docs/reference/agents.md')).toBe(page);
});

test('the page about JSON tells of every command that prints a document', async () => {
  const withJson = (command: Command) => command.options.some(({ long }) => long === '--json');
  const names = (await theProgram()).commands.flatMap((command) => [
    ...(withJson(command) ? [command.name()] : []),
    ...command.commands.filter(withJson).map((inner) => `${command.name()} ${inner.name()}`),
  ]);
  expect(names).toContain('salvage restore');
  expect(names.filter((name) => !read('docs/reference/json.md').includes(`\`${name}\``))).toEqual([]);
});

describe.each(PAGES)('%s', (page) => {
  const text = read(page);

  test('has links that lead somewhere', () => {
    expect(linksIn(text).flatMap((link) => issueIn(page, link) ?? [])).toEqual([]);
  });

  test('names only commands and options that there are', async () => {
    const program = await theProgram();
    expect(commandLines(text).flatMap((line) => unknownWords(program, line))).toEqual([]);
  });

  test('names only settings that there are', () => {
    const known = describeConfig().map(({ key }) => key);
    const groups = new Set(known.flatMap((key) => (key.includes('.') ? [key.split('.')[0]] : [])));
    const named = [...text.matchAll(/`([a-z]+(?:\.(?:<name>|[a-zA-Z]+))+)`/g)].map(([, key = '']) => key);
    const settings = named.filter((key) => groups.has(key.split('.')[0]));
    expect(settings.filter((key) => !known.some((each) => each === key || each.startsWith(`${key}.`)))).toEqual([]);
  });
});

test('a hint that names a page or a command names one that there is', async () => {
  const program = await theProgram();
  for (const { hint } of Object.values(ERRORS)) {
    for (const [page] of hint.matchAll(/docs\/[\w/-]+\.md/g)) expect(existsSync(join(ROOT, page)), page).toBe(true);
    for (const [line] of hint.matchAll(/manyhands [a-z]+(?: --[a-z-]+)?/g)) {
      expect(unknownWords(program, line), hint).toEqual([]);
    }
  }
});

test('what replaces a command of another tool is a command that exists', async () => {
  const program = await theProgram();
  // With all its optional parts, each kept if that option was typed.
  const OPTIONAL = /\[(?:run|--?[\w-]+):([^\]]*)\]/g;
  const uses = [...Object.values(OTHER_COMMANDS), ...Object.values(OTHER_OPTIONS)];
  const lines = uses.flatMap(
    (use) => /manyhands .*/.exec(use.replaceAll(OPTIONAL, '$1').replace('{options}', ''))?.[0] ?? [],
  );
  expect(lines.flatMap((line) => unknownWords(program, line))).toEqual([]);
});

function pagesIn(folder: string, recursive: boolean): string[] {
  const found = readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' });
  return found
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
    .sort();
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function linksIn(text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
}

function issueIn(page: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
  if (!existsSync(join(ROOT, target))) return `${link}: there is no ${target}`;
  if (anchor === undefined || statSync(join(ROOT, target)).isDirectory()) return undefined;
  return headingsIn(read(target)).includes(anchor) ? undefined : `${link}: no such heading in ${target}`;
}

/** Headings as the addresses that GitHub makes of them. */
function headingsIn(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '');
}

/** Calls of the program: lines of code blocks, and code within the text. */
function commandLines(text: string): string[] {
  const blocks = [...text.matchAll(/^```(?:sh)?\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => block.split('\n'));
  const inline = [...withoutCode(text).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...blocks, ...inline].flatMap((line) => /(?:^|\$\(|&& )((?:mh|manyhands) [a-z].*)/.exec(line)?.[1] ?? []);
}

/** The words of a call that no parser would take: an unknown command, or options that it does not have. */
function unknownWords(program: Command, line: string): string[] {
  const [, name = '', ...rest] =
    line
      .replace(/"[^"]*"|'[^']*'/g, 'x')
      .split(' #')[0]
      ?.split(/[\s)|]+/) ?? [];
  const command = named(program, name);
  if (command === undefined) return [line];
  const inner = named(command, rest[0] ?? '');
  const known = [program, command, inner].flatMap(
    (each) => each?.options.flatMap(({ short, long }) => [short, long]) ?? [],
  );
  return rest.filter((word) => /^--?[a-z]/i.test(word) && ![...known, '--help', '-h'].includes(word.split('=')[0]));
}

function named(command: Command, name: string): Command | undefined {
  return command.commands.find((each) => each.name() === name || each.aliases().includes(name));
}

function theProgram(): Promise<Command> {
  const { platform } = testProgram();
  return wholeProgram({ platform, argv: [], exitCode: 0, program: () => theProgram() });
}
