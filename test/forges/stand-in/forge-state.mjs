import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** The state of a forge that stands in for a real one, kept in a file so that every call sees what the others did. */
export function readState(file) {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  return { pulls: [], faults: [], calls: [], checks: [], remote: null, user: 'ann' };
}

export function writeState(file, state) {
  const making = `${file}.${process.pid}`;
  writeFileSync(making, JSON.stringify(state, null, 2));
  renameSync(making, file);
}

/**
 * Answers one request: `act` knows the forge's own paths and forms. A fault of the list is played once for each of its
 * times: before the act (500, 429, expired), or after it, when the answer is lost (lost), a hang (hang) or nonsense (nonsense).
 */
export function answer(file, request, act) {
  const lock = new DatabaseSync(`${file}.lock`);
  try {
    // Two calls at the same time would otherwise lose what one of them wrote. It ends with the process at the latest.
    lock.exec('PRAGMA busy_timeout = 60000; BEGIN EXCLUSIVE');
    return answerAlone(file, request, act);
  } finally {
    lock.close();
  }
}

function answerAlone(file, request, act) {
  const state = readState(file);
  const before = structuredClone(state);
  const reply = act(state, request);
  const fault = state.faults.find(({ on, times }) => on === reply.operation && times > 0);
  const kept = fault !== undefined && ['500', '429', 'expired'].includes(fault.kind) ? before : state;
  const played = kept.faults.find(({ on, times }) => on === reply.operation && times > 0);
  if (played !== undefined) played.times -= 1;
  kept.calls.push(`${reply.operation} ${request.method}`);
  writeState(file, kept);
  return fault === undefined ? { headers: {}, ...reply } : faulty(fault);
}

function faulty({ kind, retryAfter = 1 }) {
  switch (kind) {
    case '500':
    case 'lost':
      return { status: 500, headers: {}, body: { message: 'Server Error' } };
    case '429':
      return { status: 429, headers: { 'Retry-After': String(retryAfter) }, body: { message: 'Too many requests' } };
    case 'expired':
      return { status: 401, headers: {}, body: { message: 'Bad credentials' } };
    case 'nonsense':
      return { status: 200, headers: {}, body: { unexpected: true } };
    case 'hang':
      return { hang: true };
    default:
      throw new Error(`there is no fault ${kind}`);
  }
}

/** Where a branch stands at the remote, if the forge has one. */
export function tipOf(state, branch) {
  if (state.remote === null) return `${branch.length}`.padStart(2, '0').repeat(20);
  return git(state, 'rev-parse', `refs/heads/${branch}`);
}

export function open(state, { title, body, head, base, draft }) {
  const number = state.pulls.length + 1;
  const pull = { number, title, body, head, base, draft, state: 'open', approvals: [], comments: [] };
  state.pulls.push(pull);
  showHead(state, pull);
  return pull;
}

/** Forges show the head of a pull request under a ref of its own. */
export function showHead(state, pull) {
  if (state.remote === null || pull.state !== 'open') return;
  for (const ref of [`refs/pull/${pull.number}/head`, `refs/merge-requests/${pull.number}/head`])
    git(state, 'update-ref', ref, tipOf(state, pull.head));
}

export function merge(state, pull) {
  if (state.remote !== null) git(state, 'update-ref', `refs/heads/${pull.base}`, mergedTip(state, pull));
  pull.state = 'merged';
}

/** The head itself where it contains the base, else a merge of both. */
function mergedTip(state, pull) {
  const [base, head] = [tipOf(state, pull.base), tipOf(state, pull.head)];
  if (git(state, 'merge-base', base, head) === base) return head;
  const tree = git(state, 'merge-tree', '--write-tree', base, head);
  const who = ['-c', 'user.name=Forge', '-c', 'user.email=forge@example.org'];
  return git(state, ...who, 'commit-tree', tree, '-p', base, '-p', head, '-m', `Merge ${pull.number}`);
}

export function findPull(state, number) {
  const pull = state.pulls.find((candidate) => candidate.number === Number(number));
  if (pull !== undefined) showHead(state, pull);
  return pull;
}

function git(state, ...args) {
  return execFileSync('git', ['--git-dir', state.remote, ...args], { encoding: 'utf8' }).trim();
}
