import type { Caller } from '../../access/caller.ts';
import type { RunDocument } from '../../schema/document.ts';
import { exitCodeOf, INTERRUPTED, worstExitCode } from '../exit-code.ts';
import type { Platform, Session } from '../platform.ts';
import { cleanText } from '../render/clean-text.ts';
import { printJson, printLines } from '../render/output.ts';
import { summaryLines } from '../render/summary.ts';
import { painter } from '../render/symbols.ts';
import { announceRuns, detachSession } from './detach.ts';
import { type Followed, followRun } from './follow-run.ts';
import type { Interruption } from './interrupts.ts';
import { dashboardOf } from './show-dashboard.ts';

export type Work = {
  dir: string;
  json: boolean;
  detach: boolean;
  background: boolean;
  /** Whether the request reads standard input. */
  readsInput?: boolean;
  /** Whether the answer is a list of runs even if it is one. */
  many?: boolean;
  /** Whether the answer of a reading run is not output but something that `settled` makes use of. */
  hidesResult?: boolean;
  /** Asks for the work and gives the runs to follow. */
  begin(caller: Caller): Promise<string[]>;
  /** Lets the person take part in a run before it is followed; not in the background. */
  attend?(caller: Caller, run: string): Promise<void>;
  /** Is told of each run that is settled, and gives further runs to follow; somebody stays to do so, also with --detach. */
  settled?(document: RunDocument, caller: Caller): Promise<string[]>;
};

/** Asks for work and follows it until it is settled, or hands it to the background; gives the exit code. */
export async function work(session: Session, asked: Work): Promise<number> {
  const { platform } = session;
  if (asked.detach) return await workInBackground(session, asked);
  await using dashboard = dashboardOf(platform);
  await using caller = await platform.openCaller(platform.terminal.env);
  const since = platform.world.now();
  const runs = [...(await asked.begin(caller))];
  if (asked.background) announceRuns(session, runs);
  if (runs[0] !== undefined) await dashboard.show(caller, runs[0]);
  for (const run of asked.background ? [] : runs) await asked.attend?.(caller, run);
  const documents: RunDocument[] = [];
  const codes: number[] = [];
  for (const run of runs) {
    const followed = await followRun({ platform, caller, dir: asked.dir, run, since, takesOver: true });
    if (followed.document !== undefined) documents.push(followed.document);
    codes.push(conclude(platform, run, followed));
    if (followed.kind === 'interrupted') break;
    runs.push(...((await asked.settled?.(followed.document, caller)) ?? []));
  }
  report(platform, asked, documents);
  return worstExitCode(codes);
}

/** Tells how following ended: the summary, or how to go on. */
export function conclude(platform: Platform, run: string, followed: Followed): number {
  const { terminal, world } = platform;
  if (followed.kind === 'interrupted') {
    terminal.err(`${interruptedText(followed.how, run)}\n`);
    return INTERRUPTED;
  }
  const colors = painter(terminal.colors.err);
  const view = { columns: terminal.size().columns, now: world.now(), colors };
  for (const line of summaryLines(followed.document, view)) terminal.err(`${line}\n`);
  return exitCodeOf(followed.document);
}

/** Output proper: the document with --json, else the answer of a reading job. */
export function report(
  platform: Platform,
  { json, many, hidesResult }: { json: boolean; many?: boolean; hidesResult?: boolean },
  documents: readonly RunDocument[],
): void {
  if (json) {
    const [first] = documents;
    if (many || first !== undefined) printJson(platform.terminal, many ? documents : first);
    return;
  }
  for (const { result } of hidesResult ? [] : documents) {
    if (result === undefined || result === null || result === '') continue;
    if (typeof result === 'string') printLines(platform.terminal, [cleanText(result)]);
    else printJson(platform.terminal, result);
  }
}

async function workInBackground(session: Session, asked: Work): Promise<number> {
  const { terminal } = session.platform;
  const runs =
    (await beginElsewhere(session.platform, asked)) ?? (await detachSession(session, asked.readsInput ?? false));
  if (asked.json) printJson(terminal, asked.many ? runs.map((run) => ({ run })) : { run: runs[0] ?? null });
  else printLines(terminal, runs);
  return 0;
}

/** A living engine, found by asking it something, takes the work at once; then nothing has to be started. */
async function beginElsewhere(platform: Platform, asked: Work): Promise<string[] | undefined> {
  if (asked.settled !== undefined) return undefined;
  await using caller = await platform.openCaller(platform.terminal.env);
  await caller.call('list-runs', { limit: 1 });
  return caller.engine() === 'other' ? await asked.begin(caller) : undefined;
}

function interruptedText(how: Interruption, run: string): string {
  switch (how) {
    case 'left':
      return `Stopped watching; run ${run} goes on in another process. Watch it with: manyhands wait ${run}`;
    case 'drained':
      return `Interrupted; what was running has ended and is saved. Go on with: manyhands resume ${run}`;
    case 'stopped':
      return `Stopped; the work so far is saved. Go on with: manyhands resume ${run}`;
    case 'ended':
      return `The engine has ended; nothing is lost. Go on with: manyhands resume ${run}`;
  }
}
