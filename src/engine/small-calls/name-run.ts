import { TitleAnswer } from '../../schema/call.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { smallCall } from './small-call.ts';

/** The end of a title that is only the beginning of a longer text. */
const CUT = '…';

/** Requests a title for a run that has none and whose text is too long for one; until then the title is the beginning of the text. */
export async function nameRun(ctx: EngineContext, run: ActiveRun): Promise<void> {
  const { start, status } = run.ledger.state;
  if (status.kind !== 'running' || !start.title.endsWith(CUT)) return;
  if (start.title !== run.redact(run.recipe.title(start.input))) return;
  await smallCall(ctx, run, {
    kind: 'title',
    input: requestOf(start.input),
    schema: TitleAnswer,
    rules: () => ({ title: start.title }),
  });
}

/** The text of the request, whatever the recipe calls it. */
function requestOf(input: unknown): string {
  const fields = typeof input === 'object' && input !== null ? input : {};
  const text = 'goal' in fields ? fields.goal : 'task' in fields ? fields.task : undefined;
  return typeof text === 'string' ? text : JSON.stringify(input);
}
