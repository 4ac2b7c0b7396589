import { type Caller, isElsewhere } from '../../access/caller.ts';
import type { OwnServer, ServerHandle } from '../../access/server-handle.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { RunDocument } from '../../schema/document.ts';
import { exitCodeOf, INTERRUPTED, worstExitCode } from '../exit-code.ts';
import type { Platform, Session } from '../platform.ts';
import { cleanText } from '../render/clean-text.ts';
import { printJson, printLines } from '../render/output.ts';
import { summaryLines } from '../render/summary.ts';
import { painter } from '../render/symbols.ts';
import { announceRuns, detachSession } from './detach.ts';
import { engineNote } from './engine-note.ts';
import { type Followed, followRun } from './follow-run.ts';
import type { Interruption } from './interrupts.ts';

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
  /** The arguments of this program in a window that shows a run, also if it works in the background. */
  window?(run: string): string[];
  /** The exit code for a settled run, where it is not that of its status. */
  exitCode?(document: RunDocument): number;
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
  await openWindows(platform, request, runs);
  for (const run of request.background ? [] : runs) await request.attend?.(caller, run);
  const documents: RunDocument[] = [];
  const codes: number[] = [];
  for (const run of runs) {
    const following = { platform, caller, dir: request.dir, run, since, takesOver: true };
    let followed = await followRun(following);
    while (followed.kind === 'settled' && !request.json && (await answerHold(following, followed.document)))
      followed = await followRun({ ...following, since: platform.world.now() });
    if (followed.document !== undefined) documents.push(followed.document);
    const code = conclude(platform, run, followed);
    if (followed.kind === 'settled')
      await receiveResult(platform, caller, { dir: request.dir, document: followed.document });
    codes.push(followed.kind === 'settled' ? (request.exitCode?.(followed.document) ?? code) : code);
    if (followed.kind === 'interrupted') break;
    runs.push(...((await request.settled?.(followed.document, caller)) ?? []));
  }
  report(platform, request, documents);
  return worstExitCode(codes);
}

async function openWindows(platform: Platform, { window }: Work, runs: readonly string[]): Promise<void> {
  for (const run of window === undefined ? [] : runs) {
    const args = window?.(run) ?? [];
    if (await platform.openWindow(args)) continue;
    const command = `manyhands ${args.join(' ')}`;
    platform.terminal.err(`note: There is no desktop and no tmux to open a window in. Watch it with: ${command}\n`);
  }
}

/** Agents run in the environment of the engine: what differs in this shell is printed, so that a missing program is understood. */
async function reportEngine({ terminal }: Platform, caller: Caller, dir: string): Promise<void> {
  const note = await engineNote(caller, terminal, dir);
  if (note === undefined || note.differences.length === 0) return;
  const text = `The engine (${note.engine}) runs this with its own environment: ${note.differences.join('; ')}.`;
  terminal.err(
    `note: ${cleanText(text)} To use the environment of this shell: manyhands stop, then manyhands serve.\n`,
  );
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

/** With a server, fetches what a run has reached into the clone of the user; a failure is a note, because the server has it. */
export async function receiveResult(
  { terminal }: Platform,
  caller: Caller,
  { dir, document }: { dir: string; document: RunDocument },
): Promise<void> {
  if (caller.receive === undefined || document.branch === null) return;
  try {
    const { branch, commit } = await caller.receive(document.run, dir);
    terminal.err(`Fetched ${branch} (${commit.slice(0, 10)}) into this clone\n`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== 'REFUSED')
      terminal.err(`note: The branch of the run was not fetched: ${cleanText(error.message)}\n`);
  }
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
  const begun = await beginInRunningEngine(session.platform, request);
  // A background process opens its windows itself.
  if (begun !== undefined) await openWindows(session.platform, request, begun);
  const runs = begun ?? (await detachSession(session, request.readsInput ?? false));
  if (request.json) printJson(terminal, request.many ? runs.map((run) => ({ run })) : { run: runs[0] ?? null });
  else printLines(terminal, runs);
  return 0;
}

/** If an engine is running (which a first call finds out), it gets the work and no background process is needed. */
async function beginInRunningEngine(platform: Platform, request: Work): Promise<string[] | undefined> {
  if (request.settled !== undefined) return undefined;
  await using caller = await platform.openCaller(platform.terminal.env);
  await caller.call('list-runs', { limit: 1 });
  return isElsewhere(caller) ? await request.begin(caller) : undefined;
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

const END_OPTION = { id: 'end', label: 'end the run' };

/** Asks on a terminal for the answer to a hold of the whole run that has options; returns whether the run was answered. */
async function answerHold(
  { platform, caller, dir }: { platform: Platform; caller: Caller; dir: string },
  { run, attention }: RunDocument,
): Promise<boolean> {
  const held = attention.find(({ task, options }) => task === null && options !== undefined);
  if (held?.options === undefined || held.hold === undefined) return false;
  const questions = await platform.questions();
  if (questions === undefined) return false;
  const { hold } = held;
  const options = [...held.options, END_OPTION];
  platform.terminal.err(`${cleanText(held.reason)}\n`);
  const list = options.map(({ id, label }) => `${id} (${label})`).join(', ');
  for (;;) {
    const answer = await questions.text(`Choose one of: ${cleanText(list)}`, options[0]?.id ?? END_OPTION.id);
    if (answer === null) return false;
    if (!options.some(({ id }) => id === answer)) continue;
    if (answer === END_OPTION.id) await caller.call('reject-run', { dir, run, hold, reason: 'ended by the user' });
    else await caller.call('approve-run', { dir, run, hold, option: answer });
    return true;
  }
}

/** The dashboard of a command that follows runs: its own server, or the one that already runs. */
interface ShownDashboard extends AsyncDisposable {
  /** Prints the address of the run; opens a server if this process is the engine and the settings enable it. */
  show(caller: Caller, run: string): Promise<void>;
}

/** Closes its own server on disposal; a failure to serve is printed and otherwise ignored. */
function dashboardOf(platform: Platform): ShownDashboard {
  let own: OwnServer | undefined;
  return {
    show: async (caller, run) => {
      const { terminal } = platform;
      try {
        if (caller.server !== undefined) {
          terminal.err(`Dashboard  ${caller.server}/runs/${run}\n`);
          return;
        }
        const server = await openOrFind(platform, caller);
        if (server === undefined) return;
        if (Symbol.asyncDispose in server) own = server;
        const address = terminal.isLive ? await server.link(`/runs/${run}`) : `${server.url}/runs/${run}`;
        terminal.err(`Dashboard  ${address}\n`);
      } catch (error) {
        terminal.err(`note: the dashboard cannot be shown: ${messageOf(error)}\n`);
      }
    },
    [Symbol.asyncDispose]: async () => own?.[Symbol.asyncDispose](),
  };
}

async function openOrFind(platform: Platform, caller: Caller): Promise<ServerHandle | OwnServer | undefined> {
  if (!(await platform.isServedWithRuns())) return undefined;
  return caller.engine() === 'own' ? platform.openServer(caller, { kind: 'run' }) : platform.findServer();
}
