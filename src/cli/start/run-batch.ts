import type { Caller } from '../../access/caller.ts';
import { isErrorCode } from '../../access/socket/protocol.ts';
import { evolve } from '../../core/run/evolve.ts';
import type { RunState } from '../../core/run/state.ts';
import { moneyText } from '../../core/view/amounts.ts';
import { isSettled } from '../../core/view/document.ts';
import { AppError } from '../../errors.ts';
import type { OperationInput } from '../../operations/all.ts';
import type { BatchDocument, BatchResult } from '../../schema/batch.ts';
import type { RunDocument } from '../../schema/document.ts';
import { RunEvent } from '../../schema/event.ts';
import { exitCodeOf, INTERRUPTED, worstExitCode } from '../exit-code.ts';
import { announceRuns } from '../follow/detach.ts';
import { type Interruption, listenForInterrupts } from '../follow/interrupts.ts';
import type { Session } from '../platform.ts';
import { oneLine } from '../render/clean-text.ts';
import { painter, runMark } from '../render/symbols.ts';

const MOVING: ReadonlySet<string> = new Set(['running', 'cancelling']);

type Watched = { run: string; state: RunState | undefined };

type Row = BatchResult['items'][number];

/** A batch to run: the first item (counted from 1), how many in parallel, and the collection. */
export type BatchRun = {
  batch: BatchDocument;
  from: number;
  parallel: number | undefined;
  options: OperationInput<'start-run'>['options'];
  collection: string | undefined;
  background: boolean;
  /** What each item becomes; a job by default. */
  as: 'job' | 'debate' | undefined;
};

export type BatchEnd = { result: BatchResult; code: number };

/** Starts a batch, which the engine runs, and follows its items until all are settled; the exit code is that of the worst. */
export async function runBatch(session: Session, request: BatchRun): Promise<BatchEnd> {
  const { platform } = session;
  const { terminal } = platform;
  await using caller = await platform.openCaller(terminal.env);
  const { dir } = request.options;
  const inFlight = new Set<string>();
  const report = (text: string) => terminal.err(`${text}\n`);
  await using interrupts = listenForInterrupts({ platform, caller, report, inFlight: () => [...inFlight] });
  const { start, collection } = await caller.call('start-batch', requestOf(request));
  const result: BatchResult = { batch: request.batch.name, collection, items: rowsOf(request) };
  const ended: RunDocument[] = [];

  async function follow(row: Row, run: string): Promise<void> {
    row.run = run;
    inFlight.add(run);
    report(`${position(row, result)}  ${run}  started  ${row.title}`);
    const document = await settleRun(caller, { dir, run }, interrupts.signal);
    inFlight.delete(run);
    ended.push(document);
    Object.assign(row, { title: oneLine(document.title), status: document.status, cost: document.cost });
    report(endText(session, row, result));
  }

  const following: Promise<void>[] = [];
  let failure: { error: unknown } | undefined;
  try {
    for await (const { item, run } of startedItems(caller, { dir, start }, interrupts.signal)) {
      const row = result.items[item - 1];
      if (row === undefined || row.run !== null) continue;
      if (request.background && following.length === 0) announceRuns(session, [run]);
      following.push(follow(row, run));
    }
  } catch (error) {
    failure = { error };
  }
  await Promise.all(following);
  for (const line of closingLines(result, request.from, interrupts.how())) report(line);
  if (failure !== undefined) throw failure.error;
  const isInterrupted = interrupts.how() !== undefined;
  return { result, code: worstExitCode([...ended.map(exitCodeOf), ...(isInterrupted ? [INTERRUPTED] : [])]) };
}

function requestOf({ batch, from, parallel, collection, options, as }: BatchRun): OperationInput<'start-batch'> {
  const { dir, title: _, collection: __, ...rest } = options;
  return {
    dir,
    name: batch.name,
    from,
    options: rest,
    ...(parallel === undefined ? {} : { parallel }),
    ...(as === undefined ? {} : { as }),
    ...(collection === undefined ? {} : { collection }),
  };
}

/** The items as they are started, until no more are; when the engine ends before that, this process resumes the batch. */
async function* startedItems(
  caller: Caller,
  batch: { dir: string; start: string },
  signal: AbortSignal,
): AsyncGenerator<{ item: number; run: string }> {
  let after = 0;
  while (!signal.aborted) {
    try {
      for await (const event of caller.stream('watch-batch', { ...batch, after }, { signal })) {
        after = event.version;
        if ('run' in event) yield event;
        else if (event.complete) return;
        else throw new AppError(isErrorCode(event.code) ? event.code : 'REFUSED', event.ended);
      }
    } catch (error) {
      const isGone = error instanceof AppError && error.code === 'ENGINE_GONE';
      if (!signal.aborted && !isGone) throw error;
    }
    if (!signal.aborted) await caller.call('resume-runs', { dir: batch.dir });
  }
}

function rowsOf({ batch }: BatchRun): Row[] {
  return batch.items.map(({ title, prompt }, index) => ({
    item: index + 1,
    run: null,
    title: title ?? oneLine(prompt).slice(0, 80),
    status: null,
    cost: 0,
  }));
}

function position({ item }: Row, { items }: BatchResult): string {
  const all = String(items.length);
  return `${String(item).padStart(all.length)}/${all}`;
}

function endText({ platform }: Session, row: Row, result: BatchResult): string {
  const { symbol, paint } = runMark(row.status ?? 'running', painter(platform.terminal.colors.err));
  return `${position(row, result)}  ${row.run}  ${paint(`${symbol} ${row.status}`)}  ${moneyText(row.cost)}  ${row.title}`;
}

function closingLines(
  { batch, collection, items }: BatchResult,
  from: number,
  how: Interruption | undefined,
): string[] {
  const counts = new Map<string, number>();
  for (const { status } of items) if (status !== null) counts.set(status, (counts.get(status) ?? 0) + 1);
  const summary = [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
  const next = items.find(({ item, run }) => item >= from && run === null);
  const name = JSON.stringify(collection);
  const rerun = `manyhands batch run ${batch} --from ${next?.item} --collection ${name}`;
  return [
    `${summary === '' ? 'Nothing was started' : summary}. List the runs: manyhands collection show ${name}`,
    ...(next === undefined ? [] : [remainingText(next.item, how, rerun)]),
  ];
}

/** A batch that was interrupted is resumed; one that failed has ended, so that the rest of it is started again. */
function remainingText(item: number, how: Interruption | undefined, rerun: string): string {
  if (how === 'left') return `The engine continues the batch with item ${item}.`;
  const command = how === undefined ? rerun : 'manyhands resume';
  return `The items from ${item} were not started. Continue with: ${command}`;
}

/** Waits, without displaying progress, until a run is settled or the signal aborts; when its engine ends, this process resumes it. */
async function settleRun(
  caller: Caller,
  target: { dir: string; run: string },
  signal: AbortSignal,
): Promise<RunDocument> {
  let state: RunState | undefined;
  for (;;) {
    for await (state of states(caller, { run: target.run, state }, signal)) {
      if (!isSettled(state)) continue;
      const document = await caller.call('show-run', target);
      if (!MOVING.has(document.status)) return document;
    }
    const document = await caller.call('show-run', target);
    if (signal.aborted || !MOVING.has(document.status)) return document;
    await caller.call('resume-runs', target);
  }
}

async function* states(caller: Caller, { run, state: known }: Watched, signal: AbortSignal): AsyncGenerator<RunState> {
  let state = known;
  try {
    for await (const { type, data, at, origin } of caller.stream(
      'watch-run',
      { run, after: state?.version ?? 0 },
      { signal },
    )) {
      state = evolve(state, { event: RunEvent.parse({ type, data }), at, origin });
      yield state;
    }
  } catch (error) {
    const isGone = error instanceof AppError && error.code === 'ENGINE_GONE';
    if (!signal.aborted && !isGone) throw error;
  }
}
