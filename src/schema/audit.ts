import { z } from 'zod';
import { Origin } from './actor.ts';
import { ContainmentRecord } from './containment.ts';

const At = z.string().describe('ISO time.');

/** What `audit verify` prints with --json. */
export const AuditCheck = z.object({
  intact: z.boolean().describe('Whether no event of these streams contradicts its chain, and the given head holds.'),
  streams: z.array(
    z.object({
      stream: z.string(),
      events: z.number().int(),
      head: z.string().nullable().describe('Its current head in written form; keep it to verify against it later.'),
      broken: z.string().nullable().describe('The first contradiction; null if there is none.'),
    }),
  ),
  against: z
    .object({
      head: z.string(),
      source: z.string().describe('Where the head comes from: head, commit or bundle.'),
      holds: z.boolean(),
      detail: z.string(),
    })
    .nullable()
    .describe('The comparison with a head that was kept elsewhere; null if none was given.'),
  signature: z.string().nullable().describe('Of a bundle: what its signature shows.'),
  notProven: z.array(z.string()).describe('What this check cannot prove.'),
});
export type AuditCheck = z.infer<typeof AuditCheck>;

/** The content of audit.json in an audit bundle. */
export const AuditRecord = z.object({
  format: z.literal(1),
  run: z.string(),
  title: z.string(),
  project: z.string(),
  head: z.string().describe('The chain head that covers all events of this bundle.'),
  requested: z.object({ at: At, by: Origin.nullable(), recipe: z.string(), request: z.string() }),
  permissions: z.object({
    sandbox: z.string(),
    policy: z.array(z.unknown()).describe('The rules of the run, in order.'),
    settings: z.record(z.string(), z.unknown()).describe('Scope, tools and network settings of the run.'),
  }),
  decisions: z
    .array(
      z.object({
        at: At,
        by: z.string(),
        origin: Origin.nullable(),
        about: z.string(),
        decision: z.string(),
        reason: z.string(),
      }),
    )
    .describe('Holds and who answered them, retries, landings, refused calls.'),
  attempts: z.array(
    z.object({
      task: z.string(),
      attempt: z.number().int(),
      role: z.string(),
      access: z.string(),
      agent: z.string(),
      account: z.string().nullable(),
      startedAt: At,
      endedAt: At.nullable(),
      containment: ContainmentRecord.nullable(),
      reached: z.unknown().describe('Requests by host, where they are recorded.'),
      outcome: z.string(),
      commit: z.string().nullable(),
    }),
  ),
  changed: z.object({
    base: z.string(),
    result: z.string().nullable(),
    landed: z.object({ branch: z.string(), commit: z.string(), how: z.string() }).nullable(),
    tasks: z.array(z.object({ task: z.string(), commit: z.string().nullable(), status: z.string() })),
  }),
});
export type AuditRecord = z.infer<typeof AuditRecord>;
