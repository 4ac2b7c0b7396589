import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GitEndpoint } from '../../../src/http/git/git-endpoint.ts';
import { accessOfToken, makeOrderToken } from '../../../src/store/credentials/order-token.ts';
import { realWorld } from '../../../src/world.ts';
import { type Opened, openServer } from '../open-test-server.ts';

const ATTEMPT = 'abcd1234-1-1';
const OTHER = 'abcd1234-2-1';
const OWN = `refs/manyhands/attempts/${ATTEMPT}/1`;

const accessTo = (order: string, ...commits: string[]) => ({ order, host: 'b2', commits });

let folder: string;
let commit: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mh-host-pushes-'));
  git('init', '--quiet');
  commit = commitFile('a.txt', 'one\n');
});

afterAll(() => rmSync(folder, { recursive: true }));

function git(...args: string[]): string {
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
  return execFileSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function commitFile(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  git('add', name);
  git('commit', '--quiet', '--message=One');
  return git('rev-parse', 'HEAD');
}

/** What a program of git came to: nothing, or why it was refused. */
async function push(url: string, token: string, ...refspecs: string[]): Promise<string> {
  return run(['push', '--quiet', url, ...refspecs], token);
}

async function run(args: string[], token: string): Promise<string> {
  const header = ['-c', `http.extraHeader=Authorization: Bearer ${token}`, '-c', 'credential.helper='];
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
  return new Promise((resolve) => {
    execFile('git', [...header, ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve(error === null ? stdout : stderr || String(error));
    });
  });
}

describe('the repository of the server', () => {
  let server: Opened;
  let url: string;
  let token: string;

  beforeAll(async () => {
    server = await openServer();
    url = `${server.url}/git/exchange.git`;
    token = await makeOrderToken(join(server.folder, 'server'), accessTo(ATTEMPT, commit), realWorld);
  });

  afterAll(() => server[Symbol.asyncDispose]());

  it('takes from a host only new refs of its own attempt, once each', async () => {
    expect(await push(url, token, `${commit}:${OWN}`)).toBe('');
    expect(await push(url, token, `${commit}:refs/manyhands/late/${ATTEMPT}/1`)).toBe('');
    const next = commitFile('b.txt', 'two\n');
    const refused = 'error: 403';
    for (const to of [
      `+${next}:${OWN}`,
      `:${OWN}`,
      `${next}:refs/manyhands/attempts/${OTHER}/1`,
      `${next}:refs/manyhands/attempts/${ATTEMPT}`,
      `${next}:refs/manyhands/objects/${next}`,
      `${next}:refs/manyhands/attempts/${ATTEMPT}0/1`,
      `${next}:refs/heads/main`,
    ])
      expect(await push(url, token, to), to).toContain(refused);
    const refs = execFileSync('git', ['-C', join(server.folder, 'exchange.git'), 'for-each-ref'], { encoding: 'utf8' });
    expect(refs.trim().split('\n')).toHaveLength(2);
  });

  it('gives a host the commits of its order, and no other commit of any project', async () => {
    const other = git('commit-tree', 'HEAD^{tree}', '-m', 'Of another project');
    const exchange = join(server.folder, 'exchange.git');
    for (const each of [commit, other]) {
      git('push', '--quiet', exchange, `${each}:refs/manyhands/objects/${each}`);
    }
    expect(await run(['ls-remote', url], token)).toBe(`${commit}\trefs/manyhands/objects/${commit}\n`);
    const clone = mkdtempSync(join(tmpdir(), 'mh-host-clone-'));
    execFileSync('git', ['init', '--quiet', clone]);
    const fetched = (what: string, version: number) =>
      run(['-c', `protocol.version=${version}`, '-C', clone, 'fetch', '--quiet', url, what], token);
    expect(await fetched(`refs/manyhands/objects/${commit}`, 2)).toBe('');
    for (const version of [0, 2]) expect(await fetched(other, version)).toMatch(/not our ref|unadvertised object/);
    rmSync(clone, { recursive: true });
  });

  it('takes nothing from the host of a check, which fetches', async () => {
    const id = `abcd1234-check-${realWorld.token()}`;
    const reader = await makeOrderToken(join(server.folder, 'server'), accessTo(id, commit), realWorld);
    expect(await run(['ls-remote', url], reader)).toContain(`refs/manyhands/objects/${commit}`);
    for (const to of [id, ATTEMPT])
      expect(await push(url, reader, `${commit}:refs/manyhands/attempts/${to}/9`), to).toContain('error: 403');
  });

  it('has one key, although several orders need it at once', async () => {
    const fresh = mkdtempSync(join(tmpdir(), 'mh-host-key-'));
    const all = [1, 2, 3, 4].map((n) => accessTo(`abcd1234-${n}-1`));
    const tokens = await Promise.all(all.map((each) => makeOrderToken(fresh, each, realWorld)));
    expect(await Promise.all(tokens.map((each) => accessOfToken(fresh, each, realWorld)))).toEqual(all);
    rmSync(fresh, { recursive: true });
  });

  it('accepts no other token, and a token nowhere else', async () => {
    const [, text = '', signature = ''] = /^mhh_(.+)_([0-9a-f]{64})$/.exec(token) ?? [];
    const signed = JSON.parse(Buffer.from(text, 'base64url').toString());
    const forged = [
      { ...signed, order: OTHER },
      { ...signed, until: signed.until + 1 },
    ].map((each) => `mhh_${Buffer.from(JSON.stringify(each)).toString('base64url')}_${signature}`);
    for (const wrong of [...forged, `${token}0`, 'mhh_x'])
      expect(await run(['ls-remote', url], wrong), wrong).toMatch(/401|could not read Username/);
    const other = mkdtempSync(join(tmpdir(), 'mh-host-key-'));
    expect(await accessOfToken(other, token, realWorld)).toBeUndefined();
    const late = { ...realWorld, now: () => realWorld.now() + 8 * 24 * 3_600_000 };
    expect(await accessOfToken(join(server.folder, 'server'), token, late)).toBeUndefined();
    rmSync(other, { recursive: true });
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ['/api/runs', '/mcp', '/api/settings'])
      expect((await server.ask(path, { headers })).status, path).toBe(401);
  });

  it('refuses objects that git itself would not accept', async () => {
    const tree = execFileSync('git', ['mktree', '--missing'], {
      cwd: folder,
      input: `100644 blob ${git('rev-parse', 'HEAD:a.txt')}\t.git\n`,
      encoding: 'utf8',
    }).trim();
    const bad = git('commit-tree', tree, '-m', 'bad');
    expect(await push(url, token, `${bad}:refs/manyhands/attempts/${ATTEMPT}/2`)).toMatch(/hasDotgit|unpack|fsck/);
  });
});

describe('the limits of the repository', () => {
  let server: Server;
  let url: string;
  const closing = new AbortController();
  const STUCK_MS = 300;

  beforeAll(async () => {
    const dir = join(mkdtempSync(join(tmpdir(), 'mh-limits-')), 'exchange.git');
    const limits = { packBytes: 20_000, stuckMs: STUCK_MS };
    const endpoint = new GitEndpoint({ dir, world: realWorld, closing: closing.signal, limits });
    server = createServer((incoming, outgoing) => {
      endpoint.answer(incoming, outgoing, accessTo(ATTEMPT)).catch(() => {
        if (outgoing.headersSent) outgoing.destroy();
        else outgoing.writeHead(413).end();
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/git/exchange.git`;
  });

  afterAll(() => {
    closing.abort();
    server.closeAllConnections();
    server.close();
  });

  it('refuses a push that is too large, and accepts one that is not', async () => {
    expect(await push(url, 'x', `${commit}:${OWN}`)).toBe('');
    const large = commitFile('large.bin', randomBytes(40_000));
    expect(await push(url, 'x', `${large}:refs/manyhands/attempts/${ATTEMPT}/2`)).not.toBe('');
    expect(await run(['ls-remote', url], 'x')).toBe('');
  });

  it('lets transfers wait for each other instead of refusing them', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => run(['ls-remote', url], 'x')));
    expect(all.filter((answer) => answer !== '')).toEqual([]);
  });

  it('disconnects a client on whose connection nothing moves', async () => {
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    const head = [
      'POST /git/exchange.git/git-receive-pack HTTP/1.1',
      'Host: 127.0.0.1',
      'Content-Type: application/x-git-receive-pack-request',
      'Content-Length: 1000',
    ];
    const began = performance.now();
    socket.write(`${head.join('\r\n')}\r\n\r\n00`);
    // Safe: the server may reset the connection.
    socket.on('error', () => {});
    await text(socket).catch(() => '');
    expect(performance.now() - began).toBeLessThan(STUCK_MS * 20);
  });
});
