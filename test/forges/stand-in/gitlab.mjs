import { findPull, merge, open, tipOf } from './forge-state.mjs';

/** The part of GitLab's interface that is used, over a state. */
export function gitlab(state, { method, path, body }) {
  const url = new URL(path, 'http://forge/');
  const [, projects, repo, kind, number, rest] = url.pathname.split('/');
  if (projects !== 'projects' || decodeURIComponent(repo) !== 'ann/shop') return missing('repo');
  if (kind === 'pipelines') return pipelines(state, rest);
  if (kind === 'jobs') return { operation: 'job-log', status: 200, text: state.checks[Number(number)].log ?? '' };
  const request = number === undefined ? undefined : findPull(state, number);
  if (number !== undefined && request === undefined) return missing('view');
  if (rest === 'notes') return notes(method, request, body);
  if (rest === 'approvals') {
    const mine = request.approvals.some(({ user }) => user === state.user);
    return { operation: 'approvals', status: 200, body: { user_has_approved: mine } };
  }
  if (rest === 'approve') {
    request.approvals.push({ user: state.user, sha: body.sha });
    return { operation: 'approve', status: 201, body: { approved_by: request.approvals } };
  }
  if (rest === 'merge') return mergeRequest(state, request, body);
  if (request !== undefined && method === 'PUT') return update(state, request, body);
  if (request !== undefined) return { operation: 'view', status: 200, body: shown(state, request) };
  return method === 'POST' ? create(state, body) : list(state, url.searchParams.get('source_branch'));
}

function create(state, { source_branch: head, target_branch: base, title, description }) {
  const there = state.pulls.find((pull) => pull.head === head && pull.state === 'open');
  const message = [`Another open merge request already exists for this source branch: !${there?.number}`];
  if (there !== undefined) return { operation: 'create', status: 409, body: { message } };
  const made = open(state, { head, base, title, body: description, draft: /^Draft:/.test(title) });
  return { operation: 'create', status: 201, body: shown(state, made) };
}

function update(state, request, { title, description }) {
  request.title = title ?? request.title;
  request.draft = /^Draft:/.test(request.title);
  request.body = description ?? request.body;
  return { operation: 'update', status: 200, body: shown(state, request) };
}

function list(state, head) {
  const found = state.pulls.filter((pull) => pull.state === 'open' && (head === null || pull.head === head));
  return { operation: head === null ? 'list' : 'find', status: 200, body: found.map((pull) => shown(state, pull)) };
}

function mergeRequest(state, request, { sha }) {
  if (request.draft) return { operation: 'merge', status: 405, body: { message: '405 Method Not Allowed' } };
  if (sha !== tipOf(state, request.head))
    return { operation: 'merge', status: 409, body: { message: 'SHA does not match' } };
  merge(state, request);
  return { operation: 'merge', status: 200, body: shown(state, request) };
}

function notes(method, request, body) {
  if (method === 'GET')
    return { operation: 'comments', status: 200, body: request.comments.map((text) => ({ body: text })) };
  request.comments.push(body.body);
  return { operation: 'comment', status: 201, body: { id: request.comments.length } };
}

function pipelines(state, rest) {
  if (rest === undefined) return { operation: 'jobs', status: 200, body: state.checks.length === 0 ? [] : [{ id: 4 }] };
  const jobs = state.checks.map(({ name, state: how }, id) => ({ id, name, status: PIPELINES[how] }));
  return { operation: 'jobs', status: 200, body: jobs };
}

const PIPELINES = { pass: 'success', fail: 'failed', pending: 'running' };

function shown(state, request) {
  const worst = ['fail', 'pending', 'pass'].find((how) => state.checks.some((check) => check.state === how));
  return {
    iid: request.number,
    title: request.title,
    web_url: `https://gitlab.com/ann/shop/-/merge_requests/${request.number}`,
    state: request.state === 'open' ? 'opened' : request.state,
    draft: request.draft,
    author: { username: 'bob' },
    source_branch: request.head,
    target_branch: request.base,
    source_project_id: 7,
    target_project_id: 7,
    sha: tipOf(state, request.head),
    description: request.body,
    head_pipeline: worst === undefined ? null : { status: PIPELINES[worst] },
  };
}

function missing(operation) {
  return { operation, status: 404, body: { message: '404 Project Not Found' } };
}
