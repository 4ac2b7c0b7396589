import { useOperation } from '../api/use-operation.ts';
import type { Suggestions } from '../form/suggestions.ts';

/** Names that are known in a project: its agents, templates and collections; nothing is asked about a folder while it is typed. */
export function useKnownNames(dir: string, isKnown: boolean): Suggestions {
  const isNamed = { enabled: isKnown, fresh: true };
  const models = useOperation('list-models', { dir }, isNamed).data ?? [];
  const templates = useOperation('list-templates', { dir }, isNamed).data?.templates ?? [];
  const collections = useOperation('list-collections', { dir }, isNamed).data ?? [];
  return {
    agents: models.map(({ agent }) => agent),
    template: templates.map(({ name }) => name),
    collection: collections.map(({ name }) => name),
  };
}
