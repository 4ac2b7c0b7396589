import { z } from 'zod';

/** A gate as a task asks for it. The text of a command is from trusted config, a flag, or the base; never from an agent. */
export const GateSpec = z.discriminatedUnion('gate', [
  z.object({ gate: z.literal('changed'), name: z.string().default('changed') }),
  z.object({
    gate: z.literal('command'),
    name: z.string(),
    run: z.union([z.string().min(1), z.array(z.string()).min(1)]),
    timeoutMs: z.number().int().positive().default(600_000),
  }),
  z.object({ gate: z.literal('handoff'), name: z.string().default('handoff') }),
]);
export type GateSpec = z.infer<typeof GateSpec>;

/** `held`: neither passed nor failed, a person decides. `error`: the gate itself could not run; never counts as passed. */
export const Verdict = z.enum(['pass', 'fail', 'held', 'error']);
export type Verdict = z.infer<typeof Verdict>;

/** What a gate found, bound to exactly one tree, gate definition and set-up. */
export const Evidence = z.object({
  gate: z.string(),
  verdict: Verdict,
  tree: z.string(),
  definition: z.string(),
  setup: z.string(),
  summary: z.string(),
  exitCode: z.number().int().nullable(),
  durationMs: z.number().nonnegative(),
  output: z.string().optional(),
  reused: z.boolean().default(false),
});
export type Evidence = z.infer<typeof Evidence>;
