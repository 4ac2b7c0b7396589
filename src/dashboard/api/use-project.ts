import { useSearchParams } from 'wouter';
import type { OperationOutput } from '../../operations/all.ts';
import { MAY_ACT } from './role.ts';
import { useOperation } from './use-operation.ts';

export type KnownProjects = OperationOutput<'list-projects'>;

/** The selected project of a page. */
export type SelectedProject = {
  projects: KnownProjects;
  /** Its folder; undefined while no project is known and the address names none. */
  dir: string | undefined;
  choose(dir: string): void;
  isLoading: boolean;
  error: unknown;
  reload(): void;
};

const KEY = 'manyhands.project';

/**
 * The project that `?dir=` names, else the last selected one, else the repository in which the server was started, else
 * the one with the latest activity.
 */
export function useProject(): SelectedProject {
  const { data, isLoading, error, reload } = useOperation('list-projects', {}, { fresh: true });
  const started = useOperation('current-project', {}, { enabled: MAY_ACT }).data?.project ?? null;
  const [params, setParams] = useSearchParams();
  const projects = withStarted(data ?? [], started);
  const kept = localStorage.getItem(KEY);
  const rootOf = (path: string | null | undefined) => projects.find(({ root }) => root === path);
  const known = rootOf(kept) ?? rootOf(started?.root) ?? projects.find(({ exists }) => exists) ?? projects[0];
  const choose = (dir: string) => {
    localStorage.setItem(KEY, dir);
    setParams((before) => {
      const next = new URLSearchParams(before);
      next.set('dir', dir);
      return next;
    });
  };
  return { projects, dir: params.get('dir') ?? known?.root, choose, isLoading, error, reload };
}

/** The known projects, the latest first, with the repository in which the server was started, which may have no run yet. */
function withStarted(known: KnownProjects, started: { root: string; name: string } | null): KnownProjects {
  const projects = [...known].sort((a, b) => b.lastAt.localeCompare(a.lastAt));
  if (started === null || projects.some(({ root }) => root === started.root)) return projects;
  return [{ ...started, id: started.root, exists: true, runs: 0, lastAt: '', costUsd: 0 }, ...projects];
}
