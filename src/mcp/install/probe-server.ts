import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { AppError, messageOf } from '../../errors.ts';
import { startConversation } from '../../process/conversation.ts';
import type { World } from '../../world.ts';
import type { ServerEntry } from './assistants.ts';

/** What an assistant sees of a server: its tools, or why it cannot use it. */
export type ProbeResult = { ok: true; tools: string[] } | { ok: false; reason: string };

const Listed = z.object({ id: z.literal(2), result: z.object({ tools: z.array(z.object({ name: z.string() })) }) });
const ANSWER_MS = 20_000;
const GRACE_MS = 2_000;
const REQUESTS = [
  {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'manyhands-doctor', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list', params: {} },
];

/** Starts a server as an assistant does, and lists its tools. */
export async function probeServer(
  entry: ServerEntry,
  { env, cwd, world }: { env: NodeJS.ProcessEnv; cwd: string; world: World },
): Promise<ProbeResult> {
  try {
    const server = await startConversation(
      [entry.command, ...entry.args],
      { cwd, env: { ...variables(env), ...entry.env } },
      world,
    );
    const errors: string[] = [];
    server.errors.on('data', (chunk) => errors.push(String(chunk)));
    const lines = createInterface({ input: server.output });
    const answered = once(lines, 'tools');
    lines.on('line', (line) => {
      const listed = Listed.safeParse(parseJson(line));
      if (listed.success) lines.emit('tools', listed.data.result.tools);
    });
    for (const request of REQUESTS) server.input.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
    const late = Promise.withResolvers<never>();
    const cancel = world.alarm(world.now() + ANSWER_MS, () =>
      late.reject(new AppError('INTERNAL', 'it does not answer')),
    );
    const ended = server.ended.then(({ code }): never => {
      throw new AppError('INTERNAL', `it ended with ${code}: ${errors.join('').trim().slice(-300)}`);
    });
    try {
      const [tools] = await Promise.race([answered, ended, late.promise]);
      return {
        ok: true,
        tools: z
          .array(z.object({ name: z.string() }))
          .parse(tools)
          .map(({ name }) => name),
      };
    } finally {
      cancel();
      // It ends as it should from here on.
      ended.catch(() => {});
      await server.finish(GRACE_MS);
    }
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}

function variables(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Safe: a line that is not JSON is no answer.
    return undefined;
  }
}
