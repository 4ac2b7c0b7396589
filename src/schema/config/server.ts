import { z } from 'zod';

/** The default port of `serve`. */
export const DEFAULT_PORT = 4747;

/** How the dashboard and the API are served. */
export const ServerConfig = z
  .strictObject({
    port: z
      .number()
      .int()
      .min(0)
      .max(65_535)
      .default(DEFAULT_PORT)
      .describe('The port to listen on; 0: any free port.'),
    host: z.string().min(1).default('127.0.0.1').describe('The address to listen on.'),
    allowRemote: z
      .boolean()
      .default(false)
      .describe(
        'Allow an address that other machines can reach. Anyone with a token can then control every agent here.',
      ),
    names: z
      .array(z.string().regex(/^[a-zA-Z0-9.-]+(:\d{1,5})?$/))
      .default([])
      .describe('Host names under which browsers may call the server, such as box.local or localhost:8080.'),
    withRuns: z
      .enum(['terminal', 'always', 'never'])
      .default('terminal')
      .describe('When commands that start or continue a run also serve the dashboard; terminal: only in a terminal.'),
  })
  .prefault({})
  .describe('The server. Read only from your own settings file, not from that of a project.');
export type ServerConfig = z.infer<typeof ServerConfig>;
