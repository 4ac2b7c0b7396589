import { mkdtempSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { removeLogin, saveLogin, serverUrl } from '../../../src/access/client/server-login.ts';
import { openCaller } from '../../../src/access/open-caller.ts';
import { AppError } from '../../../src/errors.ts';
import { serverLoginFile } from '../../../src/home.ts';
import { takeToken } from '../../../src/http/login/tokens.ts';
import { realWorld } from '../../../src/world.ts';
import { openServer } from '../../http/open-test-server.ts';

const home = mkdtempSync(join(tmpdir(), 'mh-client-'));
afterAll(() => rm(home, { recursive: true, force: true }));

const TOKEN = `mht_${'a'.repeat(43)}`;

function envOf(url: string, token = TOKEN): NodeJS.ProcessEnv {
  return { HOME: home, MANYHANDS_HOME: join(home, 'data'), MANYHANDS_SERVER: url, MANYHANDS_TOKEN: token };
}

async function failureOf(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AppError) return error;
  throw new Error(`expected a refusal, not ${String(error)}`);
}

/** A server that answers as a test says; the headers it received are kept. */
async function openRaw(listener: RequestListener) {
  const authorizations: unknown[] = [];
  const server = createServer((incoming, outgoing) => {
    authorizations.push(incoming.headers.authorization);
    listener(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    authorizations,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const json = { 'content-type': 'application/json' };
const session = JSON.stringify({ role: 'operator', version: '1.2.3' });

/** Greets as a server of ours, and then answers as the listener says. */
function greeting(listener: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    if (incoming.url === '/api/session') outgoing.writeHead(200, json).end(session);
    else listener(incoming, outgoing);
  };
}

describe('the address of a server', () => {
  test('is https, or http of this machine', () => {
    expect(serverUrl('https://mh.example.com')).toBe('https://mh.example.com');
    expect(serverUrl('http://127.0.0.1:4747/')).toBe('http://127.0.0.1:4747');
    expect(serverUrl('http://[::1]:4747')).toBe('http://[::1]:4747');
  });

  test.each([
    'http://mh.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'ftp://127.0.0.1',
    'https://name:secret@mh.example.com',
    'https://mh.example.com/manyhands',
    'mh.example.com',
    '',
  ])('is not %s, and a password in it is not repeated', (text) => {
    const error = (() => {
      try {
        return serverUrl(text);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toMatchObject({ code: 'SERVER_URL_INVALID' });
    expect(String(error)).not.toContain('secret');
  });
});

describe('a stored login', () => {
  test('is a file of its owner in a folder of its owner, and is used until logout', async () => {
    await using server = await openServer({ answer: () => [] });
    const env = { HOME: home, MANYHANDS_HOME: join(home, 'data') };
    await saveLogin(env, { url: server.url, token: server.tokens.operator }, realWorld);
    const file = serverLoginFile(env);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    await using caller = await openCaller({ env });
    expect(caller.engine()).toBe('server');
    expect(await caller.call('list-runs', {})).toEqual([]);
    await using local = await openCaller({ env: { ...env, MANYHANDS_SERVER: '' } });
    expect(local.engine()).toBe('none');
    expect(await removeLogin(env)).toBe(server.url);
    await using after = await openCaller({ env });
    expect(after.engine()).toBe('none');
  });

  test('is not used by a program of an attempt', async () => {
    const env = { ...envOf('https://mh.example.com'), MANYHANDS_TOKEN: 'token-of-an-attempt' };
    await using caller = await openCaller({ env });
    expect(caller.engine()).toBe('none');
  });
});

describe('calls', () => {
  test('are requests to the routes of the operations, by id and as a body', async () => {
    await using server = await openServer({ answer: ({ name }) => (name === 'approve-run' ? { approved: [] } : []) });
    await using caller = await openCaller({ env: envOf(server.url, server.tokens.operator) });
    await caller.call('list-runs', { limit: 3, status: ['done', 'failed'], flagged: true });
    await caller.call('cancel-run', { run: 'k3v9x2ab', dir: '/nowhere' }).catch(() => {});
    expect(server.calls).toEqual([
      { name: 'list-runs', input: { limit: 3, status: ['done', 'failed'], flagged: true } },
      { name: 'cancel-run', input: { run: 'k3v9x2ab' } },
    ]);
  });

  test('that only the machine of the engine can perform are refused with the reason', async () => {
    await using server = await openServer();
    await using caller = await openCaller({ env: envOf(server.url, server.tokens.operator) });
    expect(await failureOf(caller.call('move-store', { to: 'embedded' }))).toMatchObject({ code: 'NOT_ON_SERVER' });
    expect(server.calls).toEqual([]);
  });

  test('with a path in the place of an id reach no other route', async () => {
    await using server = await openServer({ answer: () => ({}) });
    await using caller = await openCaller({ env: envOf(server.url, server.tokens.operator) });
    expect(await failureOf(caller.call('show-run', { run: '..' }))).toMatchObject({ code: 'INPUT_INVALID' });
    await caller.call('show-run', { run: '../../stop' }).catch(() => {});
    expect(server.calls.map(({ name }) => name)).not.toContain('stop-engine');
  });

  test('with a token that was replaced are refused, and the token is in no message', async () => {
    await using server = await openServer({ answer: () => [] });
    const { operator } = server.tokens;
    await using caller = await openCaller({ env: envOf(server.url, operator) });
    await caller.call('list-runs', {});
    await takeToken(join(server.folder, 'server'), 'operator', { world: realWorld, renew: true });
    const error = await failureOf(caller.call('list-runs', {}));
    expect(error).toMatchObject({ code: 'SERVER_LOGIN' });
    expect(`${error.message}${error.hint}${JSON.stringify(error.details)}${error.stack}`).not.toContain(operator);
  });

  test('of a viewer that change something are refused by the server', async () => {
    await using server = await openServer();
    await using caller = await openCaller({ env: envOf(server.url, server.tokens.viewer) });
    const error = await failureOf(caller.call('cancel-run', { run: 'k3v9x2ab' }));
    expect(error).toMatchObject({ code: 'VIEWERS_ONLY_LOOK' });
    expect(server.calls).toEqual([]);
  });

  test('say that nobody listens, that the release differs, and that there is no token', async () => {
    const nobody = await failureOf(
      openCaller({ env: envOf('http://127.0.0.1:1') }).then((caller) => caller.call('list-runs', {})),
    );
    expect(nobody).toMatchObject({ code: 'SERVER_UNREACHABLE' });
    await using server = await openServer({ answer: () => [] });
    const env = envOf(server.url, server.tokens.operator);
    const versions = { '1.2.9': undefined, '1.3.0': undefined, '1.4.0': 'SERVER_VERSION', '2.2.3': 'SERVER_VERSION' };
    for (const [version, code] of Object.entries(versions)) {
      await using caller = await openCaller({ env, version });
      const call = caller.call('list-runs', {});
      if (code === undefined) await call;
      else expect(await failureOf(call)).toMatchObject({ code });
    }
    expect(await failureOf(openCaller({ env: { HOME: home, MANYHANDS_SERVER: server.url } }))).toMatchObject({
      code: 'SERVER_LOGIN',
    });
  });
});

describe('a malicious server', () => {
  test('that redirects gets nothing sent elsewhere', async () => {
    await using other = await openRaw((_, outgoing) => outgoing.end());
    await using first = await openRaw((_, outgoing) => {
      outgoing.writeHead(307, { location: `${other.url}/api/session` }).end();
    });
    const caller = await openCaller({ env: envOf(first.url) });
    expect(await failureOf(caller.call('list-runs', {}))).toMatchObject({ code: 'SERVER_UNKNOWN' });
    expect(other.authorizations).toEqual([]);
  });

  test.each([
    ['a page', (_: unknown, outgoing: import('node:http').ServerResponse) => outgoing.end('<html>')],
    [
      'other JSON',
      (_: unknown, outgoing: import('node:http').ServerResponse) => outgoing.writeHead(200, json).end('{"run":1}'),
    ],
  ])('that answers with %s is not believed', async (_, listener) => {
    await using server = await openRaw(listener);
    const caller = await openCaller({ env: envOf(server.url) });
    expect(await failureOf(caller.call('list-runs', {}))).toMatchObject({ code: 'SERVER_UNKNOWN' });
  });

  test('that answers an operation with another type is not believed', async () => {
    const answer = JSON.stringify([{ id: 1, root: {}, name: 'x' }]);
    await using server = await openRaw(greeting((_, outgoing) => outgoing.writeHead(200, json).end(answer)));
    const caller = await openCaller({ env: envOf(server.url) });
    expect(await failureOf(caller.call('list-projects', {}))).toMatchObject({ code: 'SERVER_UNKNOWN' });
  });

  test('cannot control the terminal by a title, a name or an error', async () => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\u202etxt\u0000';
    const project = { id: 'x', root: '/x', name: `a${evil}b`, exists: true, runs: 1, lastAt: '', costUsd: 0 };
    await using server = await openRaw(
      greeting((incoming, outgoing) => {
        if (incoming.url === '/api/projects') outgoing.writeHead(200, json).end(JSON.stringify([project]));
        else {
          const problem = { code: 'RUN_UNKNOWN', detail: `gone${evil}`, details: { run: evil }, status: 404 };
          outgoing.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
        }
      }),
    );
    const caller = await openCaller({ env: envOf(server.url) });
    const [found] = await caller.call('list-projects', {});
    expect(found?.name).not.toMatch(/[\p{Cc}\u202e]/u);
    const error = await failureOf(caller.call('show-run', { run: 'k3v9x2ab' }));
    expect(error.code).toBe('RUN_UNKNOWN');
    expect(`${error.message}${error.hint}${JSON.stringify(error.details)}`).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  test('that never stops answering is left', async () => {
    await using server = await openRaw(
      greeting((_, outgoing) => {
        outgoing.writeHead(200, json);
        const piece = Buffer.alloc(4 << 20, ' ');
        const more = () => {
          while (!outgoing.destroyed && outgoing.write(piece));
        };
        outgoing.on('drain', more);
        more();
      }),
    );
    const caller = await openCaller({ env: envOf(server.url) });
    expect(await failureOf(caller.call('list-runs', {}))).toMatchObject({ code: 'SERVER_UNKNOWN' });
  });
});

describe('streams', () => {
  const event = (version: number) => ({ version, at: 1, type: 'run.paused', data: {} });

  test('continue after every lost connection, each event once and in order', async () => {
    const seen: unknown[] = [];
    let connections = 0;
    await using server = await openRaw(
      greeting((incoming, outgoing) => {
        seen.push(incoming.headers['last-event-id']);
        connections += 1;
        outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
        const send = (version: number) => outgoing.write(`id: ${version}\ndata: ${JSON.stringify(event(version))}\n\n`);
        const first = (connections - 1) * 3;
        // The first one of each connection was sent before; the last one is cut off.
        for (const version of [first, first + 1, first + 2, first + 3]) if (version > 0) send(version);
        outgoing.write(`id: ${first + 4}\ndata: {"version"`, () => {
          if (connections < 4) outgoing.destroy();
          else outgoing.end('\n\nevent: end\ndata: {}\n\n');
        });
      }),
    );
    const notes: string[] = [];
    await using caller = await openCaller({
      env: envOf(server.url),
      onConnection: (text) => void notes.push(text),
    });
    const versions: number[] = [];
    try {
      for await (const item of caller.stream('watch-run', { run: 'k3v9x2ab' })) versions.push(item.version);
    } catch (error) {
      // The event that was cut off in the last connection ends in JSON that is none.
      expect(error).toMatchObject({ code: 'SERVER_UNKNOWN' });
    }
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(seen).toEqual([undefined, '3', '6', '9']);
    expect(notes.length).toBeGreaterThan(0);
  });

  test('of the real server end when their reader leaves', async () => {
    await using server = await openServer({
      stream: async function* (_, signal) {
        yield event(1);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
    });
    await using caller = await openCaller({ env: envOf(server.url, server.tokens.viewer) });
    const over = new AbortController();
    const versions: number[] = [];
    for await (const item of caller.stream('watch-run', { run: 'k3v9x2ab' }, { signal: over.signal })) {
      versions.push(item.version);
      over.abort();
    }
    expect(versions).toEqual([1]);
  });

  test('end with the login', async () => {
    await using server = await openRaw(
      greeting((_, outgoing) => {
        const problem = { code: 'LOGIN_NEEDED', detail: 'Log in first', status: 401 };
        outgoing.writeHead(401, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
      }),
    );
    await using caller = await openCaller({ env: envOf(server.url) });
    const next = caller.stream('watch-run', { run: 'k3v9x2ab' })[Symbol.asyncIterator]().next();
    expect(await failureOf(next)).toMatchObject({ code: 'SERVER_LOGIN' });
  });
});
