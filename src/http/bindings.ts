import type { HttpBindings } from '@hono/node-server';

/** What every handler gets beside the request: the connection itself, for what is written as it comes. */
export type HttpEnv = { Bindings: HttpBindings };
