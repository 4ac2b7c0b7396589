import { z } from 'zod';
import type { RunState } from '../../core/run/state.ts';
import { isOnCandidate } from '../../gates/gate-kinds.ts';
import { GateSpec, TestList, TestResults, Verdict } from '../../schema/gate.ts';
import { GitSource, TranscriptReport } from './attempt-order.ts';

/** An order to run a check in a clean checkout of a commit, as the leader sends it. */
export const CheckOrder = z.object({
  kind: z.literal('check'),
  /** The run without its tasks: settings, project and base. */
  state: z.record(z.string(), z.unknown()).transform((state) => state as unknown as RunState),
  commit: z.string(),
  gate: GateSpec.transform((gate, context) => {
    if (isOnCandidate(gate)) return gate;
    context.addIssue('Only commands are run by hosts');
    return z.NEVER;
  }),
  /** Files that the checkout has as they are in another commit. */
  overlay: z.object({ commit: z.string(), paths: z.array(z.string()) }).optional(),
  isFresh: z.boolean().optional(),
  projectHosts: z.array(z.string()).optional(),
  git: GitSource,
});
export type CheckOrder = z.infer<typeof CheckOrder>;

/** What a host reports about a check. */
export const CheckReport = z.discriminatedUnion('kind', [
  TranscriptReport,
  /** A part of the complete output, in order. */
  z.object({ kind: z.literal('output'), text: z.string() }),
  /** The last line of its output while it runs. */
  z.object({ kind: z.literal('running'), line: z.string() }),
  /** It was not run, and another host or this one may run it: the host stops, or its repository does not answer. */
  z.object({ kind: z.literal('not-run'), reason: z.string() }),
  z.object({
    kind: z.literal('checked'),
    result: z.object({
      verdict: Verdict,
      summary: z.string(),
      exitCode: z.number().int().nullable(),
      setup: z.string(),
      durationMs: z.number().nonnegative(),
      output: z.string().optional(),
      command: z.string().optional(),
      outputLines: z.number().int().nonnegative().optional(),
      tests: TestResults.optional(),
      testList: TestList.optional(),
    }),
  }),
]);
export type CheckReport = z.infer<typeof CheckReport>;
