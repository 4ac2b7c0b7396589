import type { z } from 'zod';
import { combineChecks, DONE, ignoreValue, ofBranch } from './answers.ts';
import type { Answer, CiJob, Forge } from './forge.ts';
import { type ForgeProgram, programEnvironment, programLogin, programRest } from './forge-program.ts';
import {
  Approved,
  CheckRuns,
  Commented,
  Comments,
  Merged,
  Mutated,
  Pull,
  Pulls,
  Reviews,
  Statuses,
  User,
  WorkflowJobs,
  WorkflowRuns,
} from './github-answers.ts';
import { type RestRequest, requestJson, requestText } from './rest.ts';

export type ProgramForge = { host: string; repo: string; env: NodeJS.ProcessEnv; timeoutMs?: number };

const OWN_VARIABLES = /^(GH_|GITHUB_TOKEN$|GITHUB_ENTERPRISE_TOKEN$)/;
const READY =
  'mutation($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId } }';
/** A repository may disable some merge methods: the first allowed one is used. */
const METHODS = ['merge', 'squash', 'rebase'] as const;

/** GitHub and GitHub Enterprise, through the program gh, which has the login. */
export function githubForge({ host, repo, env, timeoutMs }: ProgramForge): Forge {
  const program: ForgeProgram = {
    forge: host === 'github.com' ? 'GitHub' : `GitHub (${host})`,
    command: 'gh',
    host,
    env: programEnvironment(env, OWN_VARIABLES),
    install: 'install gh, the GitHub CLI (https://cli.github.com), then gh auth login',
    logIn: host === 'github.com' ? 'gh auth login' : `gh auth login --hostname ${host}`,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  const rest = programRest(program);
  const remedies = { forge: program.forge, logIn: program.logIn, repo };
  const [owner = ''] = repo.split('/');
  const root = `repos/${repo.split('/').map(encodeURIComponent).join('/')}`;
  const call = <S extends z.ZodType>(request: RestRequest & { schema: S }, signal: AbortSignal) =>
    requestJson(rest, { ...request, remedies }, signal);
  const get = <S extends z.ZodType>(path: string, schema: S, signal: AbortSignal) =>
    call({ method: 'GET', path, schema }, signal);
  const view = (number: number, signal: AbortSignal) => get(`${root}/pulls/${number}`, Pull, signal);

  return {
    name: 'github',
    repo,
    terms: { noun: 'pull request', mark: '#' },
    login: (signal) => programLogin(program, signal),
    find: async (branch, signal) => {
      const query = new URLSearchParams({ head: `${owner}:${branch}`, state: 'open', per_page: '100' });
      return ofBranch(await get(`${root}/pulls?${query}`, Pulls, signal), branch);
    },
    list: (signal) => get(`${root}/pulls?state=open&per_page=100`, Pulls, signal),
    view,
    create: async (pullRequest, signal) => {
      const create = (body: typeof pullRequest) =>
        call({ method: 'POST', path: `${root}/pulls`, body, schema: Pull }, signal);
      const created = await create(pullRequest);
      const hasNoDrafts =
        !created.ok && pullRequest.draft && /draft pull requests are not supported/i.test(created.failure.message);
      return hasNoDrafts ? create({ ...pullRequest, draft: false, title: `Draft: ${pullRequest.title}` }) : created;
    },
    update: async (number, { body, draft }, signal) => {
      const path = `${root}/pulls/${number}`;
      const changed = await call({ method: 'PATCH', path, body: { body }, schema: Pull }, signal);
      if (!changed.ok || draft || !changed.value.draft) return changed.ok ? DONE : changed;
      const variables = { id: changed.value.id };
      return ignoreValue(
        await call({ method: 'POST', path: 'graphql', body: { query: READY, variables }, schema: Mutated }, signal),
      );
    },
    checks: async ({ head }, signal) => {
      const runs = await get(`${root}/commits/${head.commit}/check-runs?per_page=100`, CheckRuns, signal);
      if (!runs.ok) return runs;
      const statuses = await get(`${root}/commits/${head.commit}/status?per_page=100`, Statuses, signal);
      return statuses.ok ? { ok: true, value: combineChecks([...runs.value, ...statuses.value]) } : statuses;
    },
    isApproved: async ({ number, head }, signal) => {
      const user = await get('user', User, signal);
      const reviews = await get(`${root}/pulls/${number}/reviews?per_page=100`, Reviews, signal);
      if (!reviews.ok) return reviews;
      const who = user.ok ? user.value.login : undefined;
      const ownReviews = reviews.value.filter((review) => review.user === who && review.commit === head.commit);
      return { ok: true, value: who !== undefined && ownReviews.at(-1)?.state === 'APPROVED' };
    },
    approve: async ({ number, head }, signal) => {
      const body = { event: 'APPROVE', commit_id: head.commit };
      return ignoreValue(
        await call({ method: 'POST', path: `${root}/pulls/${number}/reviews`, body, schema: Approved }, signal),
      );
    },
    merge: async ({ number, head }, signal) => {
      let answer: Answer<void> = DONE;
      for (const method of METHODS) {
        const body = { sha: head.commit, merge_method: method };
        answer = ignoreValue(
          await call({ method: 'PUT', path: `${root}/pulls/${number}/merge`, body, schema: Merged }, signal),
        );
        if (answer.ok || !/not allowed on this repository/i.test(answer.failure.message)) return answer;
      }
      return answer;
    },
    comment: async (number, { key, body }, signal) => {
      const path = `${root}/issues/${number}/comments`;
      const existing = await get(`${path}?per_page=100`, Comments, signal);
      if (!existing.ok || existing.value.some((comment) => comment.body?.includes(key))) return ignoreValue(existing);
      return ignoreValue(await call({ method: 'POST', path, body: { body }, schema: Commented }, signal));
    },
    jobs: async (subject, signal) => {
      const filter = 'commit' in subject ? { head_sha: subject.commit } : { branch: subject.branch };
      const query = new URLSearchParams({ ...filter, per_page: '30' });
      const runs = await get(`${root}/actions/runs?${query}`, WorkflowRuns, signal);
      if (!runs.ok) return runs;
      const jobs: CiJob[] = [];
      const [newest] = runs.value;
      for (const { id } of runs.value.filter(({ commit }) => commit === newest?.commit)) {
        const found = await get(`${root}/actions/runs/${id}/jobs?filter=latest&per_page=100`, WorkflowJobs, signal);
        if (!found.ok) return found;
        jobs.push(...found.value);
      }
      return { ok: true, value: jobs };
    },
    jobLog: ({ id }, signal) => requestText(rest, { path: `${root}/actions/jobs/${id}/logs`, remedies }, signal),
    headRef: ({ number }) => `refs/pull/${number}/head`,
  };
}
