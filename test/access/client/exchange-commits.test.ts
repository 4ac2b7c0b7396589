import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fetchResult } from '../../../src/access/client/exchange-commits.ts';
import { openBareMirror } from '../../../src/git/push/transfer.ts';
import { type Opened, openServer } from '../../http/open-test-server.ts';

const BRANCH = 'mh/abcd1234';
const REF = `refs/manyhands/clients/x/${BRANCH}`;

let server: Opened;
let root: string;

beforeEach(async () => {
  server = await openServer();
  root = mkdtempSync(join(tmpdir(), 'mh-clone-'));
  git('init', '--quiet');
  await openBareMirror(join(server.folder, 'exchange.git'), 'sha1');
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

it('moves the branch of a run forward, and keeps commits that the user added to it', async () => {
  const [first, second] = [commit('one'), commit('two')];
  const third = commit('three', second);
  expect(await fetched(first)).toBe(first);
  git('update-ref', `refs/heads/${BRANCH}`, second);
  await expect(fetched(first)).rejects.toThrow('has commits that the run does not have');
  expect(git('rev-parse', BRANCH)).toBe(second);
  expect(await fetched(third)).toBe(third);
});

function git(...args: string[]): string {
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
  return execFileSync('git', [...who, ...args], { cwd: root, encoding: 'utf8', input: '' }).trim();
}

function commit(message: string, parent?: string): string {
  return git('commit-tree', git('mktree'), '-m', message, ...(parent === undefined ? [] : ['-p', parent]));
}

/** Where the branch is after the server has offered a commit. */
async function fetched(offered: string): Promise<string> {
  git('push', '--quiet', '--force', join(server.folder, 'exchange.git'), `${offered}:${REF}`);
  const login = { url: server.url, token: server.tokens.operator };
  const exchange = { root, login, env: {}, signal: new AbortController().signal };
  await fetchResult(exchange, { ref: REF, commit: offered, branch: BRANCH });
  return git('rev-parse', BRANCH);
}
