import { bestEntries, giveEntries } from '../../core/project/knowledge.ts';
import type { RunState, TaskState } from '../../core/run/state.ts';
import { checkpointLines, checkpointOf } from '../../core/view/checkpoint.ts';
import { scopeGates } from '../../gates/gate-kinds.ts';
import { promptText } from '../../roles/prompt.ts';
import { BY_ENGINE } from '../../schema/actor.ts';
import { type KnowledgeEntry, knowledgeStream } from '../../schema/coordination/knowledge.ts';
import type { FailureKind } from '../../schema/failure.ts';
import { attemptId } from '../../schema/ids.ts';
import type { Checkpoint } from '../../schema/report/checkpoint.ts';
import type { Store } from '../../store/store.ts';
import { crashpoint } from '../../world.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';

/** About 2,000 tokens. */
const MOST_CHARACTERS = 8_000;
/** The rows of the end of an attempt, and its milestones from the beginning on. */
const LAST_ROWS = 1_000;
const MOST_MILESTONES = 200;
/** A lost session is noticed by an attempt that does nothing else. */
const NEWEST_ATTEMPTS = 4;

/** After these an agent was cut off: what it knew is in no session any more, unless the next attempt continues it. */
const CUT_OFF: ReadonlySet<FailureKind> = new Set([
  'session-lost',
  'interrupted',
  'crashed',
  'killed',
  'out-of-memory',
  'context-full',
  'stalled',
  'timeout',
  'rate-limit',
  'usage-limit',
  'overloaded',
  'network',
]);

/** The attempt whose prompt is made; `session`: the one that it continues. */
export type MemoryRequest = { task: TaskState; attempt: string; session: string | undefined };

/** The sections of a prompt with how far the task was, and with what is known and fits it. */
export async function memorySections(ctx: EngineContext, run: ActiveRun, request: MemoryRequest): Promise<string> {
  return `${checkpointSection(ctx, run, request)}${await memorySection(ctx, run, request)}`;
}

/** The section of a prompt with what is known and fits the task, quoted as data; recorded for the attempt. Empty where nothing fits. */
export async function memorySection(
  ctx: EngineContext,
  run: ActiveRun,
  { task, attempt }: { task: TaskState; attempt: string },
): Promise<string> {
  const { knowledge } = ctx.coordination;
  const scopes = ['project', 'everywhere'] as const;
  const known = await Promise.all(scopes.map((scope) => knowledge.current(knowledgeStream(scope, run.project.id))));
  const entries = known.flatMap((state) => Object.values(state.entries));
  const chosen = fitting(bestEntries(entries, `${task.spec.title} ${task.spec.prompt}`));
  if (chosen.length === 0) return '';
  const given = { run: run.id, task: task.spec.key, attempt, entries: chosen.map(({ id }) => id) };
  crashpoint('knowledge.giving');
  await knowledge.ledgers.update(
    knowledgeStream('project', run.project.id),
    (state) => giveEntries(state, given),
    BY_ENGINE,
  );
  crashpoint('knowledge.given');
  return `\n${promptText('roles/sections/memory', { entries: chosen.map(quoted).join('\n\n') }).trim()}\n`;
}

function fitting(entries: readonly KnowledgeEntry[]): KnowledgeEntry[] {
  let left = MOST_CHARACTERS;
  return entries.filter((entry) => {
    const size = quoted(entry).length + 2;
    if (size > left) return false;
    left -= size;
    return true;
  });
}

/** Every line is quoted, so that none of it can look like a part of the prompt. */
function quoted({ id, title, text }: KnowledgeEntry): string {
  return [`[${id}] ${title}`, ...text.split('\n')].map((line) => `> ${line.replaceAll('\r', '')}`).join('\n');
}

/** The checkpoint of an attempt; undefined while it is short. */
function readCheckpoint(
  store: Pick<Store, 'rowCount' | 'page' | 'transcript'>,
  state: RunState,
  { task, number }: { task: TaskState; number: number },
): Checkpoint | undefined {
  const { spec, ordinal } = task;
  const attempt = attemptId(state.start.run, ordinal, number);
  const total = store.rowCount(attempt);
  const offset = Math.max(total - LAST_ROWS, 0);
  const last = store.page({ attempt, offset, limit: LAST_ROWS });
  const first = last[0]?.id ?? 0;
  const milestones =
    offset === 0
      ? []
      : store.transcript({ attempt, limit: MOST_MILESTONES, kinds: ['milestone'] }).filter(({ id }) => id < first);
  const allowed = scopeGates(spec.gates).flatMap(({ allow, also }) => (allow.length === 0 ? [] : [...allow, ...also]));
  return checkpointOf([...milestones, ...last], { title: spec.title, prompt: spec.prompt, allowed }, total);
}

/** The checkpoint of the last long attempt of a task, among its newest ones. */
export function lastCheckpoint(
  store: Pick<Store, 'rowCount' | 'page' | 'transcript'>,
  state: RunState,
  task: TaskState,
): (Checkpoint & { attempt: number }) | undefined {
  for (const { number } of task.attempts.slice(-NEWEST_ATTEMPTS).reverse()) {
    const checkpoint = readCheckpoint(store, state, { task, number });
    if (checkpoint !== undefined) return { attempt: number, ...checkpoint };
  }
  return undefined;
}

/** The section of a prompt with how far the task was, if its agent was cut off and no session continues; quoted as data. */
export function checkpointSection(
  { store }: Pick<EngineContext, 'store'>,
  run: ActiveRun,
  { task, session }: { task: TaskState; session: string | undefined },
): string {
  const ended = task.attempts.findLast((attempt) => attempt.ended !== null)?.ended;
  if (session !== undefined || !CUT_OFF.has(ended?.failure?.kind ?? 'unknown')) return '';
  const checkpoint = lastCheckpoint(store, run.ledger.state, task);
  const lines = checkpoint === undefined ? [] : checkpointLines(checkpoint).map((line) => `> ${line}`);
  if (lines.length === 0) return '';
  return `\n${promptText('roles/sections/checkpoint', { lines: lines.join('\n') }).trim()}\n`;
}
