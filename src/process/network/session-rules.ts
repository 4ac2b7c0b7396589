import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** Where the proxy adds keys: requests below `/<name>/` go to `upstream`, and each placeholder in them becomes its secret. */
const KeyRoute = z.object({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  upstream: z.string(),
  keys: z.array(z.object({ placeholder: z.string().min(8), secret: z.string().min(1) })),
});
export type KeyRoute = z.infer<typeof KeyRoute>;

const Patterns = z.array(z.string()).readonly().optional();

/** The policy of the settings, as the rule engine reads it, and the role for which a session is open. */
const SessionPolicy = z.object({
  role: z.string(),
  lists: z
    .array(
      z
        .array(
          z.object({
            decision: z.enum(['allow', 'ask', 'deny']),
            tool: Patterns,
            path: Patterns,
            command: Patterns,
            host: Patterns,
            role: Patterns,
            reason: z.string().optional(),
            source: z.string(),
          }),
        )
        .readonly(),
    )
    .readonly(),
  granted: z.array(z.string()).readonly().describe('What a person has approved.'),
});
export type SessionPolicy = z.infer<typeof SessionPolicy>;

/** What the programs of one session may reach; each attempt has a session and a socket of its own. */
export const SessionRules = z.object({
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  allow: z.array(
    z.object({
      host: z.string(),
      ports: z.array(z.number().int()).optional(),
      isPrivate: z.boolean().optional(),
      isVendor: z.boolean().optional(),
    }),
  ),
  routes: z.array(KeyRoute),
  policy: SessionPolicy.optional(),
});
export type SessionRules = z.infer<typeof SessionRules>;

/** The requests of a session to one host, and those that were refused. */
const HostUse = z.object({ host: z.string(), requests: z.number().int(), refused: z.number().int() });
export type HostUse = z.infer<typeof HostUse>;

/** What an engine requests of the proxy: one JSON object on a line, answered by one. */
export const ControlRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('open'), session: SessionRules }),
  z.object({ type: z.literal('close'), id: z.string() }),
]);
export type ControlRequest = z.infer<typeof ControlRequest>;

/** `isNew`: the session was not open. */
export const ControlAnswer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('opened'), id: z.string(), isNew: z.boolean() }),
  z.object({ type: z.literal('closed'), id: z.string(), hosts: z.array(HostUse) }),
  z.object({ type: z.literal('error'), message: z.string() }),
]);
export type ControlAnswer = z.infer<typeof ControlAnswer>;

/** The names of files in the proxy's folder. */
export const PROXY_FILES = {
  control: 'control.sock',
  log: 'proxy.log',
  /** Of a session, in a folder with its id; that folder alone is shown in its sandbox. */
  socket: 'proxy.sock',
  /** Of a session: its counts, so that they outlive the proxy. */
  use: (id: string) => `${id}.use.json`,
} as const;

/** Names the proxy of the person's environment to our own; in the environment, because its address may contain a password. */
export const UPSTREAM_VARIABLE = 'MANYHANDS_UPSTREAM_PROXY';

/** The counts of a session from their file. */
export async function readUse(file: string): Promise<HostUse[]> {
  try {
    return HostUse.array().parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // A session without counts, or with counts that were not written to the end, begins at zero.
    return [];
  }
}
