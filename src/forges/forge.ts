import type { Remote } from '../git/push/remote.ts';
import type { ForgeName } from '../schema/config/git.ts';
import type { PullRequest } from '../schema/pull-request.ts';

/**
 * Why a forge did not do what was asked. `unavailable` and `unreadable`: it may have been done all the same, so that one
 * looks before asking again. `auth`, `missing` and `refused`: nothing happened, and only a person can mend it.
 */
export type ForgeFailure = {
  kind: 'auth' | 'missing' | 'refused' | 'rate-limit' | 'unavailable' | 'unreadable';
  message: string;
  nextStep: string;
  /** How long the forge wants to be left alone. */
  retryAfterMs?: number;
};

export type Answer<T> = { ok: true; value: T } | { ok: false; failure: ForgeFailure };

/** What CI at the forge says about a pull request's last commit. */
export type ForgeChecks = { state: 'pass' | 'fail' | 'pending' | 'none'; red: string[] };

/** Whether the forge can be used here: the program is there and somebody is logged in. */
export type ForgeLogin = { ok: boolean; detail: string; nextStep?: string };

export type NewPullRequest = { head: string; base: string; title: string; body: string; draft: boolean };

/** What a person is named by when a step at the forge is told: `#12` or `!12`. */
type PullRequestWords = { noun: string; mark: string };

/** A host of repositories. Every answer comes from the forge itself; nothing is assumed to have worked. */
export interface Forge {
  readonly name: ForgeName;
  /** The repository there, for people. */
  readonly repo: string;
  readonly words: PullRequestWords;
  login(signal: AbortSignal): Promise<ForgeLogin>;
  /** The open pull request of a branch, if there is one. */
  find(branch: string, signal: AbortSignal): Promise<Answer<PullRequest | undefined>>;
  list(signal: AbortSignal): Promise<Answer<PullRequest[]>>;
  view(number: number, signal: AbortSignal): Promise<Answer<PullRequest & { body: string }>>;
  create(wanted: NewPullRequest, signal: AbortSignal): Promise<Answer<PullRequest>>;
  /** Sets the text; a draft becomes ready where that is wanted, and what a person made ready stays so. */
  update(number: number, wanted: { body: string; draft: boolean }, signal: AbortSignal): Promise<Answer<void>>;
  checks(pull: PullRequest, signal: AbortSignal): Promise<Answer<ForgeChecks>>;
  /** Whether whoever is logged in has approved it, as it stands where the forge tells that. */
  isApproved(pull: PullRequest, signal: AbortSignal): Promise<Answer<boolean>>;
  approve(pull: PullRequest, signal: AbortSignal): Promise<Answer<void>>;
  /** Merges if the head still stands where it did. */
  merge(pull: PullRequest, signal: AbortSignal): Promise<Answer<void>>;
  /** Leaves a comment once: one that holds the key is found again instead of being made twice. */
  comment(number: number, said: { key: string; body: string }, signal: AbortSignal): Promise<Answer<void>>;
  /** The ref at the remote under which the pull request's head can be fetched, if there is one. */
  headRef(pull: PullRequest): string | undefined;
}

/** A forge for a repository, or why there is none and what to do about it. */
export type FoundForge =
  | { kind: 'found'; forge: Forge; because: string }
  | { kind: 'none'; reason: string; nextStep: string };

/** The same together with the remote that leads to it. */
export type ReachedForge =
  | { kind: 'found'; forge: Forge; remote: Remote; because: string }
  | { kind: 'none'; reason: string; nextStep: string };
