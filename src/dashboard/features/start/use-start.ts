import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { completed } from '../../ui/form/field.ts';
import { notify } from '../../ui/notices.ts';
import { runPath } from '../../ui/paths.ts';
import {
  fieldsOf,
  inputEntries,
  mistakesOf,
  type Recipe,
  reviewRequest,
  startRequest,
  type WorkFile,
} from './asked.ts';
import { afterStart, type Draft } from './draft.ts';
import { mistakesInRefusal } from './refusal.ts';

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
