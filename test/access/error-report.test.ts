import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { reportError } from '../../src/access/error-report.ts';
import { AppError } from '../../src/errors.ts';
import { realWorld } from '../../src/world.ts';
import { testProgram } from '../cli/cli-run.ts';
import { writeFiles } from '../support/scratch.ts';

type Received = { url: string | undefined; auth: string | undefined; body: string };

async function makeReceiver(): Promise<AsyncDisposable & { host: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const auth = request.headers['x-sentry-auth']?.toString();
    received.push({ url: request.url, auth, body: await text(request) });
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
}

const TOKEN = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6'}`;

it('reports unexpected errors to the receiver of the own settings, without secrets; off by default', async () => {
  const home = mkdtempSync(join(tmpdir(), 'mh-errors-'));
  await using receiver = await makeReceiver();
  const { host, received } = receiver;
  const env = { HOME: home, MY_API_KEY: 'correct-horse-battery' };
  const set = (report: string) =>
    writeFiles(home, { '.config/manyhands/config.yaml': `errors: { report: ${report} }\n` });
  const fail = (error: unknown) => reportError(error, { env, version: '1.2.3', world: realWorld, action: 'ls' });
  const error = new TypeError(`no ${TOKEN} and correct-horse-battery in ${home}/secret`);
  try {
    writeFiles(home, { 'project/.manyhands/config.yaml': `errors: { report: "http://${host}" }\n` });
    const program = () => testProgram({ env, cwd: join(home, 'project') }).run('token');
    expect((await program()).code).toBe(70);
    await fail(error);
    expect(received).toEqual([]);

    set(`"http://${host}"`);
    await fail(new AppError('RUN_UNKNOWN', 'expected'));
    expect(received).toEqual([]);
    await fail(error);
    expect(received[0]?.url).toBe('/v1/logs');
    const { resourceLogs } = JSON.parse(received[0]?.body ?? '');
    expect(resourceLogs[0].scopeLogs[0].logRecords[0]).toMatchObject({
      severityText: 'ERROR',
      body: { stringValue: 'no [redacted] and [redacted] in ~/secret' },
    });

    set(`"http://key@${host}/42"`);
    await program();
    await fail(error);
    expect(received.slice(1).map(({ url }) => url)).toEqual(['/api/42/envelope/', '/api/42/envelope/']);
    expect(received[2]?.auth).toContain('sentry_key=key');
    const [, , event = ''] = received[2]?.body.split('\n') ?? [];
    expect(JSON.parse(event)).toMatchObject({
      release: 'manyhands@1.2.3',
      tags: { action: 'ls' },
      exception: { values: [{ type: 'TypeError', value: 'no [redacted] and [redacted] in ~/secret' }] },
    });
    expect(JSON.parse(event).exception.values[0].stacktrace.frames.at(-1)).toMatchObject({
      lineno: expect.any(Number),
    });
    for (const { body } of received) expect(body).not.toMatch(/ghp_|correct-horse/);
    expect(received[1]?.body).toContain('no token in this test');
  } finally {
    rmSync(home, { recursive: true });
  }
});
