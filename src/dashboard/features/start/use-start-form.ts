import { useCallback, useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { ApiProblem } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useOperation } from '../../api/use-operation.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { notify } from '../../ui/feedback/notices.ts';
import { completed } from '../../ui/form/field.ts';
import { afterStart, type Draft, readDraft, withAddress } from './start-draft.ts';
import {
  fieldsOf,
  inputEntries,
  mistakesInRefusal,
  mistakesOf,
  type Recipe,
  reviewRequest,
  startRequest,
  type WorkFile,
} from './start-request.ts';

type Asked = { recipe: Recipe; draft: Draft; read: WorkFile | undefined };
type Trying = { isBusy: boolean; mistakes: ReadonlyMap<string, string>; error: unknown };

const CALM: Trying = { isBusy: false, mistakes: new Map(), error: undefined };

/** Starts what a draft asks for and goes to its page; what is refused is told where it was typed. */
export function useStart(onStarted: (draft: Draft) => void): Trying & { start(asked: Asked): void } {
  const [trying, setTrying] = useState(CALM);
  const [, navigate] = useLocation();
  const start = async (asked: Asked) => {
    const mistakes = mistakesOf(asked);
    if (mistakes.size > 0) {
      setTrying({ ...CALM, mistakes });
      return;
    }
    setTrying({ ...CALM, isBusy: true });
    try {
      const { run, notes } = await send(asked);
      for (const text of notes) notify({ kind: 'news', text });
      onStarted(afterStart(asked.draft));
      navigate(runPath(run));
    } catch (error) {
      const told = error instanceof ApiProblem ? mistakesInRefusal(error, fieldsOf(asked.recipe)) : CALM.mistakes;
      setTrying({ isBusy: false, mistakes: told, error: told.size > 0 ? undefined : error });
    }
  };
  return { ...trying, start: (asked) => void start(asked) };
}

function send({ recipe, draft, read }: Asked): Promise<{ run: string; notes: string[] }> {
  const input = draft.inputs[recipe.name] ?? {};
  const options = { ...draft.options, dir: (draft.dir ?? '').trim() };
  if (recipe.name === 'review') return call('review-pull-request', reviewRequest({ ...input, options }));
  const request = read?.request ?? undefined;
  if (request === undefined) {
    const whole = completed(inputEntries(recipe, undefined), input);
    return call('start-run', startRequest({ recipe: recipe.name, input: whole, options }));
  }
  const told = typeof request.input === 'object' ? request.input : {};
  return call(
    'start-run',
    startRequest({ recipe: request.recipe, input: { ...told, ...input }, options: { ...request.options, ...options } }),
  );
}

const KEY = 'manyhands.start';

/** What is typed for a new run; it outlives a reload. What an address asks for is put into it once. */
export function useDraft(): [Draft, (change: Partial<Draft>) => void] {
  const [params, setParams] = useSearchParams();
  const [draft, setDraft] = useState(() => withAddress(readDraft(sessionStorage.getItem(KEY)), params));
  const change = useCallback((some: Partial<Draft>) => {
    setDraft((before) => {
      const next = { ...before, ...some };
      sessionStorage.setItem(KEY, JSON.stringify(next));
      return next;
    });
  }, []);
  useEffect(() => {
    if (params.size === 0) return;
    change(withAddress(readDraft(sessionStorage.getItem(KEY)), params));
    setParams({}, { replace: true });
  }, [params, setParams, change]);
  return [draft, change];
}

/** What was read in a work file. */
export type FileReading = { read: WorkFile | undefined; isLoading: boolean; error: unknown; again(): void };

type Place = { dir: string; file: string; isWanted: boolean; isKnown: boolean };

/** Reads a work file when it is asked for, not with every letter of its name; one of a known project that was named before, at once. */
export function useWorkFile({ dir, file, isWanted, isKnown }: Place): FileReading {
  const [asked, setAsked] = useState<{ file: string; dir?: string }>({ file });
  const isHere = asked.dir === undefined ? isKnown : asked.dir === dir;
  const isAsked = isWanted && file !== '' && asked.file === file && dir !== '' && isHere;
  const reading = useOperation('read-work-file', { dir, file }, { enabled: isAsked, fresh: true });
  return {
    read: isAsked ? reading.data : undefined,
    isLoading: isAsked && reading.isLoading,
    error: isAsked ? reading.error : undefined,
    again: () => (isAsked ? reading.again() : setAsked({ dir, file })),
  };
}
