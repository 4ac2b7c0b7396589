import type { z } from 'zod';
import { endCall, endOpenCalls, startCall } from '../../core/models/decide-call.ts';
import { callId, spentOnCalls } from '../../core/models/fold-call.ts';
import { redactValue } from '../../core/redact.ts';
import { openTasks } from '../../core/run/state.ts';
import { affordable, runMoney } from '../../core/schedule/budget.ts';
import { messageOf } from '../../errors.ts';
import { type CallKind, type CallTry, TitleAnswer } from '../../schema/call.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { Spend, Usage } from '../../schema/usage.ts';
import { isStoreFailure } from '../../store/ledger.ts';
import { crashpoint } from '../../world.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';
import { type CallProvider, callProvidersOf } from './call-providers.ts';

/** A small call: its input, the schema of the answer, and the answer by rules. */
export type SmallCall<Answer> = {
  kind: CallKind;
  /** The task it is about, and what distinguishes it from other calls of the kind about that task. */
  about?: TaskKey;
  name?: string;
  input: string;
  schema: z.ZodType<Answer>;
  rules: () => Answer;
};

/** The answer, its provider (`rules` if no provider was called or all failed), and the calls that were made. */
export type AnsweredCall<Answer> = { answer: Answer; by: string; tries: readonly CallTry[] };

/** Longer inputs are truncated. */
const MAX_INPUT_CHARS = 12_000;
const UNKNOWN_USAGE: Usage = { kind: 'unknown' };

/**
 * Asks a model directly, else a light agent, else answers by rules; each provider is called at most once, and when one
 * fails, the next follows. The call is recorded before and after it is made, so that no restart repeats it. A failure
 * never fails the run; only a store that cannot be written throws.
 */
export async function smallCall<Answer>(
  ctx: EngineContext,
  run: ActiveRun,
  call: SmallCall<Answer>,
): Promise<AnsweredCall<Answer>> {
  const id = callId(call.kind, call.name ?? call.about);
  const known = run.ledger.state.calls[id]?.ended;
  const before = known?.by == null ? undefined : call.schema.safeParse(known.answer);
  if (known?.by != null && before?.success) return { answer: before.data, by: known.by, tries: known.tries };
  const providers = run.ledger.state.calls[id] === undefined ? admitted(run, callProvidersOf(ctx, run)) : [];
  if (providers.length === 0) return byRules(call, known?.tries ?? []);
  const { kind, about } = call;
  const reservation = spend(providers.reduce((sum, provider) => sum + provider.reservedUsd, 0));
  const started = { call: id, kind, reservation, ...(about === undefined ? {} : { about }) };
  crashpoint('call.starting');
  await ctx.submit(run, (state) => startCall(state, started)).committed;
  crashpoint('call.started');
  using _step = ctx.activities.begin(
    { run, ...(about === undefined ? {} : { tasks: [about] }) },
    { kind: 'call', what: `asks ${providers[0]?.name ?? 'a model'} (${kind})` },
  );
  const { tries, found } = await askProviders(ctx, run, { call, providers });
  const ended = { call: id, tries, ...(found === undefined ? {} : { by: found.by, answer: found.answer }) };
  const title = kind === 'title' ? titleIn(found?.answer) : undefined;
  crashpoint('call.answered');
  await ctx.submit(run, (state) => endCall(state, ended, title)).committed;
  crashpoint('call.ended');
  return found === undefined ? byRules(call, tries) : { ...found, tries };
}

/** A title is one line, whatever the answer contains. */
function titleIn(answer: unknown): string | undefined {
  const title = TitleAnswer.safeParse(answer)
    .data?.title.replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return title === '' ? undefined : title;
}

function byRules<Answer>(call: SmallCall<Answer>, tries: readonly CallTry[]): AnsweredCall<Answer> {
  return { answer: call.rules(), by: 'rules', tries };
}

/** The providers that fit the budgets of small calls and of the run, after reserving one attempt. */
function admitted({ ledger: { state } }: ActiveRun, providers: readonly CallProvider[]): readonly CallProvider[] {
  const { budget, smallCalls } = state.start.config;
  if (state.status.kind !== 'running') return [];
  const money = runMoney(state);
  let left = smallCalls.budget - spentOnCalls(state);
  const isWorkLeft = openTasks(state) > 0 || state.order.length === 0;
  let set = isWorkLeft ? Math.min(budget.attempt, budget.run ?? budget.attempt) : 0;
  return providers.filter(({ reservedUsd }) => {
    const fits = affordable(budget, spend(set + reservedUsd), { run: money, project: money }) === 'yes';
    if (!fits || reservedUsd > left) return false;
    left -= reservedUsd;
    set += reservedUsd;
    return true;
  });
}

type CallRequest<Answer> = { call: SmallCall<Answer>; providers: readonly CallProvider[] };

async function askProviders<Answer>(
  ctx: EngineContext,
  run: ActiveRun,
  { call, providers }: CallRequest<Answer>,
): Promise<{ tries: CallTry[]; found?: { by: string; answer: Answer } }> {
  const signal = AbortSignal.any([ctx.stopping, run.cancel.signal]);
  const text = run.redact(call.input).slice(0, MAX_INPUT_CHARS);
  const tries: CallTry[] = [];
  for (const provider of providers) {
    if (signal.aborted) break;
    const reply = await provider.ask({ kind: call.kind, text, schema: call.schema }, signal).catch((error: unknown) => {
      if (isStoreFailure(error)) throw error;
      return { kind: 'failed' as const, problem: messageOf(error), usage: UNKNOWN_USAGE };
    });
    const tried = { by: provider.name, usage: reply.usage, reservation: spend(provider.reservedUsd) };
    const parsed = reply.kind === 'answered' ? call.schema.safeParse(redactValue(reply.output, run.redact)) : undefined;
    if (parsed?.success) return { tries: [...tries, tried], found: { by: provider.name, answer: parsed.data } };
    const problem = reply.kind === 'failed' ? reply.problem : 'its answer does not match the schema';
    tries.push({ ...tried, problem: run.redact(problem) });
  }
  return { tries };
}

function spend(costUsd: number): Spend {
  return { costUsd: Math.round(costUsd * 1e6) / 1e6, tokens: 0, turns: 0 };
}

/** The end of a title that is only the beginning of a longer text. */
const CUT = '…';

/** Requests a title for a run that has none and whose text is too long for one; until then the title is the beginning of the text. */
async function nameRun(ctx: EngineContext, run: ActiveRun): Promise<void> {
  const { start, status } = run.ledger.state;
  if (status.kind !== 'running' || !start.title.endsWith(CUT)) return;
  if (start.title !== run.redact(run.recipe.title(start.input))) return;
  await smallCall(ctx, run, {
    kind: 'title',
    input: requestOf(start.input),
    schema: TitleAnswer,
    rules: () => ({ title: start.title }),
  });
}

/** The text of the request, whatever the recipe calls it. */
function requestOf(input: unknown): string {
  const fields = typeof input === 'object' && input !== null ? input : {};
  const text = 'goal' in fields ? fields.goal : 'task' in fields ? fields.task : undefined;
  return typeof text === 'string' ? text : JSON.stringify(input);
}

/** Ends small calls that an earlier engine left open, then asks for a title where the run needs one. */
export async function beginCalls(ctx: EngineContext, run: ActiveRun): Promise<void> {
  if (run.ledger.state.openCalls > 0) await ctx.submit(run, endOpenCalls).committed;
  await nameRun(ctx, run);
}
