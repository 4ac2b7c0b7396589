import { isSatisfied } from '../../gates/gate-kinds.ts';
import type { RunDocument } from '../../schema/document.ts';
import type { Evidence } from '../../schema/gate.ts';

/** A check that did not pass, and its subject: the base, the landing, or tasks by their keys. */
export type FailedCheck = { about: string[]; evidence: Evidence };

/** The details of a check that did not pass: facts about it, and the last lines of its output. */
export type CheckOutput = { facts: string[]; lines: string[] };

/** How an entry point formats a duration. */
type DurationFormat = { duration(ms: number): string };

type Checked = Pick<RunDocument, 'tasks' | 'baseEvidence' | 'landingEvidence'>;

const MAX_LINES = 20;
/** Minified code and data can make a line of many kilobytes. */
const MAX_COLUMNS = 400;

/** The checks of a run that did not pass, each once; those of a task that is done since are omitted. */
export function failedChecks({ tasks, baseEvidence = [], landingEvidence = [] }: Checked): FailedCheck[] {
  const found = new Map<string, FailedCheck>();
  const add = (about: string, all: readonly Evidence[]) => {
    for (const evidence of all.filter(isFailed)) {
      const key = JSON.stringify([evidence.gate, evidence.tree, evidence.definition]);
      const known = found.get(key);
      if (known === undefined) found.set(key, { about: [about], evidence });
      else known.about.push(about);
    }
  };
  add('the base', baseEvidence);
  for (const { key, status, evidence, earlierEvidence = [] } of tasks)
    if (status !== 'done') add(key, [...evidence, ...earlierEvidence]);
  add('the landing', landingEvidence);
  return [...found.values()];
}

export function isFailed({ verdict, stale }: Evidence): boolean {
  return !isSatisfied(verdict) && stale !== true;
}

/** The command, the exit code, the duration and the file of a check's output, with its last 20 lines. */
export function checkOutput(evidence: Evidence, format: DurationFormat): CheckOutput {
  const { command, output = '', outputLines, outputFile } = evidence;
  const all = output.trimEnd() === '' ? [] : output.trimEnd().split('\n');
  const lines = all.slice(-MAX_LINES).map(shorten);
  const omitted = Math.max(all.length, outputLines ?? 0) - lines.length;
  const facts = [
    ...(command === undefined ? [] : [`command: ${shorten(command.trim().replaceAll(/\s*\n\s*/g, '; '))}`]),
    ...endText(evidence, format),
    ...(omitted > 0 ? [`output: the last ${lines.length} lines; ${omitted} lines before them are omitted`] : []),
    ...(command !== undefined && lines.length === 0 ? ['output: none'] : []),
    ...(outputFile === undefined ? [] : [`complete output: ${outputFile}`]),
  ];
  return { facts, lines };
}

/** The same as plain lines, the output indented. */
export function checkOutputLines(evidence: Evidence, format: DurationFormat): string[] {
  const { facts, lines } = checkOutput(evidence, format);
  return [...facts, ...lines.map((line) => `  ${line}`)];
}

function endText({ exitCode, command, durationMs }: Evidence, format: DurationFormat): string[] {
  if (exitCode !== null) return [`exit code ${exitCode} after ${format.duration(durationMs)}`];
  return command === undefined || durationMs === 0 ? [] : [`no exit code; ended after ${format.duration(durationMs)}`];
}

/** Without the spaces at its end: tools that print tables pad their lines. */
function shorten(line: string): string {
  const text = line.trimEnd();
  return text.length <= MAX_COLUMNS ? text : `${text.slice(0, MAX_COLUMNS - 1).trimEnd()}…`;
}
