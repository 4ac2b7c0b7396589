import { redactForms } from '../core/redact.ts';
import type { RunState } from '../core/run/state.ts';
import { momentText, timeText } from '../core/view/amounts.ts';
import { taskLabel } from '../core/view/task-label.ts';
import type { TranscriptLine } from '../schema/transcript-page.ts';
import { type Block, paragraph, section } from './page.ts';

/** The last rows of the transcript of one attempt, and how many it has. */
type AttemptTranscript = { task: string; attempt: number; rows: readonly TranscriptLine[]; total: number };

/** What a full report has besides: the patch of the result, or why there is none, and what the agents said. */
export type FullMaterial = { diff: string | null; transcripts: readonly AttemptTranscript[] };

/** Files of a patch that are written out; the size of a report stays bounded. */
const MAX_FILES = 500;
const MAX_DIFF_CHARS = 4_000_000;
const MAX_TRANSCRIPT_CHARS = 8_000_000;
const MAX_ROW_CHARS = 4_000;

/** The time line, the patch and the transcripts of a run; known forms of secrets are removed, since the report leaves the machine. */
export function fullBlocks(state: RunState, { diff, transcripts }: FullMaterial): Block[] {
  return [
    ...section('Time line', timelineBlocks(state)),
    ...section('Patch', diff === null ? [paragraph('The repository could not be read.')] : diffBlocks(diff)),
    ...section('Transcripts', transcriptBlocks(state, transcripts)),
  ];
}

function timelineBlocks({ startedAt, status, order, tasks }: RunState): Block[] {
  const attempts = order.flatMap((key) => {
    const task = tasks[key];
    return (task?.attempts ?? []).map((attempt) => ({
      label: task === undefined ? key : taskLabel(task.spec),
      attempt,
    }));
  });
  const last = attempts.map(({ attempt }) => attempt.ended?.at ?? attempt.startedAt);
  const until = Math.max(startedAt, status.kind === 'ended' ? status.at : startedAt, ...last);
  const rows = attempts.map(({ label, attempt }) => ({
    label: `${label} #${attempt.number} ${attempt.agent}`,
    from: attempt.startedAt,
    until: attempt.ended?.at ?? until,
    isFailed: attempt.ended !== null && attempt.ended.failure !== null,
  }));
  return rows.length === 0 ? [] : [{ kind: 'timeline', from: startedAt, until, rows }];
}

function diffBlocks(diff: string): Block[] {
  const files = diff.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
  const blocks: Block[] = [];
  let size = 0;
  for (const file of files.slice(0, MAX_FILES)) {
    size += file.length;
    if (size > MAX_DIFF_CHARS) break;
    const title = /^diff --git (?:"?a\/.*?"?) "?b\/(.*?)"?$/m.exec(file)?.[1] ?? 'a file';
    blocks.push({ kind: 'details', summary: title, blocks: [{ kind: 'diff', text: redactForms(file) }] });
  }
  if (files.length === 0) return [paragraph('Nothing has landed on the branch of this run.')];
  const left = files.length - blocks.length;
  return left === 0 ? blocks : [...blocks, paragraph(`${left} more files are left out: the patch is too long.`)];
}

function transcriptBlocks(state: RunState, transcripts: readonly AttemptTranscript[]): Block[] {
  let size = 0;
  const blocks = transcripts.flatMap(({ task, attempt, rows, total }): Block[] => {
    const text = rows.map(rowText).join('\n\n');
    size += text.length;
    if (size > MAX_TRANSCRIPT_CHARS) return [];
    const spec = state.tasks[task]?.spec;
    const label = spec === undefined ? task : `${taskLabel(spec)}: ${spec.title}`;
    const left = total > rows.length ? [paragraph(`The first ${total - rows.length} rows are left out.`)] : [];
    const begun = rows[0] === undefined ? '' : `, from ${momentText(rows[0].at)}`;
    return [
      {
        kind: 'details',
        summary: `${label}, attempt ${attempt}${begun}`,
        blocks: [...left, { kind: 'transcript', text: redactForms(text) }],
      },
    ];
  });
  const left = transcripts.length - blocks.length;
  return left === 0
    ? blocks
    : [...blocks, paragraph(`${left} more attempts are left out: their transcripts are too long.`)];
}

function rowText({ at, kind, text, stderr }: TranscriptLine): string {
  const long =
    text.length > MAX_ROW_CHARS
      ? `${text.slice(0, MAX_ROW_CHARS)} … (${text.length - MAX_ROW_CHARS} more characters)`
      : text;
  return `[${timeText(at)} ${kind}${stderr === true ? ', stderr' : ''}]\n${long}`;
}
