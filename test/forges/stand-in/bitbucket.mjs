import { findPull, merge, open, tipOf } from './forge-state.mjs';

const REPO = { full_name: 'ann/shop' };
const STATES = { pass: 'SUCCESSFUL', fail: 'FAILED', pending: 'INPROGRESS' };

/** The part of Bitbucket's interface that is used, over a state. */
export function bitbucket(state, { method, path, body }) {
  const url = new URL(path, 'http://forge/');
  const [, first, owner, name, kind, number, rest, step, log] = url.pathname.split('/');
  if (first === 'user') return { operation: 'user', status: 200, body: { uuid: state.user, display_name: 'Ann' } };
  if (first === 'logs') return { operation: 'job-log', status: 200, text: state.checks[Number(owner)].log ?? '' };
  if (first !== 'repositories' || `${owner}/${name}` !== REPO.full_name) return missing('repo');
  if (kind === 'pipelines' && log !== undefined)
    return { operation: 'job-log', status: 307, headers: { Location: `/logs/${step}` }, body: {} };
  if (kind === 'pipelines') return pipelines(state, number);
  const pull = number === undefined ? undefined : findPull(state, number);
  if (number !== undefined && pull === undefined) return missing('view');
  if (rest === 'comments') return comments(method, pull, body);
  if (rest === 'approve') {
    pull.approvals.push({ user: state.user });
    return { operation: 'approve', status: 200, body: { approved: true } };
  }
  if (rest === 'statuses') {
    const values = state.checks.map((check) => ({ key: check.name, name: check.name, state: STATES[check.state] }));
    return { operation: 'checks', status: 200, body: { values } };
  }
  if (rest === 'merge') {
    merge(state, pull);
    return { operation: 'merge', status: 200, body: shown(state, pull) };
  }
  if (pull !== undefined && method === 'PUT') {
    Object.assign(pull, { title: body.title, body: body.description, draft: body.draft });
    return { operation: 'update', status: 200, body: shown(state, pull) };
  }
  if (pull !== undefined) return { operation: 'view', status: 200, body: shown(state, pull) };
  return method === 'POST' ? create(state, body) : list(state, url.searchParams.get('q'));
}

function pipelines(state, number) {
  const target = { ref_name: 'main', commit: { hash: 'c0ffee0000000000' } };
  if (number === undefined) {
    const values = state.checks.length === 0 ? [] : [{ uuid: '{one}', target }];
    return { operation: 'jobs', status: 200, body: { values } };
  }
  const result = (how) => (how === 'pending' ? null : { name: STATES[how] });
  const values = state.checks.map(({ name, state: how }, index) => ({
    uuid: String(index),
    name,
    state: { result: result(how) },
  }));
  return { operation: 'jobs', status: 200, body: { values } };
}

function create(state, { source, destination, title, description, draft }) {
  const made = open(state, {
    head: source.branch.name,
    base: destination.branch.name,
    title,
    body: description,
    draft,
  });
  return { operation: 'create', status: 201, body: shown(state, made) };
}

function list(state, query) {
  const branch = query === null ? null : /source\.branch\.name = "([^"]*)"/.exec(query)?.[1];
  const found = state.pulls.filter((pull) => pull.state === 'open' && (branch === null || pull.head === branch));
  const values = found.map((pull) => shown(state, pull));
  return { operation: branch === null ? 'list' : 'find', status: 200, body: { values } };
}

function comments(method, pull, body) {
  const values = pull.comments.map((raw) => ({ content: { raw } }));
  if (method === 'GET') return { operation: 'comments', status: 200, body: { values } };
  pull.comments.push(body.content.raw);
  return { operation: 'comment', status: 201, body: { id: pull.comments.length } };
}

/** Bitbucket tells only the beginning of a commit's id. */
function shown(state, pull) {
  const side = (branch) => ({
    branch: { name: branch },
    commit: { hash: tipOf(state, pull.head).slice(0, 12) },
    repository: REPO,
  });
  return {
    id: pull.number,
    title: pull.title,
    links: { html: { href: `https://bitbucket.org/ann/shop/pull-requests/${pull.number}` } },
    state: pull.state === 'open' ? 'OPEN' : 'MERGED',
    draft: pull.draft,
    author: { nickname: 'bob' },
    source: side(pull.head),
    destination: side(pull.base),
    description: pull.body,
    participants: pull.approvals.map(({ user }) => ({ user: { uuid: user }, approved: true })),
  };
}

function missing(operation) {
  return { operation, status: 404, body: { error: { message: 'Not found' } } };
}
