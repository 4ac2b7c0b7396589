import { z } from 'zod';

/** The default port of `serve`. */
export const DEFAULT_PORT = 4747;

/** How the dashboard and the API are served. */
export const ServerConfig = z
  .strictObject({
    port: z.number().int().min(0).max(65_535).default(DEFAULT_PORT).describe('0: any free one.'),
    host: z.string().min(1).default('127.0.0.1').describe('The address to listen on.'),
    allowRemote: z
      .boolean()
      .default(false)
      .describe('Listen on an address that other machines reach. Who has a token can then steer every agent here.'),
    names: z
      .array(z.string().regex(/^[a-zA-Z0-9.-]+(:\d{1,5})?$/))
      .default([])
      .describe('Names of this machine by which browsers may call the server, such as box.local or localhost:8080.'),
    withRuns: z
      .enum(['terminal', 'always', 'never'])
      .default('terminal')
      .describe('When commands that work on a run also show the dashboard; terminal: when they run on one.'),
  })
  .prefault({})
  .describe('The server. Only your own settings file counts here, not that of a project.');
export type ServerConfig = z.infer<typeof ServerConfig>;
