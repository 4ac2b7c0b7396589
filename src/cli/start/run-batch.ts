import type { Caller } from '../../access/caller.ts';
import { AppError } from '../../errors.ts';
import type { OperationInput } from '../../operations/all.ts';
import type { BatchDocument, BatchResult } from '../../schema/batch.ts';
import type { RunDocument } from '../../schema/document.ts';
import { exitCodeOf, INTERRUPTED, worstExitCode } from '../exit-code.ts';
import { announceRuns } from '../follow/detach.ts';
import { listenForInterrupts } from '../follow/interrupts.ts';
import { settleRun } from '../follow/settle-run.ts';
import type { Session } from '../platform.ts';
import { moneyText } from '../render/amounts.ts';
import { oneLine } from '../render/clean-text.ts';
import { painter, runMark } from '../render/symbols.ts';

type Options = OperationInput<'start-run'>['options'];
type Row = BatchResult['items'][number];

/** A batch to run: the first item (counted from 1), how many in parallel, and the collection. */
export type BatchRun = {
  batch: BatchDocument;
  from: number;
  parallel: number;
  options: Options;
  collection: string | undefined;
  background: boolean;
};

export type BatchEnd = { result: BatchResult; code: number };

/** Runs each item as a job, up to `parallel` at a time, and waits for all; the exit code is that of the worst. */
export async function runBatch(session: Session, request: BatchRun): Promise<BatchEnd> {
  const { platform } = session;
  const { terminal } = platform;
  await using caller = await platform.openCaller(terminal.env);
  const { dir } = request.options;
  const collection = request.collection ?? (await createCollection(caller, dir, request.batch.name));
  const inFlight = new Set<string>();
  const report = (text: string) => terminal.err(`${text}\n`);
  await using interrupts = listenForInterrupts({ platform, caller, report, inFlight: () => [...inFlight] });
  const result: BatchResult = { batch: request.batch.name, collection, items: rowsOf(request) };
  const waiting = result.items.filter(({ item }) => item >= request.from);
  const ended: RunDocument[] = [];
  let failure: { error: unknown } | undefined;

  async function lane(): Promise<void> {
    while (interrupts.how() === undefined && failure === undefined) {
      const row = waiting.shift();
      if (row === undefined) return;
      try {
        const { run } = await caller.call('start-run', requestOf(request, { item: row.item, collection }));
        if (request.background && inFlight.size + ended.length === 0) announceRuns(session, [run]);
        row.run = run;
        inFlight.add(run);
        report(`${position(row, result)}  ${run}  started  ${row.title}`);
        const document = await settleRun(caller, { dir, run }, interrupts.signal);
        inFlight.delete(run);
        ended.push(document);
        Object.assign(row, { title: oneLine(document.title), status: document.status, cost: document.cost });
        report(endText(session, row, result));
      } catch (error) {
        failure ??= { error };
      }
    }
  }

  await Promise.all(Array.from({ length: Math.min(request.parallel, waiting.length) }, lane));
  for (const line of closingLines(result, request.from)) report(line);
  if (failure !== undefined) throw failure.error;
  const isInterrupted = interrupts.how() !== undefined;
  return { result, code: worstExitCode([...ended.map(exitCodeOf), ...(isInterrupted ? [INTERRUPTED] : [])]) };
}

/** Creates a collection named after the batch, with a number if that name is in use. */
async function createCollection(caller: Caller, dir: string, name: string): Promise<string> {
  for (;;) {
    const taken = new Set((await caller.call('list-collections', { dir })).map((collection) => collection.name));
    let candidate = name;
    for (let number = 2; taken.has(candidate); number += 1) candidate = `${name} ${number}`;
    try {
      return (await caller.call('add-collection', { dir, name: candidate })).name;
    } catch (error) {
      // Another process created it first: try the next name.
      if (!(error instanceof AppError) || error.code !== 'COLLECTION_TAKEN') throw error;
    }
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

function requestOf(
  { batch, options }: BatchRun,
  { item, collection }: { item: number; collection: string },
): OperationInput<'start-run'> {
  const { prompt = '', title, template, context } = batch.items[item - 1] ?? {};
  return {
    recipe: 'job',
    input: { task: prompt, ...(template == null ? {} : { template }), ...(context === undefined ? {} : { context }) },
    options: { ...options, collection, ...(title == null ? {} : { title }) },
  };
}

function position({ item }: Row, { items }: BatchResult): string {
  const all = String(items.length);
  return `${String(item).padStart(all.length)}/${all}`;
}

function endText({ platform }: Session, row: Row, result: BatchResult): string {
  const { symbol, paint } = runMark(row.status ?? 'running', painter(platform.terminal.colors.err));
  return `${position(row, result)}  ${row.run}  ${paint(`${symbol} ${row.status}`)}  ${moneyText(row.cost)}  ${row.title}`;
}

function closingLines({ batch, collection, items }: BatchResult, from: number): string[] {
  const counts = new Map<string, number>();
  for (const { status } of items) if (status !== null) counts.set(status, (counts.get(status) ?? 0) + 1);
  const summary = [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
  const name = JSON.stringify(collection);
  const next = items.find(({ item, run }) => item >= from && run === null);
  return [
    `${summary === '' ? 'Nothing was started' : summary}. List the runs: manyhands collection show ${name}`,
    ...(next === undefined
      ? []
      : [
          `The items from ${next.item} were not started. Continue with: manyhands batch run ${batch} --from ${next.item} --collection ${name}`,
        ]),
  ];
}
