import type { RunEvent, RunEventOf } from '../../schema/event.ts';

type Named = { [T in RunEvent['type']]?: (data: RunEventOf<T>['data']) => (string | undefined)[] };

const NAMED: Named = {
  'run.started': ({ base }) => [base.commit],
  'run.landed': ({ commit, tip, from }) => [commit, tip, from],
  'run.undone': ({ commit, from }) => [commit, from],
  'run.branch-removed': ({ commit }) => [commit],
  'run.rewound': ({ commit }) => [commit],
  'run.caught-up': ({ base, commit }) => [base, commit],
  'run.branch-pushed': ({ commit }) => [commit],
  'attempt.started': ({ base }) => [base],
  'attempt.ended': ({ saved }) => [saved?.commit],
  'task.retrying': ({ from }) => [from?.base, from?.commit],
  'task.landing': ({ commit }) => [commit],
  'task.proposed': ({ candidate }) => [candidate.base, candidate.commit],
  'gate.ended': ({ commit }) => [commit],
  'task.conflicted': ({ onto }) => [onto],
  'task.held': ({ commit }) => [commit],
  'task.blocked': ({ landing }) => [landing?.commit],
  'tasks.landed': ({ from, commit }) => [from, commit],
};

/** The commits that events name, each once: whoever continues the run on another machine needs them. */
export function namedCommits(events: readonly RunEvent[]): string[] {
  return [...new Set(events.flatMap(namedBy))].flatMap((commit) => commit ?? []);
}

function namedBy(event: RunEvent): (string | undefined)[] {
  // The function of a type takes the data of that type, which the compiler does not relate.
  const named = NAMED[event.type] as ((data: RunEvent['data']) => (string | undefined)[]) | undefined;
  return named?.(event.data) ?? [];
}
