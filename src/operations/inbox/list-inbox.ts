import type { Operation } from '../operation.ts';

/** Lists what waits for a person in every project, what has waited longest first. */
export const listInbox: Operation<'list-inbox'> = async (ports, { dir, project }) => {
  const wanted = dir === undefined ? project : (await ports.work.project(dir)).id;
  return ports.overviews
    .all()
    .filter(({ projectId }) => wanted === undefined || projectId === wanted)
    .flatMap(({ run, title, project: root, projectId, recipe, attention }) =>
      attention.map((item) => ({ ...item, run, title, project: root, projectId, recipe })),
    )
    .sort((a, b) => a.since.localeCompare(b.since));
};
