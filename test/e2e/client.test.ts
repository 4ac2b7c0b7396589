import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { clientId, clientRef } from '../../src/git/refs/client-refs.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

const Served = z.object({ url: z.string() });
const Document = z.object({ run: z.string(), status: z.string(), branch: z.string(), commit: z.string() });

let server: Scratch;
let laptop: Scratch;
let url: string;
let token: string;
let viewer: string;
let env: Record<string, string>;
/** The clone of a person on another machine. */
let clone: string;
/** The repository of the team, which the server reaches. */
let remote: string;

beforeAll(async () => {
  server = await makeScratch({ files: { 'README.md': '# Shop\n' }, check: 'true' });
  laptop = await makeScratch({ files: { 'unrelated.txt': 'x\n' } });
  remote = join(server.root, 'shop.git');
  execFileSync('git', ['clone', '--quiet', '--bare', server.repo, remote]);
  clone = join(laptop.root, 'shop');
  execFileSync('git', ['clone', '--quiet', remote, clone]);
  const served = server.mh(['serve', '--detach', '--port', '0', '--json']);
  url = Served.parse((await served).json).url;
  token = (await server.mh(['token'])).stdout.trim();
  viewer = (await server.mh(['token', '--viewer'])).stdout.trim();
  env = { MANYHANDS_SERVER: url, MANYHANDS_TOKEN: token };
}, 60_000);

afterAll(async () => {
  await server.mh(['stop', '--agents']);
  await server[Symbol.asyncDispose]();
  await laptop[Symbol.asyncDispose]();
});

function git(dir: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...identity, ...args], { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Everything of the clone that is the person's. */
function ownState(): string {
  const refs = git(clone, 'for-each-ref').replaceAll(/^.*refs\/heads\/mh\/.*\n/gm, '');
  return [
    refs,
    git(clone, 'status', '--porcelain'),
    git(clone, 'rev-parse', 'HEAD'),
    git(clone, 'stash', 'list'),
  ].join();
}

describe('a clone on another machine', () => {
  test('is told to add its project, and to log in', async () => {
    const unknown = await laptop.mh(['ls'], { env, cwd: clone });
    expect(unknown.code).toBe(3);
    expect(unknown.stderr).toContain('manyhands project add');
    const login = await laptop.mh(['ls', '--all'], { env: { MANYHANDS_SERVER: url }, cwd: clone });
    expect(login.stderr).toContain(`manyhands login ${url}`);
  });

  test('starts a run from its own commit, follows it, and gets its branch and nothing else', async () => {
    expect((await laptop.mh(['project', 'add', remote, '--name', 'shop'], { env })).code).toBe(0);
    writeFileSync(join(clone, 'local.txt'), 'only here\n');
    git(clone, 'add', '.');
    git(clone, 'commit', '--quiet', '-m', 'Not pushed yet');
    writeFileSync(join(clone, 'README.md'), '# Changed, not committed\n');
    const before = ownState();
    const done = await laptop.mh(['do', 'Add a page', '--rehearse', '--check', 'test -f local.txt', '--json'], {
      env,
      cwd: clone,
    });
    expect(done.stderr).toContain('1 uncommitted change is not part of this run');
    expect(done.code, done.stderr).toBe(0);
    const document = Document.parse(done.json);
    expect(document.status).toBe('done');
    expect(git(clone, 'rev-parse', document.branch).trim()).toBe(document.commit);
    expect(git(clone, 'merge-base', '--is-ancestor', 'HEAD', document.branch)).toBe('');
    expect(ownState()).toBe(before);
    expect(readFileSync(join(clone, 'README.md'), 'utf8')).toContain('not committed');
    const shown = await laptop.mh(['show', '--json'], { env, cwd: clone });
    expect(Document.parse(shown.json).run).toBe(document.run);
    for (const args of [['ls'], ['logs'], ['diff'], ['report'], ['ls', '--json']])
      expect((await laptop.mh(args, { env, cwd: clone })).code, args.join(' ')).toBe(0);
    expect((await laptop.mh(['open'], { env, cwd: clone })).stderr).toContain('machine of its engine');
    const shared = await laptop.mh(['share', '--json'], { env, cwd: clone });
    expect(shared.json, 'a link leads to the server').toMatchObject({ link: expect.stringContaining(url) });
  }, 60_000);

  test('logs in, and out', async () => {
    const login = await laptop.mh(['login', url], { env: { MANYHANDS_TOKEN: token } });
    expect(login.code, login.stderr).toBe(0);
    expect((await laptop.mh(['project', 'ls'], { cwd: clone })).stdout).toContain('shop');
    const doctor = await laptop.mh(['doctor'], { cwd: clone });
    expect(doctor.stdout).toContain(`other commands use ${url}`);
    expect((await laptop.mh(['logout'])).code).toBe(0);
    expect((await laptop.mh(['project', 'ls'], { cwd: clone })).stdout).not.toContain('shop');
  });
});

describe('the repository of the server', () => {
  const address = () => `${url}/git/exchange.git`;
  const push = (as: string, ...refspecs: string[]) => {
    const header = `http.extraHeader=Authorization: Bearer ${as}`;
    try {
      git(clone, '-c', header, 'push', '--quiet', address(), ...refspecs);
      return '';
    } catch (error) {
      return String(error instanceof Error && 'stderr' in error ? error.stderr : error);
    }
  };
  const own = (commit: string) => clientRef(clientId(token), commit);
  const commitOf = (revision: string) => git(clone, 'rev-parse', revision).trim();

  test('accepts a new ref of the sender alone', () => {
    const commit = commitOf('HEAD~1');
    expect(push(token, `${commit}:${own(commit)}`)).toBe('');
    const refused = [
      `${commit}:refs/heads/main`,
      `${commit}:${clientRef(clientId('another'), commit)}`,
      `${commit}:${own(commitOf('HEAD'))}`,
      `${commit}:refs/manyhands/attempts/k3v9x2ab-1-1/1`,
      `:${own(commit)}`,
      `+HEAD:${own(commit)}`,
    ];
    for (const refspec of refused) expect(push(token, refspec), refspec).not.toBe('');
    expect(git(join(server.home, 'exchange.git'), 'rev-parse', own(commit)).trim()).toBe(commit);
  });

  test('refuses a viewer, a wrong token and nobody', async () => {
    const commit = commitOf('HEAD');
    for (const wrong of [viewer, 'mht_wrong'])
      expect(push(wrong, `${commit}:${clientRef(clientId(wrong), commit)}`)).not.toBe('');
    const reading = { headers: { authorization: `Bearer ${viewer}` } };
    expect((await fetch(`${address()}/info/refs?service=git-upload-pack`, reading)).status).toBe(403);
    const nobody = await fetch(`${address()}/info/refs?service=git-upload-pack`);
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Manyhands"']);
  });

  test('has the token as a password too', async () => {
    const headers = { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` };
    const answer = await fetch(`${address()}/info/refs?service=git-upload-pack`, { headers });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/x-git-upload-pack-advertisement',
    ]);
    // Elsewhere a password is none.
    expect((await fetch(`${url}/api/runs`, { headers })).status).toBe(401);
  });

  test.each([
    '/git/exchange.git/HEAD',
    '/git/exchange.git/config',
    '/git/exchange.git/objects/info/packs',
    '/git/exchange.git/info/refs',
    '/git/exchange.git/info/refs?service=git-upload-archive',
    '/git/exchange.git/info/refs?service=git-upload-pack&x=1',
    '/git/exchange.git/%2e%2e/mirrors/info/refs?service=git-upload-pack',
    '/git/..%2fexchange.git/info/refs?service=git-upload-pack',
    '/git/exchange.git%00/info/refs?service=git-upload-pack',
    '/git/exchange.git%2finfo/refs?service=git-upload-pack',
    '/git/mirrors/info/refs?service=git-upload-pack',
  ])('does not answer %s', async (path) => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect([400, 403, 404]).toContain(answer.status);
  });

  test('refuses instructions that are none, compressed ones, and packs that are cut off', async () => {
    const commit = git(clone, 'commit-tree', '-m', 'Never pushed', 'HEAD^{tree}').trim();
    const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
      fetch(`${address()}/git-receive-pack`, {
        method: 'POST',
        body: new Uint8Array(Buffer.from(body)),
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/x-git-receive-pack-request',
          ...headers,
        },
      });
    const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
    const create = `${'0'.repeat(40)} ${commit} ${own(commit)}`;
    expect((await send(line('push-cert\0'))).status).toBe(403);
    expect((await send(line(`shallow ${commit}`))).status).toBe(403);
    expect((await send('zzzz')).status).toBe(403);
    expect((await send(line(create))).status).toBe(403);
    expect((await send('0000', { 'content-encoding': 'gzip' })).status).toBe(404);
    expect((await send('0000', { 'content-type': 'text/plain' })).status).toBe(400);
    expect((await send('0000', { origin: 'https://evil.example' })).status).toBe(403);
    const answer = await send(`${line(`${create}\0report-status`)}0000PACK\0\0\0\u0002`);
    expect(await answer.text()).not.toContain(`ok ${own(commit)}`);
    expect(git(join(server.home, 'exchange.git'), 'for-each-ref', own(commit))).toBe('');
  });

  test('refuses objects that are damaged', () => {
    const blob = join(clone, 'evil');
    mkdirSync(blob, { recursive: true });
    // A tree with an entry named .git, which git would write into the repository of who checks it out.
    const entry = git(clone, 'hash-object', '-w', 'README.md').trim();
    const raw = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(entry, 'hex')]);
    const file = join(blob, 'tree');
    writeFileSync(file, raw);
    const tree = git(clone, 'hash-object', '-t', 'tree', '--literally', '-w', file).trim();
    const commit = git(clone, 'commit-tree', '-m', 'x', tree).trim();
    rmSync(blob, { recursive: true });
    expect(push(token, `${commit}:${own(commit)}`)).not.toBe('');
  });

  test('refuses a token that was replaced', async () => {
    const commit = commitOf('HEAD~1');
    expect((await server.mh(['token', '--renew'])).code).toBe(0);
    expect(push(token, `${commit}:${own(commit)}`)).not.toBe('');
    const after = await laptop.mh(['ls', '--all'], { env, cwd: clone });
    expect(after.code).toBe(3);
    expect(`${after.stdout}${after.stderr}`).not.toContain(token);
  });
});
