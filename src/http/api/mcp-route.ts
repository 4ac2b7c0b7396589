import type { HttpBindings } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Hono } from 'hono';
import type { Caller } from '../../access/caller.ts';
import { AppError } from '../../errors.ts';
import { OperatorTools } from '../../mcp/operator-tools.ts';
import { toolServer } from '../../mcp/tool-server.ts';
import type { OperationInput, OperationName } from '../../operations/all.ts';
import type { Origin } from '../../schema/actor.ts';
import type { World } from '../../world.ts';
import type { HttpEnv } from '../bindings.ts';
import type { Identity } from '../login/access.ts';
import { readJson } from './json-body.ts';
import { problemResponse } from './problem.ts';

type McpOptions = {
  caller: Caller;
  world: World;
  identityOf(incoming: HttpBindings['incoming']): Identity | undefined;
  agentOf?(incoming: HttpBindings['incoming']): Origin | undefined;
  requireKnownFolder(caller: Caller, dir: unknown): Promise<void>;
};

/** The tools of a person's assistant over streamable HTTP: each request stands for itself, behind the login of all routes. */
export function addMcpRoute(app: Hono<HttpEnv>, options: McpOptions): void {
  const tools = new OperatorTools(options.world);
  app.post('/mcp', async (c) => {
    const { incoming } = c.env;
    const identity = options.identityOf(incoming);
    if (identity === undefined) throw new AppError('LOGIN_NEEDED', 'Log in first');
    const { role } = identity;
    if (role === 'guest') throw new AppError('VIEWERS_ONLY_LOOK', 'A guest has no tools');
    const agent = options.agentOf?.(incoming)?.actor;
    if (agent?.kind === 'agent') {
      const { attempt } = agent;
      // The run may have ended; the request is refused in any case.
      await options.caller.call('record-refusal', { what: 'the tools of a person', by: { attempt } }).catch(() => {});
      throw new AppError('CALLED_BY_AGENT', 'The tools of a person are not for programs of an attempt');
    }
    const program = /^[\w.-]{1,60}/.exec(incoming.headers['user-agent'] ?? '')?.[0] ?? 'unknown';
    const source = tools.source({
      role,
      call: async (operation, input, { name = program, signal }) => {
        if (role !== 'operator') await options.requireKnownFolder(options.caller, input.dir);
        const actor = { kind: 'assistant' as const, name, person: role };
        // The operation checks its input where it is run, the same for every entry point.
        return options.caller.call(operation, input as OperationInput<OperationName>, {
          origin: { actor, via: 'mcp' },
          signal,
        });
      },
    });
    const handler = createMcpHandler(() => toolServer(source));
    return handler.fetch(c.req.raw, { parsedBody: await readJson(incoming) });
  });
  app.all('/mcp', (c) =>
    problemResponse(new AppError('METHOD_UNKNOWN', `/mcp accepts POST, not ${c.req.method}`), { allow: 'POST' }),
  );
}
