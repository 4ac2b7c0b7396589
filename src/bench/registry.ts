import type { AgentKind } from '../schema/config/agent.ts';
import type { BenchKind } from '../schema/model.ts';
import type { BenchTask } from './bench-task.ts';
import { code } from './code.ts';
import { longContext } from './long-context.ts';
import { multimodal } from './multimodal.ts';
import { review } from './review.ts';
import { security } from './security.ts';

/** Agents that are known to show a picture in the workspace to their model. */
const SEEING: ReadonlySet<AgentKind> = new Set<AgentKind>(['claude', 'codex', 'gemini']);

/** The task of each kind of benchmark. */
export const BENCH_TASKS: Readonly<Record<BenchKind, BenchTask>> = {
  code,
  review,
  security,
  'long-context': longContext,
  multimodal,
};

/** Why an agent does not support a kind of benchmark, if it does not; that is not a failure of its model. */
export function unsupported(kind: BenchKind, agent: AgentKind): string | undefined {
  if (agent === 'rehearsal') return 'not supported: a rehearsal asks no model';
  return kind === 'multimodal' && !SEEING.has(agent) ? 'not supported: it is not known to take pictures' : undefined;
}
