import type { TasksOutput } from '../../schema/output.ts';
import { ProjectPath, WorkId, type WorkTask } from '../../schema/work-file.ts';

type Listed = TasksOutput['tasks'][number];
/** A task of a list, its id fit for a file; the role is only for workflows. */
export type ListedTask = Omit<WorkTask, 'role'> & { role: NonNullable<Listed['role']> };

const LONGEST_ID = 60;

/** The tasks that an agent listed, as files and runs take them: ids are safe and unique, paths lie inside the project. */
export function listedTasks({ tasks }: TasksOutput): ListedTask[] {
  const ids = safeIds(tasks);
  return tasks.map(({ id, title, description, needs, files, check, role }) => ({
    id: ids.get(id) ?? id,
    title: title.replaceAll(/\s+/g, ' '),
    description,
    files: [...new Set((files ?? []).map((file) => file.replace(/^(\.\/)+/, '')).filter(isInside))],
    needs: [...new Set(needs.flatMap((need) => ids.get(need) ?? []))],
    role: role ?? 'implement',
    ...(check === undefined ? {} : { check }),
  }));
}

function safeIds(tasks: readonly Listed[]): Map<string, string> {
  const used = new Set<string>();
  const ids = new Map<string, string>();
  for (const [index, { id, title }] of tasks.entries()) {
    const preferred =
      [slug(id), slug(title), `task-${index + 1}`].find((name) => WorkId.safeParse(name).success) ?? 'task';
    let name = preferred;
    for (let copy = 2; used.has(name); copy += 1) name = `${preferred}-${copy}`;
    used.add(name);
    ids.set(id, name);
  }
  return ids;
}

function slug(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
    .replaceAll(/\.{2,}/g, '.')
    .slice(0, LONGEST_ID)
    .replaceAll(/^[^\p{L}\p{N}_]+|[.-]+$/gu, '');
}

function isInside(path: string): boolean {
  return ProjectPath.safeParse(path).success;
}
