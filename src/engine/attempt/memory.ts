import { bestEntries } from '../../core/project/knowledge.ts';
import type { TaskState } from '../../core/run/state.ts';
import { promptText } from '../../roles/prompt.ts';
import { BY_ENGINE } from '../../schema/actor.ts';
import { type KnowledgeEntry, knowledgeStream } from '../../schema/coordination/knowledge.ts';
import { crashpoint } from '../../world.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';

/** About 2,000 tokens. */
const MOST_CHARACTERS = 8_000;

/** The section of a prompt with what is known and fits the task, quoted as data; recorded for the attempt. Empty where nothing fits. */
export async function memorySection(
  ctx: EngineContext,
  run: ActiveRun,
  { task, attempt }: { task: TaskState; attempt: string },
): Promise<string> {
  const { knowledge } = ctx.coordination;
  const scopes = ['project', 'everywhere'] as const;
  const known = await Promise.all(scopes.map((scope) => knowledge.current(knowledgeStream(scope, run.project.id))));
  const entries = known.flatMap((state) => Object.values(state.entries));
  const chosen = fitting(bestEntries(entries, `${task.spec.title} ${task.spec.prompt}`));
  if (chosen.length === 0) return '';
  const given = { run: run.id, task: task.spec.key, attempt, entries: chosen.map(({ id }) => id) };
  crashpoint('knowledge.giving');
  await knowledge.ledgers.update(
    knowledgeStream('project', run.project.id),
    ({ given: before }) =>
      before.some((each) => each.attempt === attempt) ? [] : [{ type: 'knowledge.given', data: given }],
    BY_ENGINE,
  );
  crashpoint('knowledge.given');
  return `\n${promptText('roles/sections/memory', { entries: chosen.map(quoted).join('\n\n') }).trim()}\n`;
}

function fitting(entries: readonly KnowledgeEntry[]): KnowledgeEntry[] {
  let left = MOST_CHARACTERS;
  return entries.filter((entry) => {
    const size = quoted(entry).length + 2;
    if (size > left) return false;
    left -= size;
    return true;
  });
}

/** Every line is quoted, so that none of it can look like a part of the prompt. */
function quoted({ id, title, text }: KnowledgeEntry): string {
  return [`[${id}] ${title}`, ...text.split('\n')].map((line) => `> ${line.replaceAll('\r', '')}`).join('\n');
}
