import { z } from 'zod';
import type { App } from '../../app.ts';
import { redactForms } from '../../core/redact.ts';
import { openProject } from '../../engine/start/open-run.ts';
import { AppError } from '../../errors.ts';
import type { Mirror } from '../../git/mirror/mirror.ts';
import { pushBranch } from '../../git/push/push.ts';
import { inspectRepository, type Repository } from '../../git/read/repository.ts';
import { readRef } from '../../git/refs/mirror-refs.ts';
import { findProject, findRun, type ProjectRef, type Ref, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { mirrorOf, SAVED_REF, savedWork } from './project-mirror.ts';

/** Puts saved work on a branch of the user's repository; an existing branch is never touched. */
export const restoreSalvage = operation({
  name: 'restore-salvage',
  where: 'anywhere',
  summary: 'Put saved work on a branch of your repository',
  http: 'POST /api/salvage/restore',
  allow: ['operator'],
  input: z.object({
    ...RunRef,
    ref: z.string(),
    branch: z.string().optional(),
    to: z
      .string()
      .optional()
      .describe('A folder of another clone that gets the branch, if the repository was deleted.'),
  }),
  output: z.object({ branch: z.string(), commit: z.string() }),
  run: async (app, input) => {
    const project = await projectOfSaved(app, input);
    const saved = (await savedWork(app, project)).filter(
      (item) => [item.ref, redactForms(item.ref)].includes(input.ref) || item.commit.startsWith(input.ref),
    );
    const [only, second] = [...new Map(saved.map((item) => [item.commit, item])).values()];
    if (only === undefined || (second !== undefined && input.ref.length < 7)) {
      throw new AppError('INPUT_INVALID', `${input.ref} does not identify saved work; list it with manyhands salvage`, {
        ref: input.ref,
      });
    }
    const [, run, ordinal, attempt] = SAVED_REF.exec(only.ref) ?? [];
    const branch = input.branch ?? `mh-tasks/${run ?? 'saved'}/${ordinal ?? only.commit.slice(0, 10)}-${attempt ?? 1}`;
    return restore(await openTarget(app, project, input.to), only.ref, branch);
  },
});

type Target = { mirror: Mirror; repository: Repository };

async function restore(
  { mirror, repository }: Target,
  ref: string,
  branch: string,
): Promise<{ branch: string; commit: string }> {
  const commit = await readRef(mirror, ref);
  if (commit === undefined) throw new AppError('INPUT_INVALID', `There is no saved work ${ref}`, { ref });
  const pushed = await pushBranch({ mirror, repository, commit, branch, expected: null });
  if (pushed.kind === 'pushed') return { branch, commit };
  throw new AppError('BRANCH_TAKEN', `The branch ${branch} could not be created (${pushed.reason}): ${pushed.detail}`, {
    branch,
  });
}

/** The repository that gets the branch: the project's own, unless another clone is given. */
async function openTarget(app: App, project: ProjectRef, to: string | undefined): Promise<Target> {
  if (to === undefined) return openProject(app, project);
  return { mirror: await mirrorOf(app, project), repository: await inspectRepository(to) };
}

/** The project of a ref follows from its run; that of a commit is the project of the folder. */
async function projectOfSaved(app: App, { ref, dir, run: requestedRun }: Ref & { ref: string }): Promise<ProjectRef> {
  const named = SAVED_REF.exec(ref)?.[1];
  const run = requestedRun ?? (named !== undefined && app.runs.ids().includes(named) ? named : undefined);
  return run === undefined ? findProject(app, { dir }) : (await findRun(app, { run })).start.project;
}
