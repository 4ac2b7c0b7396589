import { z } from 'zod';
import type { ForgeChecks } from './forge.ts';

const STATES = { opened: 'open', locked: 'open', closed: 'closed', merged: 'merged' } as const;

/** The state of each pipeline status; others are pending. */
const PIPELINE: Record<string, ForgeChecks['state']> = {
  success: 'pass',
  skipped: 'none',
  failed: 'fail',
  canceled: 'fail',
};

/** GitLab's merge request in our format. */
export const MergeRequest = z
  .object({
    iid: z.number().int().positive(),
    title: z.string(),
    web_url: z.url(),
    state: z.enum(['opened', 'closed', 'merged', 'locked']),
    draft: z.boolean().default(false),
    author: z.object({ username: z.string() }).nullable(),
    source_branch: z.string(),
    target_branch: z.string(),
    source_project_id: z.number().nullable(),
    target_project_id: z.number().nullable(),
    sha: z.string().nullable(),
    description: z.string().nullable().default(null),
    head_pipeline: z.object({ status: z.string() }).nullable().optional(),
  })
  .transform((request) => ({
    number: request.iid,
    title: request.title,
    url: request.web_url,
    state: STATES[request.state],
    draft: request.draft,
    author: request.author?.username ?? 'unknown',
    head: { branch: request.source_branch, commit: request.sha ?? '' },
    base: request.target_branch,
    fork: request.source_project_id !== request.target_project_id,
    body: request.description ?? '',
    pipeline: pipelineOf(request.head_pipeline?.status),
  }));

export const MergeRequests = z.array(MergeRequest);
export const Approvals = z.object({ user_has_approved: z.boolean() });
export const Approved = z.object({ approved_by: z.array(z.unknown()).min(1) });
export const Merged = z.object({ iid: z.number(), state: z.string() });
export const Notes = z.array(z.object({ body: z.string() }));
export const Noted = z.object({ id: z.number() });

function pipelineOf(status: string | undefined): ForgeChecks['state'] {
  return status === undefined ? 'none' : (PIPELINE[status] ?? 'pending');
}

/** Pipelines, the newest first. */
export const Pipelines = z.array(z.object({ id: z.number() }));

export const Jobs = z
  .array(z.object({ id: z.number(), name: z.string(), status: z.string(), allow_failure: z.boolean().default(false) }))
  .transform((jobs) =>
    jobs.map(({ id, name, status, allow_failure }) => ({
      id: String(id),
      name: allow_failure ? `${name} (may fail)` : name,
      state: jobState(status),
    })),
  );

function jobState(status: string): 'pass' | 'fail' | 'pending' {
  const state = pipelineOf(status);
  return state === 'none' ? 'pass' : state;
}
