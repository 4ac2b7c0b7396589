import type { HttpBindings } from '@hono/node-server';

/** What every handler gets besides the request: the connection, for streamed answers. */
export type HttpEnv = { Bindings: HttpBindings };
