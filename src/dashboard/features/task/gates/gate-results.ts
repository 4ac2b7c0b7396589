import type { TaskState } from '../../../../core/run/state.ts';
import { type CheckOutput, checkOutput } from '../../../../core/view/failed-check.ts';
import { isOnCandidate, isSatisfied, judgesResult, shellText } from '../../../../gates/gate-kinds.ts';
import type { Evidence, GateSpec, Verdict } from '../../../../schema/gate.ts';
import type { DisplayState } from '../../../ui/state/display-state.ts';

/** A gate with its latest evidence; `evidence` is null if it has not run, `command` if it is not a command. `isOfAttempt`: it has no evidence of its own, the attempt fails with it. */
export type Gate = {
  key: string;
  name: string;
  command: string | null;
  evidence: Evidence | null;
  isOfAttempt: boolean;
};

/** A step of a verification report. */
export type Step = { number: number; result: 'PASS' | 'FAIL' | 'NOT VERIFIED'; text: string };

/** The gates of the work of one attempt. */
export type AttemptGates = { attempt: number; isLast: boolean; gates: Gate[] };

/** The gates by attempt, the newest first; an earlier attempt has only those that ran for its work. */
export function gatesByAttempt({
  spec,
  attempts,
  evidence,
}: Pick<TaskState, 'spec' | 'attempts' | 'evidence'>): AttemptGates[] {
  const last = attempts.length;
  const current = { attempt: last, isLast: true, gates: pairGates(spec.gates, evidence) };
  const earlier = attempts.slice(0, -1).map(({ number, ended }) => ({
    attempt: number,
    isLast: false,
    gates: pairGates([], ended?.evidence ?? []).map((gate) => ({
      ...gate,
      command: commandOf(spec.gates.find(({ name }) => name === gate.name)),
    })),
  }));
  return [current, ...earlier.toReversed()].filter(({ gates }) => gates.length > 0);
}

/** The evidence with its gates, then the gates without evidence. */
export function pairGates(specs: readonly GateSpec[], evidence: readonly Evidence[]): Gate[] {
  const found = evidence.map((each, index) => ({
    key: `${index} ${each.gate}`,
    name: each.gate,
    command: commandOf(specs.find(({ name }) => name === each.gate)),
    evidence: each,
    isOfAttempt: false,
  }));
  const reported = new Set(evidence.map(({ gate }) => gate));
  const missing = specs
    .filter(({ name }) => !reported.has(name))
    .map((spec) => ({
      key: spec.name,
      name: spec.name,
      command: commandOf(spec),
      evidence: null,
      isOfAttempt: judgesResult(spec),
    }));
  return [...found, ...missing];
}

const DISPLAY_STATES: Record<Verdict, DisplayState> = {
  pass: 'done',
  fail: 'failed',
  held: 'waiting',
  error: 'failed',
  'not-applicable': 'unverified',
};
const VERDICTS: Record<Verdict, string> = {
  pass: 'passed',
  fail: 'failed',
  held: 'needs approval',
  error: 'could not run',
  'not-applicable': 'not applicable',
};

/** How the result of a gate is shown; `isPassed`: the attempt passed it, without evidence of its own. */
export function resultOf(
  evidence: Evidence | null,
  { isOver, isPassed }: { isOver: boolean; isPassed: boolean },
): { displayState: DisplayState; text: string } {
  if (evidence !== null)
    return {
      displayState: evidence.stale === true ? 'stale' : DISPLAY_STATES[evidence.verdict],
      text: VERDICTS[evidence.verdict],
    };
  if (isPassed) return { displayState: 'done', text: 'passed with the attempt' };
  return { displayState: 'queued', text: isOver ? 'no evidence' : 'not run yet' };
}

/** The steps of a verification report; an indented line belongs to the previous step. */
export function stepsOf(report: string): Step[] {
  const steps: Step[] = [];
  for (const line of report.split('\n')) {
    const [, number, result, text = ''] = /^STEP (\d{1,4}): (PASS|FAIL|NOT VERIFIED)\b ?(.*)$/.exec(line) ?? [];
    const last = steps.at(-1);
    if (result === 'PASS' || result === 'FAIL' || result === 'NOT VERIFIED')
      steps.push({ number: Number(number), result, text });
    else if (last !== undefined && line.startsWith('  ')) last.text = `${last.text}\n${line.trim()}`;
  }
  return steps;
}

/** What is shown of a check that did not pass, besides its command and how it ended, which its card shows in any case. */
export function failedOutput(evidence: Evidence | null, duration: (ms: number) => string): CheckOutput | null {
  if (evidence === null || isSatisfied(evidence.verdict)) return null;
  const { command: _command, outputFile: _file, ...shown } = evidence;
  return checkOutput({ ...shown, exitCode: null }, { duration });
}

function commandOf(spec: GateSpec | undefined): string | null {
  if (spec === undefined || !isOnCandidate(spec)) return null;
  return shellText(spec);
}
