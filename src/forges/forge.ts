import type { Remote } from '../git/push/remote.ts';
import type { ForgeName } from '../schema/config/git.ts';
import type { PullRequest } from '../schema/pull-request.ts';

/**
 * Why a forge did not fulfil a request. `unavailable` and `unreadable`: it may have been executed, so check before
 * repeating it. `auth`, `missing` and `refused`: nothing happened, and only the user can fix it.
 */
export type ForgeFailure = {
  kind: 'auth' | 'missing' | 'refused' | 'rate-limit' | 'unavailable' | 'unreadable';
  message: string;
  nextStep: string;
  /** How long to wait before the next request. */
  retryAfterMs?: number;
};

export type Answer<T> = { ok: true; value: T } | { ok: false; failure: ForgeFailure };

/** The CI results of a pull request's last commit. */
export type ForgeChecks = { state: 'pass' | 'fail' | 'pending' | 'none'; red: string[] };

/** A job of the forge's CI; its log is read by `jobLog`. */
export type CiJob = { id: string; name: string; state: 'pass' | 'fail' | 'pending' };

/** The work whose CI is read: a commit, or the newest commit of a branch that the CI has seen. */
type CiSubject = { commit: string } | { branch: string };

/** Whether the forge can be used: its program is installed and logged in. */
export type ForgeLogin = { ok: boolean; detail: string; nextStep?: string };

export type NewPullRequest = { head: string; base: string; title: string; body: string; draft: boolean };

/** The forge's term and number prefix for a pull request: `#12` or `!12`. */
type PullRequestTerms = { noun: string; mark: string };

/** A host of repositories. Every result comes from the forge itself; nothing is assumed to have succeeded. */
export interface Forge {
  readonly name: ForgeName;
  /** The repository's name at the forge, for display. */
  readonly repo: string;
  readonly terms: PullRequestTerms;
  login(signal: AbortSignal): Promise<ForgeLogin>;
  /** The open pull request of a branch, if there is one. */
  find(branch: string, signal: AbortSignal): Promise<Answer<PullRequest | undefined>>;
  list(signal: AbortSignal): Promise<Answer<PullRequest[]>>;
  view(number: number, signal: AbortSignal): Promise<Answer<PullRequest & { body: string }>>;
  create(pull: NewPullRequest, signal: AbortSignal): Promise<Answer<PullRequest>>;
  /** Sets the text; a draft becomes ready if `draft` is false, and one that the user made ready stays ready. */
  update(number: number, text: { body: string; draft: boolean }, signal: AbortSignal): Promise<Answer<void>>;
  checks(pull: PullRequest, signal: AbortSignal): Promise<Answer<ForgeChecks>>;
  /** Whether the logged-in user has approved it, for the current commit where the forge reports that. */
  isApproved(pull: PullRequest, signal: AbortSignal): Promise<Answer<boolean>>;
  approve(pull: PullRequest, signal: AbortSignal): Promise<Answer<void>>;
  /** Merges if the head has not changed. */
  merge(pull: PullRequest, signal: AbortSignal): Promise<Answer<void>>;
  /** Adds a comment once: an existing comment with the key is not repeated. */
  comment(number: number, comment: { key: string; body: string }, signal: AbortSignal): Promise<Answer<void>>;
  /** The CI jobs of a commit, or of the newest commit of a branch; none if there are none. */
  jobs(subject: CiSubject, signal: AbortSignal): Promise<Answer<CiJob[]>>;
  /** What a job printed so far. */
  jobLog(job: CiJob, signal: AbortSignal): Promise<Answer<string>>;
  /** The ref at the remote under which the pull request's head can be fetched, if there is one. */
  headRef(pull: PullRequest): string | undefined;
}

/** A forge for a repository, or why there is none and what to do about it. */
export type FoundForge =
  | { kind: 'found'; forge: Forge; because: string }
  | { kind: 'none'; reason: string; nextStep: string };

/** The same with its remote. */
export type ReachedForge =
  | { kind: 'found'; forge: Forge; remote: Remote; because: string }
  | { kind: 'none'; reason: string; nextStep: string };
