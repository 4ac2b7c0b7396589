import { findPull, merge, open, tipOf } from './forge-state.mjs';

const REPO = { full_name: 'ann/shop' };

/** The part of GitHub's interface that is used, over a state. */
export function github(state, { method, path, body }) {
  const url = new URL(path, 'http://forge/');
  const parts = url.pathname.split('/').filter(Boolean);
  if (url.pathname === '/user') return { operation: 'user', status: 200, body: { login: state.user } };
  if (url.pathname === '/graphql') {
    const pull = state.pulls.find(({ number }) => `node${number}` === body.variables.id);
    pull.draft = false;
    return { operation: 'ready', status: 200, body: { data: {} } };
  }
  const [repos, owner, name, kind, number, rest] = parts;
  if (repos !== 'repos' || `${owner}/${name}` !== REPO.full_name) return missing('repo');
  if (kind === 'commits') return commit(state, rest);
  if (kind === 'actions') return actions(state, parts.slice(4));
  const pull = number === undefined ? undefined : findPull(state, number);
  if (number !== undefined && pull === undefined) return missing('view');
  if (kind === 'issues') return comments(method, pull, body);
  if (rest === 'reviews') return reviews(state, { method, pull, body });
  if (rest === 'merge') return mergePull(state, pull, body);
  if (pull !== undefined && method === 'PATCH') {
    pull.body = body.body ?? pull.body;
    return { operation: 'update', status: 200, body: shown(state, pull) };
  }
  if (pull !== undefined) return { operation: 'view', status: 200, body: shown(state, pull) };
  return method === 'POST' ? create(state, body) : list(state, url.searchParams.get('head'));
}

function create(state, body) {
  const there = state.pulls.find((pull) => pull.head === body.head && pull.state === 'open');
  if (there !== undefined) {
    const errors = [{ message: `A pull request already exists for ann:${body.head}.` }];
    return { operation: 'create', status: 422, body: { message: 'Validation Failed', errors } };
  }
  return { operation: 'create', status: 201, body: shown(state, open(state, body)) };
}

function list(state, head) {
  const found = state.pulls.filter((pull) => pull.state === 'open' && (head === null || `ann:${pull.head}` === head));
  return { operation: head === null ? 'list' : 'find', status: 200, body: found.map((pull) => shown(state, pull)) };
}

function mergePull(state, pull, { sha }) {
  if (pull.draft) return { operation: 'merge', status: 405, body: { message: 'Pull Request is still a draft' } };
  if (sha !== tipOf(state, pull.head))
    return { operation: 'merge', status: 409, body: { message: 'Head was modified' } };
  merge(state, pull);
  return { operation: 'merge', status: 200, body: { merged: true, sha } };
}

function reviews(state, { method, pull, body }) {
  if (method === 'GET') {
    const all = pull.approvals.map(({ user, sha }) => ({ user: { login: user }, state: 'APPROVED', commit_id: sha }));
    return { operation: 'approvals', status: 200, body: all };
  }
  pull.approvals.push({ user: state.user, sha: body.commit_id });
  return { operation: 'approve', status: 200, body: { state: 'APPROVED' } };
}

function comments(method, pull, body) {
  if (method === 'GET')
    return { operation: 'comments', status: 200, body: pull.comments.map((text) => ({ body: text })) };
  pull.comments.push(body.body);
  return { operation: 'comment', status: 201, body: { id: pull.comments.length } };
}

/** Two runs of workflows: that of the newest commit, and one before. */
function actions(state, [kind, id, rest]) {
  if (kind === 'jobs') return { operation: 'job-log', status: 200, text: state.checks[Number(id)].log ?? '' };
  if (rest === undefined) {
    const runs = state.checks.length === 0 ? [] : ['new', 'old'].map((head_sha, id) => ({ id, head_sha }));
    return { operation: 'jobs', status: 200, body: { workflow_runs: runs } };
  }
  const { check_runs } = commit(state, 'check-runs').body;
  return { operation: 'jobs', status: 200, body: { jobs: check_runs.map((run, id) => ({ id, ...run })) } };
}

function commit(state, rest) {
  if (rest === 'status') return { operation: 'statuses', status: 200, body: { state: 'success', statuses: [] } };
  const runs = state.checks.map(({ name, state: how }) => ({
    name,
    status: how === 'pending' ? 'in_progress' : 'completed',
    conclusion: how === 'pending' ? null : how === 'pass' ? 'success' : 'failure',
  }));
  return { operation: 'checks', status: 200, body: { check_runs: runs } };
}

function shown(state, pull) {
  return {
    number: pull.number,
    node_id: `node${pull.number}`,
    title: pull.title,
    html_url: `https://github.com/ann/shop/pull/${pull.number}`,
    state: pull.state === 'open' ? 'open' : 'closed',
    merged_at: pull.state === 'merged' ? '2026-01-01T00:00:00Z' : null,
    draft: pull.draft,
    user: { login: 'bob' },
    head: { ref: pull.head, sha: tipOf(state, pull.head), repo: REPO },
    base: { ref: pull.base, repo: REPO },
    body: pull.body,
  };
}

function missing(operation) {
  return { operation, status: 404, body: { message: 'Not Found' } };
}
