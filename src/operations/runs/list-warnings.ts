import { z } from 'zod';
import { openWarnings } from '../../core/attempt/fold-attempt.ts';
import { resultFindings } from '../../core/finish/findings.ts';
import { lastAttempt, type RunState } from '../../core/run/state.ts';
import { labelOf } from '../../core/view/task-label.ts';
import type { Finding } from '../../schema/acceptance.ts';
import { HealthSign } from '../../schema/config/health.ts';
import { TaskLabel } from '../../schema/document.ts';
import { RiskSeverity } from '../../schema/risk.ts';
import { completeKey, findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { changesBetween, mirrorOfRun } from '../results/project-mirror.ts';

/** A sign that the last attempt of a task may be failing, or a finding about what landed. */
export const WarningItem = z.object({
  run: z.string(),
  task: z.string(),
  label: TaskLabel,
  attempt: z.number().int(),
  sign: HealthSign.nullable().describe('The sign, which can be dismissed; null for a finding about what landed.'),
  severity: RiskSeverity.optional().describe('How severe a finding is.'),
  message: z.string(),
  at: z.string(),
});
export type WarningItem = z.infer<typeof WarningItem>;

/** Lists the warnings about the last attempt of each task of a run, or of one of them. */
export const listWarnings = operation({
  name: 'list-warnings',
  where: 'anywhere',
  summary:
    'List the warnings about a run: signs of its attempts that are not dismissed, and findings about what landed',
  http: 'GET /api/runs/{run}/warnings',
  allow: ['guest', 'viewer', 'operator'],
  input: z.object({ ...RunRef, task: z.string().optional() }),
  output: z.array(WarningItem),
  run: async (app, { task: named, ...ref }) => {
    const state = await findRun(app, ref);
    const keys = named === undefined ? state.order : [completeKey(state, named)];
    const signs = keys.flatMap((key) => {
      const task = state.tasks[key];
      const attempt = task === undefined ? undefined : lastAttempt(task);
      return openWarnings(attempt).map(({ sign, message, at }) => ({
        run: state.start.run,
        task: key,
        label: labelOf(state, key),
        attempt: attempt?.number ?? 0,
        sign,
        message,
        at: new Date(at).toISOString(),
      }));
    });
    const range = { from: state.start.base.commit, to: state.tip.commit };
    const hasChanges = range.from !== range.to && named === undefined;
    const changes = hasChanges ? await changesBetween(await mirrorOfRun(app, state), range) : [];
    const findings = resultFindings(state, changes).filter(({ task }) => task === null || keys.includes(task));
    return [...signs, ...findings.map((finding) => warningOf(state, finding))];
  },
});

function warningOf(state: RunState, finding: Finding): WarningItem {
  const task = finding.task === null ? undefined : state.tasks[finding.task];
  const attempt = task === undefined ? undefined : lastAttempt(task);
  return {
    run: state.start.run,
    task: finding.task ?? '',
    ...(finding.task === null ? {} : { label: labelOf(state, finding.task) }),
    attempt: attempt?.number ?? 0,
    sign: null,
    severity: finding.severity,
    message: `${finding.finding}: ${finding.detail}${finding.approved ? ' (approved by a person)' : ''}`,
    at: new Date(attempt?.ended?.at ?? lastEndOf(state)).toISOString(),
  };
}

/** When the last attempt of a run ended, whose work completed the result. */
function lastEndOf(state: RunState): number {
  return Math.max(0, ...Object.values(state.tasks).map((task) => lastAttempt(task)?.ended?.at ?? 0));
}
