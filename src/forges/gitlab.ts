import type { z } from 'zod';
import { DONE, ignoreValue, ofBranch } from './answers.ts';
import type { Forge } from './forge.ts';
import { type ForgeProgram, programEnvironment, programLogin, programRest } from './forge-program.ts';
import type { ProgramForge } from './github.ts';
import {
  Approvals,
  Approved,
  Jobs,
  Merged,
  MergeRequest,
  MergeRequests,
  Noted,
  Notes,
  Pipelines,
} from './gitlab-answers.ts';
import { type RestRequest, requestJson, requestText } from './rest.ts';

const OWN_VARIABLES = /^(GITLAB_|GLAB_)/;
/** GitLab marks a merge request as a draft by its title. */
const DRAFT = /^\s*(\[?draft\]?:?|\(draft\))\s*/i;

/** GitLab, hosted or self-managed, through the program glab, which has the login. */
export function gitlabForge({ host, repo, env, timeoutMs }: ProgramForge): Forge {
  const program: ForgeProgram = {
    forge: host === 'gitlab.com' ? 'GitLab' : `GitLab (${host})`,
    command: 'glab',
    host,
    env: programEnvironment(env, OWN_VARIABLES),
    install: 'install glab, the GitLab CLI (https://gitlab.com/gitlab-org/cli), then glab auth login',
    logIn: host === 'gitlab.com' ? 'glab auth login' : `glab auth login --hostname ${host}`,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  const rest = programRest(program);
  const remedies = { forge: program.forge, logIn: program.logIn, repo };
  const project = `projects/${encodeURIComponent(repo)}`;
  const root = `${project}/merge_requests`;
  const call = <S extends z.ZodType>(request: RestRequest & { schema: S }, signal: AbortSignal) =>
    requestJson(rest, { ...request, remedies }, signal);
  const get = <S extends z.ZodType>(path: string, schema: S, signal: AbortSignal) =>
    call({ method: 'GET', path, schema }, signal);
  const view = (number: number, signal: AbortSignal) => get(`${root}/${number}`, MergeRequest, signal);

  return {
    name: 'gitlab',
    repo,
    terms: { noun: 'merge request', mark: '!' },
    login: (signal) => programLogin(program, signal),
    find: async (branch, signal) => {
      const query = new URLSearchParams({ source_branch: branch, state: 'opened', per_page: '100' });
      return ofBranch(await get(`${root}?${query}`, MergeRequests, signal), branch);
    },
    list: (signal) => get(`${root}?state=opened&per_page=100`, MergeRequests, signal),
    view,
    create: ({ head, base, title, body, draft }, signal) => {
      const draftTitle = draft ? `Draft: ${title}` : title;
      const fields = { source_branch: head, target_branch: base, title: draftTitle, description: body };
      return call({ method: 'POST', path: root, body: fields, schema: MergeRequest }, signal);
    },
    update: async (number, { body, draft }, signal) => {
      const now = await view(number, signal);
      if (!now.ok) return now;
      const ready = now.value.draft && !draft ? { title: now.value.title.replace(DRAFT, '') } : {};
      const fields = { description: body, ...ready };
      return ignoreValue(
        await call({ method: 'PUT', path: `${root}/${number}`, body: fields, schema: MergeRequest }, signal),
      );
    },
    checks: async ({ number }, signal) => {
      const now = await view(number, signal);
      if (!now.ok) return now;
      const state = now.value.pipeline;
      return { ok: true, value: { state, red: state === 'fail' ? ['pipeline'] : [] } };
    },
    isApproved: async ({ number }, signal) => {
      const answer = await get(`${root}/${number}/approvals`, Approvals, signal);
      return answer.ok ? { ok: true, value: answer.value.user_has_approved } : answer;
    },
    approve: async ({ number, head }, signal) => {
      const path = `${root}/${number}/approve`;
      return ignoreValue(await call({ method: 'POST', path, body: { sha: head.commit }, schema: Approved }, signal));
    },
    merge: async ({ number, head }, signal) => {
      const path = `${root}/${number}/merge`;
      return ignoreValue(await call({ method: 'PUT', path, body: { sha: head.commit }, schema: Merged }, signal));
    },
    comment: async (number, { key, body }, signal) => {
      const path = `${root}/${number}/notes`;
      const existing = await get(`${path}?per_page=100`, Notes, signal);
      if (!existing.ok) return existing;
      if (existing.value.some((note) => note.body.includes(key))) return DONE;
      return ignoreValue(await call({ method: 'POST', path, body: { body }, schema: Noted }, signal));
    },
    jobs: async (subject, signal) => {
      const filter = 'commit' in subject ? { sha: subject.commit } : { ref: subject.branch };
      const query = new URLSearchParams({ ...filter, per_page: '1' });
      const pipelines = await get(`${project}/pipelines?${query}`, Pipelines, signal);
      const [newest] = pipelines.ok ? pipelines.value : [];
      if (!pipelines.ok || newest === undefined) return pipelines.ok ? { ok: true, value: [] } : pipelines;
      return get(`${project}/pipelines/${newest.id}/jobs?per_page=100`, Jobs, signal);
    },
    jobLog: ({ id }, signal) => requestText(rest, { path: `${project}/jobs/${id}/trace`, remedies }, signal),
    headRef: ({ number }) => `refs/merge-requests/${number}/head`,
  };
}
