import type { App } from '../../app.ts';
import { bestEntries } from '../../core/project/knowledge.ts';
import { AppError } from '../../errors.ts';
import { type KnowledgeEntry, knowledgeStream } from '../../schema/coordination/knowledge.ts';

/** The entries of a project and of all projects: newest first, or with a query the best match first (only those that are kept). */
export async function findEntries(
  app: App,
  { project, query }: { project: string; query?: string | undefined },
): Promise<KnowledgeEntry[]> {
  const scopes = ['project', 'everywhere'] as const;
  const states = await Promise.all(scopes.map((scope) => app.knowledge.current(knowledgeStream(scope, project))));
  const entries = states.flatMap((state) => Object.values(state.entries));
  return query === undefined ? entries.sort((a, b) => b.at - a.at) : bestEntries(entries, query);
}

/** The entry with an id, or the only one whose id begins with it, and its stream. */
export async function findEntry(
  app: App,
  { project, id }: { project: string; id: string },
): Promise<{ entry: KnowledgeEntry; stream: string }> {
  for (const scope of ['project', 'everywhere'] as const) {
    const stream = knowledgeStream(scope, project);
    const { entries } = await app.knowledge.current(stream);
    const found = Object.values(entries).filter((entry) => entry.id === id || entry.id.startsWith(id));
    const [entry] = found.filter((each) => each.id === id || found.length === 1);
    if (entry !== undefined) return { entry, stream };
  }
  throw new AppError(
    'INPUT_INVALID',
    `There is no entry ${id}, or several begin with it; list them with manyhands kb ls`,
    { id },
  );
}
