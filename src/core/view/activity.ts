import type { WaitsFor } from '../../schema/document.ts';
import type { RunOverview } from '../../schema/overview.ts';
import { untilText } from './amounts.ts';

/** The part of a transcript row that describes what an agent does. */
type TranscriptLine = { kind: string; text: string; data?: unknown };

const MAX_CHARS = 200;
/** The inputs of tools that name their subject, the most specific first. */
const SUBJECT_KEYS = [
  'command',
  'cmd',
  'file_path',
  'path',
  'filePath',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
];
/** Sequences that move the cursor or set colours, as terminals know them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are removed
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)/g;

/** What an agent does, in one line of at most 200 characters; null for a row that does not describe it. */
export function activityOf(row: TranscriptLine): string | null {
  switch (row.kind) {
    case 'text':
    case 'reasoning':
    case 'question':
    case 'result':
    case 'file-change':
    case 'retry':
    case 'status':
    case 'milestone':
      return oneLine(row.text);
    case 'permission-denied':
      return oneLine(`denied: ${row.text}`);
    case 'tool-call': {
      const { tool, detail } = toolCallOf(row);
      return oneLine(detail === '' ? tool : `${tool}: ${detail}`);
    }
    default:
      return null;
  }
}

/** The tool of a call and its subject. */
export function toolCallOf({ text, data }: TranscriptLine): { tool: string; detail: string } {
  return { tool: oneLine(text) ?? 'tool', detail: oneLine(detailOf(inputOf(data))) ?? '' };
}

/** The first non-empty line of a text, without control characters, truncated. */
export function oneLine(text: string): string | null {
  const plain = text.slice(0, 4_000).replaceAll(ESCAPES, '');
  for (const line of plain.split(/[\r\n]+/)) {
    const clean = line
      .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    if (clean !== '') return clean.length <= MAX_CHARS ? clean : `${clean.slice(0, MAX_CHARS - 1)}…`;
  }
  return null;
}

function inputOf(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'input' in data ? data.input : undefined;
}

function detailOf(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return '';
  for (const key of SUBJECT_KEYS) {
    const value: unknown = Reflect.get(input, key);
    if (typeof value === 'string' && value !== '') return value;
    if (Array.isArray(value) && value.length > 0) return value.join(' ');
  }
  return Object.values(input).find((value) => typeof value === 'string' && value !== '') ?? '';
}

/** What the engine and the agents of a run do now, and what the run waits for. */
export type CurrentActivity = Pick<RunOverview, 'activity' | 'waitsFor' | 'live'>;

/** Something that is done now: for which task (or `run`), how far it is, and since when. */
export type CurrentStep = {
  about: string;
  tasks: readonly string[];
  what: string;
  detail: string | null;
  since: number;
};

/** What is done now, one step for each task or group of tasks, shown by its label: the innermost step of the engine, else what its agent does. */
export function currentSteps(
  { activity, live }: Omit<CurrentActivity, 'waitsFor'>,
  label: (task: string) => string = (task) => task,
): CurrentStep[] {
  const steps = new Map<string, CurrentStep>();
  for (const { tasks, labels, what, detail, since } of activity) {
    const [first, ...more] = tasks;
    const name = first === undefined ? 'run' : (labels?.[0] ?? label(first));
    const about = more.length === 0 ? name : `${name} and ${more.length} more`;
    steps.delete(about);
    steps.set(about, { about, tasks, what, detail, since: Date.parse(since) });
  }
  const isPrepared = (task: string) => [...steps.values()].some(({ tasks }) => tasks.includes(task));
  const agents = live.filter(({ task }) => !isPrepared(task));
  return [
    ...steps.values(),
    ...agents.map(({ task, label: name, agent, activity: detail, startedAt }) => {
      return { about: name ?? label(task), tasks: [task], what: `${agent} works`, detail, since: startedAt };
    }),
  ];
}

/** A longer command is cut, so that its duration and its last line are seen. */
const MOST_WHAT_CHARS = 48;

/** The step as one line, with its duration. */
export function stepText({ what, detail, since }: CurrentStep, now: number, duration: (ms: number) => string): string {
  const shown = what.length <= MOST_WHAT_CHARS ? what : `${what.slice(0, MOST_WHAT_CHARS - 1)}…`;
  return `${shown} (${duration(Math.max(now - since, 0))})${detail === null ? '' : `: ${detail}`}`;
}

/** What a run waits for, with a local time: `scheduled for 14:05`, `waits: claude is rate-limited until 14:05`, or the seconds of a short wait. */
export function waitText({ kind, text, until }: WaitsFor, now: number): string {
  const end = until === null ? undefined : Date.parse(until);
  if (kind === 'time') return end === undefined ? text : `scheduled for ${untilText(end, now)}`;
  const prefix = kind === 'agent' || kind === 'slots' ? 'waits: ' : '';
  if (end === undefined) return `${prefix}${text}`;
  const isSoon = end > now && end - now < 60_000;
  return `${prefix}${text} ${isSoon ? `(${Math.ceil((end - now) / 1000)}s left)` : `until ${untilText(end, now)}`}`;
}
