import { bestEntries } from '../../core/project/knowledge.ts';
import { promptText } from '../../roles/prompt.ts';
import { TriageAnswer } from '../../schema/call.ts';
import { type KnowledgeEntry, knowledgeStream } from '../../schema/coordination/knowledge.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { smallCall } from '../small-calls/small-call.ts';

/** How many known entries a model sees besides those that it judges. */
const MOST_KNOWN = 15;

/**
 * Asks a light model what the learnings of a run that is about to end are worth; the answer is recorded with the run, and
 * counts once the run is verified. Without a model, rules alone decide.
 */
export async function triageLearnings(ctx: EngineContext, run: ActiveRun): Promise<void> {
  const { entries } = ctx.coordination.knowledge.ledgers.state(knowledgeStream('project', run.project.id));
  const all = Object.values(entries);
  const proposed = all.filter(({ status, origin }) => status === 'proposed' && origin?.run === run.id);
  if (proposed.length === 0) return;
  const known = bestEntries(all, proposed.map(({ title, text }) => `${title} ${text}`).join(' ')).slice(0, MOST_KNOWN);
  await smallCall(ctx, run, {
    kind: 'triage',
    // Learnings that come after the run is opened again are another call.
    name: String(proposed.length),
    input: promptText('roles/small-calls/learnings', { proposed: listed(proposed), known: listed(known) }),
    schema: TriageAnswer,
    rules: () => ({ decisions: [] }),
  });
}

function listed(entries: readonly KnowledgeEntry[]): string {
  return entries.map(({ id, title, text }) => `${id}: ${title}\n${text.replaceAll(/^/gm, '> ')}`).join('\n\n');
}
