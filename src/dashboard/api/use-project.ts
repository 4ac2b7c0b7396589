import { useSearchParams } from 'wouter';
import type { OperationOutput } from '../../operations/all.ts';
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

/** The project that `?dir=` names, else the last selected one, else the one with the latest activity. */
export function useProject(): SelectedProject {
  const { data, isLoading, error, reload } = useOperation('list-projects', {}, { fresh: true });
  const [params, setParams] = useSearchParams();
  const projects = [...(data ?? [])].sort((a, b) => b.lastAt.localeCompare(a.lastAt));
  const kept = localStorage.getItem(KEY);
  const known = projects.find(({ root }) => root === kept) ?? projects.find(({ exists }) => exists) ?? projects[0];
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
