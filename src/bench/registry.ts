import type { BenchKind } from '../schema/model.ts';
import type { BenchTask } from './bench-task.ts';
import { code } from './code.ts';
import { longContext } from './long-context.ts';
import { multimodal } from './multimodal.ts';
import { review } from './review.ts';
import { security } from './security.ts';

/** The task of each kind of benchmark. */
export const BENCH_TASKS: Readonly<Record<BenchKind, BenchTask>> = {
  code,
  review,
  security,
  'long-context': longContext,
  multimodal,
};

/** Why an agent does not support a kind of benchmark, if it does not; that is not a failure of its model. */
export function unsupported(
  kind: BenchKind,
  { scripted, pictures }: { scripted: boolean; pictures: boolean },
): string | undefined {
  if (scripted) return 'not supported: a rehearsal calls no model';
  return kind === 'multimodal' && !pictures ? 'not supported: it is not known to read pictures' : undefined;
}
