import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { Forge } from '../../src/forges/forge.ts';
import { findForge } from '../../src/forges/registry.ts';
import type { ForgeName } from '../../src/schema/config/git.ts';
import { bitbucket } from './stand-in/bitbucket.mjs';
import { answer, readState, writeState } from './stand-in/forge-state.mjs';

const State = z.object({
  pulls: z.array(
    z.object({
      number: z.number(),
      title: z.string(),
      body: z.string(),
      head: z.string(),
      base: z.string(),
      draft: z.boolean(),
      state: z.string(),
      approvals: z.array(z.unknown()),
      comments: z.array(z.string()),
    }),
  ),
  faults: z.array(
    z.object({
      on: z.string(),
      kind: z.enum(['500', '429', 'expired', 'lost', 'hang', 'nonsense']),
      times: z.number(),
      retryAfter: z.number().optional(),
    }),
  ),
  calls: z.array(z.string()),
  checks: z.array(
    z.object({ name: z.string(), state: z.enum(['pass', 'fail', 'pending']), log: z.string().optional() }),
  ),
  remote: z.string().nullable(),
  user: z.string().nullable(),
});
type StandInState = z.infer<typeof State>;

/** A forge that runs here: what reaches it, and what it knows. */
export interface StandIn extends AsyncDisposable {
  readonly name: ForgeName;
  /** What a process needs in its environment to find it. */
  readonly env: Record<string, string>;
  forge(timeoutMs?: number): Forge;
  state(): StandInState;
  change(with_: (state: StandInState) => void): void;
}

const HOSTS = { github: 'github.com', gitlab: 'gitlab.com', bitbucket: 'bitbucket.org' } as const;
const PROGRAMS = { github: 'gh', gitlab: 'glab' } as const;

/** Sets one up, with a bare repository as its remote if one is given. */
export async function standIn(name: ForgeName, remote?: string): Promise<StandIn> {
  const folder = mkdtempSync(join(tmpdir(), 'mh-forge-'));
  const file = join(folder, 'state.json');
  writeState(file, { ...readState(file), remote: remote ?? null });
  const served = name === 'bitbucket' ? await serve(file) : undefined;
  if (name !== 'bitbucket') writeProgram(folder, name, file);
  const env = {
    PATH: `${folder}${delimiter}${process.env.PATH ?? ''}`,
    ...(served === undefined ? {} : { BITBUCKET_API_URL: served.url, BITBUCKET_TOKEN: 'stand-in-token' }),
  };
  const state = () => State.parse(readState(file));
  return {
    name,
    env,
    state,
    change: (with_) => {
      const now = state();
      with_(now);
      writeState(file, now);
    },
    forge: (timeoutMs) => {
      const config = { provider: name, remote: 'origin' } as const;
      const address = `https://${HOSTS[name]}/ann/shop.git`;
      const found = findForge({ config, address, env, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
      if (found.kind === 'none') throw new Error(found.reason);
      return found.forge;
    },
    [Symbol.asyncDispose]: async () => {
      served?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function writeProgram(folder: string, name: 'github' | 'gitlab', file: string): void {
  const part = (module: string) => JSON.stringify(new URL(`./stand-in/${module}.mjs`, import.meta.url).href);
  const source = [
    `#!${process.execPath}`,
    `Promise.all([import(${part('program')}), import(${part(name)})]).then(([{ play }, { ${name} }]) =>`,
    `  play({ file: ${JSON.stringify(file)}, act: ${name}, args: process.argv.slice(2) }));`,
    '',
  ];
  writeFileSync(join(folder, PROGRAMS[name]), source.join('\n'), { mode: 0o755 });
}

async function serve(file: string): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const received = { method: request.method, path: request.url, body: body === '' ? undefined : JSON.parse(body) };
    // A log is at another address, which must not get the login.
    const isAllowed =
      request.headers.authorization === (received.path?.startsWith('/logs/') ? undefined : 'Bearer stand-in-token');
    if (!isAllowed) {
      response.writeHead(401).end('{"error":{"message":"no login"}}');
      return;
    }
    const reply = answer(file, received, bitbucket);
    if ('hang' in reply) return;
    response.writeHead(reply.status, { 'Content-Type': 'application/json', ...reply.headers });
    response.end('text' in reply ? String(reply.text) : JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
