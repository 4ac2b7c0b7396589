import { z } from 'zod';

const Repo = z.object({ full_name: z.string() }).nullable();

/** GitHub's pull request in our format. */
export const Pull = z
  .object({
    number: z.number().int().positive(),
    node_id: z.string().default(''),
    title: z.string(),
    html_url: z.url(),
    state: z.enum(['open', 'closed']),
    merged_at: z.string().nullable().default(null),
    draft: z.boolean().default(false),
    user: z.object({ login: z.string() }).nullable(),
    head: z.object({ ref: z.string(), sha: z.string(), repo: Repo }),
    base: z.object({ ref: z.string(), repo: Repo }),
    body: z.string().nullable().default(null),
  })
  .transform((pull) => ({
    id: pull.node_id,
    number: pull.number,
    title: pull.title,
    url: pull.html_url,
    state:
      pull.state === 'open' ? ('open' as const) : pull.merged_at === null ? ('closed' as const) : ('merged' as const),
    draft: pull.draft,
    author: pull.user?.login ?? 'unknown',
    head: { branch: pull.head.ref, commit: pull.head.sha },
    base: pull.base.ref,
    fork: pull.head.repo?.full_name !== pull.base.repo?.full_name,
    body: pull.body ?? '',
  }));

export const Pulls = z.array(Pull);

/** CI results of apps. A skipped or neutral check passes. */
export const CheckRuns = z
  .object({
    check_runs: z.array(z.object({ name: z.string(), status: z.string(), conclusion: z.string().nullable() })),
  })
  .transform(({ check_runs }) =>
    check_runs.map(({ name, status, conclusion }) => ({ name, state: stateOf(status, conclusion) })),
  );

function stateOf(status: string, conclusion: string | null): 'pass' | 'fail' | 'pending' {
  if (status !== 'completed') return 'pending';
  return ['success', 'neutral', 'skipped'].includes(conclusion ?? '') ? 'pass' : 'fail';
}

/** CI results as commit statuses. */
export const Statuses = z
  .object({ statuses: z.array(z.object({ context: z.string(), state: z.string() })) })
  .transform(({ statuses }) =>
    statuses.map(({ context, state }) => ({
      name: context,
      state: state === 'success' ? ('pass' as const) : state === 'pending' ? ('pending' as const) : ('fail' as const),
    })),
  );

export const Reviews = z
  .array(
    z.object({ user: z.object({ login: z.string() }).nullable(), state: z.string(), commit_id: z.string().nullable() }),
  )
  .transform((reviews) =>
    reviews.map(({ user, state, commit_id }) => ({ user: user?.login, state, commit: commit_id })),
  );

export const Comments = z.array(z.object({ body: z.string().nullable() }));
export const User = z.object({ login: z.string() });
export const Commented = z.object({ id: z.number() });
export const Approved = z.object({ state: z.literal('APPROVED') });
export const Merged = z.object({ merged: z.literal(true) });
/** A failed mutation also answers 200, but has errors. */
export const Mutated = z.object({ data: z.unknown(), errors: z.array(z.unknown()).max(0).optional() });

/** Runs of workflows, the newest first. */
export const WorkflowRuns = z
  .object({ workflow_runs: z.array(z.object({ id: z.number(), head_sha: z.string() })) })
  .transform(({ workflow_runs }) => workflow_runs.map(({ id, head_sha }) => ({ id, commit: head_sha })));

export const WorkflowJobs = z
  .object({
    jobs: z.array(
      z.object({ id: z.number(), name: z.string(), status: z.string(), conclusion: z.string().nullable() }),
    ),
  })
  .transform(({ jobs }) =>
    jobs.map(({ id, name, status, conclusion }) => ({ id: String(id), name, state: stateOf(status, conclusion) })),
  );
