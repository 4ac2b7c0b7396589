import { TitleAnswer } from '../../schema/call.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { smallCall } from './small-call.ts';

/** What stands at the end of a title that is only the beginning of a longer text. */
const CUT = '…';

/** Finds a title for a run that was given none and whose text is too long to be one; until then it has its beginning. */
export async function nameRun(ctx: EngineContext, run: ActiveRun): Promise<void> {
  const { start, status } = run.ledger.state;
  if (status.kind !== 'running' || !start.title.endsWith(CUT)) return;
  if (start.title !== run.recipe.title(start.input)) return;
  await smallCall(ctx, run, {
    kind: 'title',
    input: requestOf(start.input),
    schema: TitleAnswer,
    rules: () => ({ title: start.title }),
  });
}

/** What the person wrote, whatever the recipe calls it. */
function requestOf(input: unknown): string {
  const fields = typeof input === 'object' && input !== null ? input : {};
  const text = 'goal' in fields ? fields.goal : 'task' in fields ? fields.task : undefined;
  return typeof text === 'string' ? text : JSON.stringify(input);
}
