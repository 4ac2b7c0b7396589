import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { makeScratch } from '../support/scratch.ts';

/** Part of the login of pg, and of no file of ours. */
const POSTGRES_CLIENT = /SCRAM-SHA-256/;

it('loads nothing of PostgreSQL without a database URL', async () => {
  await using project = await makeScratch({ files: { 'a.txt': 'a\n' }, check: 'true' });
  const loaded = async (name: string, args: string[], env: Record<string, string> = {}) => {
    const folder = join(project.root, `loaded-by-${name}`);
    mkdirSync(folder);
    const ended = await project.mh(args, { env: { NODE_V8_COVERAGE: folder, ...env } });
    return { ...ended, files: scriptsIn(folder) };
  };
  const embedded = await loaded('embedded', ['do', 'Add a page', '--rehearse']);
  expect(embedded.code, embedded.stderr).toBe(0);
  expect(embedded.files.length).toBeGreaterThan(5);
  expect(embedded.files.filter(hasClient)).toEqual([]);
  const shared = await loaded('shared', ['hosts'], { MANYHANDS_DATABASE_URL: 'postgresql://x@127.0.0.1:1/x' });
  expect(shared.files.filter(hasClient), 'with a URL the client is loaded').not.toEqual([]);
});

/** The files of the program that processes loaded, by what V8 noted about them. */
function scriptsIn(folder: string): string[] {
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const urls = texts.flatMap((text) => text.match(/file:\/\/[^"]*\.c?js(?=")/g) ?? []);
  return [...new Set(urls)].map((url) => fileURLToPath(url)).filter((file) => existsSync(file));
}

function hasClient(file: string): boolean {
  return POSTGRES_CLIENT.test(readFileSync(file, 'utf8'));
}
