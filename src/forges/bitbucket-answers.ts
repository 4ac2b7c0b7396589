import { z } from 'zod';

const STATES = { OPEN: 'open', MERGED: 'merged', DECLINED: 'closed', SUPERSEDED: 'closed' } as const;
const Side = z.object({
  branch: z.object({ name: z.string() }),
  commit: z.object({ hash: z.string() }).nullable(),
  repository: z.object({ full_name: z.string() }).nullable(),
});
const Who = z.object({
  uuid: z.string().optional(),
  nickname: z.string().optional(),
  display_name: z.string().optional(),
});

/** Bitbucket's pull request in our format. */
export const Pull = z
  .object({
    id: z.number().int().positive(),
    title: z.string(),
    links: z.object({ html: z.object({ href: z.url() }) }),
    state: z.enum(['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED']),
    draft: z.boolean().default(false),
    author: Who.nullable(),
    source: Side,
    destination: Side,
    description: z.string().nullable().default(null),
    participants: z.array(z.object({ user: Who, approved: z.boolean() })).default([]),
  })
  .transform((pull) => ({
    number: pull.id,
    title: pull.title,
    url: pull.links.html.href,
    state: STATES[pull.state],
    draft: pull.draft,
    author: pull.author?.nickname ?? pull.author?.display_name ?? 'unknown',
    head: { branch: pull.source.branch.name, commit: pull.source.commit?.hash ?? '' },
    base: pull.destination.branch.name,
    fork: pull.source.repository?.full_name !== pull.destination.repository?.full_name,
    body: pull.description ?? '',
    approvedBy: pull.participants.filter(({ approved }) => approved).map(({ user }) => user.uuid),
  }));

export const Pulls = z.object({ values: z.array(Pull) }).transform(({ values }) => values);

/** CI results at Bitbucket. */
export const Statuses = z
  .object({ values: z.array(z.object({ name: z.string().nullish(), key: z.string(), state: z.string() })) })
  .transform(({ values }) =>
    values.map(({ name, key, state }) => ({
      name: name ?? key,
      state:
        state === 'SUCCESSFUL' ? ('pass' as const) : state === 'INPROGRESS' ? ('pending' as const) : ('fail' as const),
    })),
  );

export const Approved = z.object({ approved: z.literal(true) });
export const User = z.object({ uuid: z.string(), display_name: z.string().default('') });
export const Comments = z.object({ values: z.array(z.object({ content: z.object({ raw: z.string() }) })) });
export const Commented = z.object({ id: z.number() });

/** Pipelines, the newest first. */
export const Pipelines = z
  .object({
    values: z.array(
      z.object({
        uuid: z.string(),
        target: z.object({ ref_name: z.string().nullish(), commit: z.object({ hash: z.string() }).nullish() }),
      }),
    ),
  })
  .transform(({ values }) =>
    values.map(({ uuid, target }) => ({ uuid, branch: target.ref_name ?? '', commit: target.commit?.hash ?? '' })),
  );

export const Steps = z
  .object({
    values: z.array(
      z.object({
        uuid: z.string(),
        name: z.string().nullish(),
        state: z.object({ result: z.object({ name: z.string() }).nullish() }).nullish(),
      }),
    ),
  })
  .transform(({ values }) =>
    values.map(({ uuid, name, state }) => ({ uuid, name: name ?? uuid, state: stepState(state?.result?.name) })),
  );

function stepState(result: string | undefined): 'pass' | 'fail' | 'pending' {
  if (result === undefined) return 'pending';
  return ['SUCCESSFUL', 'NOT_RUN', 'SKIPPED'].includes(result) ? 'pass' : 'fail';
}
