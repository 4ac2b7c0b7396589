import type { Caller } from '../../access/caller.ts';
import type { RunDocument } from '../../schema/document.ts';
import { exitCodeOf, INTERRUPTED, worstExitCode } from '../exit-code.ts';
import type { Platform, Session } from '../platform.ts';
import { cleanText } from '../render/clean-text.ts';
import { printJson, printLines } from '../render/output.ts';
import { summaryLines } from '../render/summary.ts';
import { painter } from '../render/symbols.ts';
import { answerHold } from './answer-hold.ts';
import { announceRuns, detachSession } from './detach.ts';
import { engineNote } from './engine-note.ts';
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
  /** Whether --json prints a list of runs even for a single run. */
  many?: boolean;
  /** Whether the result of a read-only run is not printed because `settled` uses it. */
  hidesResult?: boolean;
  /** Requests the work and returns the runs to follow. */
  begin(caller: Caller): Promise<string[]>;
  /** Attaches the user to a run before it is followed; not in the background. */
  attend?(caller: Caller, run: string): Promise<void>;
  /** Called for each settled run; returns more runs to follow. With --detach, a background process stays to call it. */
  settled?(document: RunDocument, caller: Caller): Promise<string[]>;
};

/** Requests work and follows it until it is settled, or passes it to the background; returns the exit code. */
export async function work(session: Session, request: Work): Promise<number> {
  const { platform } = session;
  if (request.detach) return await workInBackground(session, request);
  await using dashboard = dashboardOf(platform);
  await using caller = await platform.openCaller(platform.terminal.env);
  const since = platform.world.now();
  const runs = [...(await request.begin(caller))];
  await reportEngine(platform, caller, request.dir);
  if (request.background) announceRuns(session, runs);
  if (runs[0] !== undefined) await dashboard.show(caller, runs[0]);
  for (const run of request.background ? [] : runs) await request.attend?.(caller, run);
  const documents: RunDocument[] = [];
  const codes: number[] = [];
  for (const run of runs) {
    const following = { platform, caller, dir: request.dir, run, since, takesOver: true };
    let followed = await followRun(following);
    while (followed.kind === 'settled' && !request.json && (await answerHold(following, followed.document)))
      followed = await followRun({ ...following, since: platform.world.now() });
    if (followed.document !== undefined) documents.push(followed.document);
    codes.push(conclude(platform, run, followed));
    if (followed.kind === 'interrupted') break;
    runs.push(...((await request.settled?.(followed.document, caller)) ?? []));
  }
  report(platform, request, documents);
  return worstExitCode(codes);
}

/** Agents run in the environment of the engine: what differs in this shell is printed, so that a missing program is understood. */
async function reportEngine({ terminal }: Platform, caller: Caller, dir: string): Promise<void> {
  const note = await engineNote(caller, terminal, dir);
  if (note === undefined || note.differences.length === 0) return;
  const text = `The engine (${note.engine}) runs this with its own environment: ${note.differences.join('; ')}.`;
  terminal.err(`note: ${cleanText(text)} To use this shell's: manyhands stop, then manyhands serve.\n`);
}

/** Prints how following ended: the summary, or how to continue; returns the exit code. */
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

/** Prints to stdout: the document with --json, else the result of a read-only job. */
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

async function workInBackground(session: Session, request: Work): Promise<number> {
  const { terminal } = session.platform;
  const runs =
    (await beginInRunningEngine(session.platform, request)) ??
    (await detachSession(session, request.readsInput ?? false));
  if (request.json) printJson(terminal, request.many ? runs.map((run) => ({ run })) : { run: runs[0] ?? null });
  else printLines(terminal, runs);
  return 0;
}

/** If an engine is running (which a first call finds out), it gets the work and no background process is needed. */
async function beginInRunningEngine(platform: Platform, request: Work): Promise<string[] | undefined> {
  if (request.settled !== undefined) return undefined;
  await using caller = await platform.openCaller(platform.terminal.env);
  await caller.call('list-runs', { limit: 1 });
  return caller.engine() === 'other' ? await request.begin(caller) : undefined;
}

function interruptedText(how: Interruption, run: string): string {
  switch (how) {
    case 'left':
      return `Stopped watching; run ${run} continues in another process. Watch it with: manyhands wait ${run}`;
    case 'drained':
      return `Interrupted; the running attempts have ended and their work is saved. Continue with: manyhands resume ${run}`;
    case 'stopped':
      return `Stopped; the work so far is saved. Continue with: manyhands resume ${run}`;
    case 'ended':
      return `The engine has ended; no work is lost. Continue with: manyhands resume ${run}`;
  }
}
