import { useCallback, useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useOperation } from '../../api/use-operation.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { START_DRAFT } from '../../ui/browser/preferences.ts';
import { notify } from '../../ui/feedback/notices.ts';
import { completed } from '../../ui/form/field.ts';
import { afterStart, type Draft, readDraft, withAddress } from './start-draft.ts';
import {
  draftIssues,
  fieldsOf,
  inputEntries,
  issuesFromError,
  type Recipe,
  reviewRequest,
  startRequest,
  type WorkFile,
} from './start-request.ts';

type StartInput = { recipe: Recipe; draft: Draft; read: WorkFile | undefined };
type StartState = { isBusy: boolean; issues: ReadonlyMap<string, string>; error: unknown };

const IDLE: StartState = { isBusy: false, issues: new Map(), error: undefined };

/** Starts the run of a draft and opens its page; issues are shown at their fields. */
export function useStart(onStarted: (draft: Draft) => void): StartState & { start(input: StartInput): void } {
  const [state, setState] = useState(IDLE);
  const [, navigate] = useLocation();
  const start = async (input: StartInput) => {
    const issues = draftIssues(input);
    if (issues.size > 0) {
      setState({ ...IDLE, issues });
      return;
    }
    setState({ ...IDLE, isBusy: true });
    try {
      const { run, notes } = await send(input);
      for (const text of notes) notify({ kind: 'info', text });
      onStarted(afterStart(input.draft));
      navigate(runPath(run));
    } catch (error) {
      const rejected = error instanceof ApiError ? issuesFromError(error, fieldsOf(input.recipe)) : IDLE.issues;
      setState({ isBusy: false, issues: rejected, error: rejected.size > 0 ? undefined : error });
    }
  };
  return { ...state, start: (input) => void start(input) };
}

function send({ recipe, draft, read }: StartInput): Promise<{ run: string; notes: string[] }> {
  const input = draft.inputs[recipe.name] ?? {};
  const options = { ...draft.options, dir: (draft.dir ?? '').trim() };
  if (recipe.startsFromPullRequest) return call('review-pull-request', reviewRequest({ ...input, options }));
  const request = read?.request ?? undefined;
  if (request === undefined) {
    const whole = completed(inputEntries(recipe, undefined), input);
    return call('start-run', startRequest({ recipe: recipe.name, input: whole, options }));
  }
  const fileInput = typeof request.input === 'object' ? request.input : {};
  return call(
    'start-run',
    startRequest({
      recipe: request.recipe,
      input: { ...fileInput, ...input },
      options: { ...request.options, ...options },
    }),
  );
}

/** The draft of a new run; it survives a reload. Parameters of the address are merged into it once. */
export function useDraft(): [Draft, (change: Partial<Draft>) => void] {
  const [params, setParams] = useSearchParams();
  const [draft, setDraft] = useState(() => withAddress(readDraft(sessionStorage.getItem(START_DRAFT)), params));
  const change = useCallback((some: Partial<Draft>) => {
    setDraft((before) => {
      const next = { ...before, ...some };
      sessionStorage.setItem(START_DRAFT, JSON.stringify(next));
      return next;
    });
  }, []);
  useEffect(() => {
    if (params.size === 0) return;
    change(withAddress(readDraft(sessionStorage.getItem(START_DRAFT)), params));
    setParams({}, { replace: true });
  }, [params, setParams, change]);
  return [draft, change];
}

/** The state of reading a work file. */
export type WorkFileReading = { read: WorkFile | undefined; isLoading: boolean; error: unknown; reload(): void };

type WorkFileInput = { dir: string; file: string; isEnabled: boolean; isKnown: boolean };

/** Reads a work file on request, not on every key press; a file that is already named in a known project is read at once. */
export function useWorkFile({ dir, file, isEnabled, isKnown }: WorkFileInput): WorkFileReading {
  const [requested, setRequested] = useState<{ file: string; dir?: string }>({ file });
  const isSameFolder = requested.dir === undefined ? isKnown : requested.dir === dir;
  const isRequested = isEnabled && file !== '' && requested.file === file && dir !== '' && isSameFolder;
  const reading = useOperation('read-work-file', { dir, file }, { enabled: isRequested, fresh: true });
  return {
    read: isRequested ? reading.data : undefined,
    isLoading: isRequested && reading.isLoading,
    error: isRequested ? reading.error : undefined,
    reload: () => (isRequested ? reading.reload() : setRequested({ dir, file })),
  };
}
