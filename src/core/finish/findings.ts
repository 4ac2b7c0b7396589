import type { Finding } from '../../schema/acceptance.ts';
import { type FileChange, FileTrait } from '../../schema/change.ts';
import type { RiskSeverity } from '../../schema/risk.ts';
import { openWarnings } from '../attempt/fold-attempt.ts';
import { flagsOf, lastAttempt, type RunState } from '../run/state.ts';
import { labelOf } from '../view/task-label.ts';
import { changeSummary } from './change-summary.ts';

const MOST_FILES = 5;
const TRAIT_SEVERITY: Readonly<Record<FileTrait, RiskSeverity>> = {
  'case-collision': 'medium',
  'over-limit': 'medium',
  link: 'low',
  executable: 'low',
  'not-executable': 'low',
  'line-endings': 'low',
};
const RANK: Readonly<Record<RiskSeverity, number>> = { high: 0, medium: 1, low: 2 };

/** What a person should know about the result of a run, the most severe first: the one list that verify, judge, warnings and the dashboard show. */
export function findingsOf(state: RunState, changes: readonly FileChange[]): Finding[] {
  const found = [...resultFindings(state, changes), ...warningFindings(state)];
  return found.sort((a, b) => RANK[a.severity] - RANK[b.severity]);
}

/** The findings about what landed, without the warnings about attempts, which a person can dismiss. */
export function resultFindings(state: RunState, changes: readonly FileChange[]): Finding[] {
  return [...riskFindings(state), ...changeFindings(changes)];
}

/** Whether a finding needs a person: it is severe, and no person has approved it. */
export function isOpen({ severity, approved }: Finding): boolean {
  return severity === 'high' && !approved;
}

/** A finding as one sentence. */
export function findingText(state: RunState, { task, severity, detail, approved }: Finding): string {
  return `${task === null ? '' : `${labelOf(state, task)}: `}${severity}: ${detail}${approved ? ' (approved by a person)' : ''}`;
}

/** The risks of the work that landed; what is risky about other work waits with it. */
function riskFindings(state: RunState): Finding[] {
  return state.order.flatMap((key) => {
    const task = state.tasks[key];
    if (task?.phase.status !== 'done' || task.phase.commit === null) return [];
    return flagsOf(task).map(({ risk, severity, detail, blocking }) => {
      return { task: key, finding: risk, severity, detail, files: [], approved: blocking };
    });
  });
}

function changeFindings(changes: readonly FileChange[]): Finding[] {
  return changeSummary(changes).risks.flatMap(({ risk, detail, files }) => {
    const trait = FileTrait.safeParse(risk);
    if (!trait.success) return [];
    const shown = files.slice(0, MOST_FILES).join(', ');
    const more = files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : '';
    const severity = TRAIT_SEVERITY[trait.data];
    return [{ task: null, finding: risk, severity, detail: `${detail}: ${shown}${more}`, files, approved: false }];
  });
}

function warningFindings(state: RunState): Finding[] {
  return state.order.flatMap((key) => {
    const task = state.tasks[key];
    const open = task === undefined ? [] : openWarnings(lastAttempt(task));
    return open.map(({ sign, message }) => {
      return { task: key, finding: sign, severity: 'low' as const, detail: message, files: [], approved: false };
    });
  });
}
