import type { z } from 'zod';
import { combineChecks, DONE, ignoreValue, ofBranch } from './answers.ts';
import { Approved, Commented, Comments, Pipelines, Pull, Pulls, Statuses, Steps, User } from './bitbucket-answers.ts';
import type { Forge, ForgeLogin } from './forge.ts';
import { httpRest } from './http-rest.ts';
import { type Rest, type RestRequest, requestJson, requestText } from './rest.ts';

export type BitbucketForge = { repo: string; env: NodeJS.ProcessEnv; timeoutMs?: number };

const BASE_URL = 'https://api.bitbucket.org/2.0';
const LOG_IN = 'create an API token at Bitbucket and set BITBUCKET_TOKEN, or BITBUCKET_EMAIL and BITBUCKET_API_TOKEN';

/** Bitbucket Cloud, through its REST API; the login is in the environment. */
export function bitbucketForge({ repo, env, timeoutMs }: BitbucketForge): Forge {
  const rest = restOf(env, timeoutMs);
  const remedies = { forge: 'Bitbucket', logIn: LOG_IN, repo };
  const repository = `repositories/${repo.split('/').map(encodeURIComponent).join('/')}`;
  const root = `${repository}/pullrequests`;
  const call = <S extends z.ZodType>(request: RestRequest & { schema: S }, signal: AbortSignal) =>
    requestJson(rest, { ...request, remedies }, signal);
  const get = <S extends z.ZodType>(path: string, schema: S, signal: AbortSignal) =>
    call({ method: 'GET', path, schema }, signal);
  const view = (number: number, signal: AbortSignal) => get(`${root}/${number}`, Pull, signal);

  return {
    name: 'bitbucket',
    repo,
    terms: { noun: 'pull request', mark: '#' },
    login: async (signal) => loginOf(await get('user', User, signal)),
    find: async (branch, signal) => {
      const q = `source.branch.name = ${JSON.stringify(branch)} AND state = "OPEN"`;
      return ofBranch(await get(`${root}?${new URLSearchParams({ q, pagelen: '50' })}`, Pulls, signal), branch);
    },
    list: (signal) => get(`${root}?state=OPEN&pagelen=50`, Pulls, signal),
    view,
    create: ({ head, base, title, body, draft }, signal) => {
      const sides = { source: { branch: { name: head } }, destination: { branch: { name: base } } };
      const fields = { ...sides, title, description: body, draft };
      return call({ method: 'POST', path: root, body: fields, schema: Pull }, signal);
    },
    update: async (number, { body, draft }, signal) => {
      const now = await view(number, signal);
      if (!now.ok) return now;
      const fields = { title: now.value.title, description: body, draft: now.value.draft && draft };
      return ignoreValue(await call({ method: 'PUT', path: `${root}/${number}`, body: fields, schema: Pull }, signal));
    },
    checks: async ({ number }, signal) => {
      const answer = await get(`${root}/${number}/statuses?pagelen=100`, Statuses, signal);
      return answer.ok ? { ok: true, value: combineChecks(answer.value) } : answer;
    },
    isApproved: async ({ number }, signal) => {
      const user = await get('user', User, signal);
      const now = await view(number, signal);
      return now.ok ? { ok: true, value: user.ok && now.value.approvedBy.includes(user.value.uuid) } : now;
    },
    approve: async ({ number }, signal) =>
      ignoreValue(
        await call({ method: 'POST', path: `${root}/${number}/approve`, body: {}, schema: Approved }, signal),
      ),
    merge: async ({ number, head }, signal) => {
      const now = await view(number, signal);
      if (!now.ok) return now;
      if (now.value.head.commit !== head.commit) return moved(number);
      return ignoreValue(
        await call({ method: 'POST', path: `${root}/${number}/merge`, body: {}, schema: Pull }, signal),
      );
    },
    comment: async (number, { key, body }, signal) => {
      const path = `${root}/${number}/comments`;
      const existing = await get(`${path}?sort=-created_on&pagelen=100`, Comments, signal);
      if (!existing.ok) return existing;
      if (existing.value.values.some(({ content }) => content.raw.includes(key))) return DONE;
      return ignoreValue(
        await call({ method: 'POST', path, body: { content: { raw: body } }, schema: Commented }, signal),
      );
    },
    jobs: async (subject, signal) => {
      const pipelines = await get(`${repository}/pipelines?sort=-created_on&pagelen=50`, Pipelines, signal);
      if (!pipelines.ok) return pipelines;
      // A pull request shows only the beginning of its commit.
      const newest = pipelines.value.find(({ branch, commit }) =>
        'commit' in subject ? subject.commit !== '' && commit.startsWith(subject.commit) : branch === subject.branch,
      );
      if (newest === undefined) return { ok: true, value: [] };
      const path = `${repository}/pipelines/${encodeURIComponent(newest.uuid)}/steps`;
      const steps = await get(`${path}?pagelen=100`, Steps, signal);
      if (!steps.ok) return steps;
      const value = steps.value.map(({ uuid, ...step }) => ({ ...step, id: `${path}/${encodeURIComponent(uuid)}` }));
      return { ok: true, value };
    },
    jobLog: ({ id }, signal) => requestText(rest, { path: `${id}/log`, remedies }, signal),
    headRef: ({ head, fork }) => (fork ? undefined : `refs/heads/${head.branch}`),
  };
}

/** Without a login no request is sent, and the failure says what to do. */
function restOf(env: NodeJS.ProcessEnv, timeoutMs: number | undefined): Rest {
  const authorization = authorizationOf(env);
  if (authorization === undefined) {
    const failure = { kind: 'auth', message: 'There is no login for Bitbucket', nextStep: LOG_IN } as const;
    return async () => ({ ok: false, failure });
  }
  const baseUrl = env.BITBUCKET_API_URL || BASE_URL;
  return httpRest({ forge: 'Bitbucket', baseUrl, authorization, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
}

function authorizationOf(env: NodeJS.ProcessEnv): string | undefined {
  if (env.BITBUCKET_TOKEN) return `Bearer ${env.BITBUCKET_TOKEN}`;
  const user = env.BITBUCKET_EMAIL || env.BITBUCKET_USERNAME;
  const secret = env.BITBUCKET_API_TOKEN || env.BITBUCKET_APP_PASSWORD;
  return user && secret ? `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` : undefined;
}

/** A repository access token, which has no user, is a login too. */
function loginOf(user: Awaited<ReturnType<typeof requestJson<typeof User>>>): ForgeLogin {
  if (user.ok) return { ok: true, detail: `logged in to Bitbucket as ${user.value.display_name}` };
  const { kind, message, nextStep } = user.failure;
  if (kind === 'auth' && message.includes('403')) return { ok: true, detail: 'a token of Bitbucket is set' };
  return { ok: false, detail: message, nextStep };
}

function moved(number: number) {
  const message = `Pull request #${number} has new commits`;
  return { ok: false, failure: { kind: 'refused', message, nextStep: 'review them, then try again' } } as const;
}
