import { durationText, momentText } from '../core/view/amounts.ts';
import { costText } from '../core/view/cost-text.ts';
import type { PressureReport, TeamReport } from '../schema/report/work-report.ts';
import { code, type Page, paragraph, section, table } from './page.ts';

/** The team report as a document. */
export function teamPage({ runs, members, together }: TeamReport, subject: string): Page {
  const { subtasks, subruns, questions, unanswered, messages, conflicts, decisions } = together;
  return {
    title: `Team report of ${subject}`,
    blocks: [
      ...(runs.length === 0 ? [paragraph('There is no run in this time.')] : []),
      ...section(
        'Who did what',
        table(
          ['agent', 'role', 'attempts', 'succeeded', 'failed', 'rejected', 'time', 'cost'],
          members.map(({ agent, role, attempts, succeeded, failed, rejected, busyMs, ...cost }) => [
            agent,
            role,
            ...[attempts, succeeded, failed, rejected].map(String),
            durationText(busyMs),
            costText(cost),
          ]),
        ),
      ),
      ...section(
        'How they worked together',
        table(
          ['', ''],
          [
            ['Sub-tasks', `${subtasks}`],
            ['Sub-runs', `${subruns}`],
            ['Questions to a person', `${questions}, ${unanswered} without an answer`],
            ['Messages of people', `${messages}`],
            ['Conflicts', `${conflicts}`],
            ['Decisions of people', `${decisions}`],
          ],
        ),
      ),
      ...section(
        'Runs',
        table(
          ['run', 'title', 'status', 'tasks', 'cost'],
          runs.map(({ run, title, status, tasks, done, ...cost }) => [
            code(run),
            title,
            status,
            `${done}/${tasks} done`,
            costText(cost),
          ]),
        ),
      ),
    ],
  };
}

/** The pressure report as a document. */
export function pressurePage({ runs, from, to, agents, waits, retries, costs }: PressureReport, subject: string): Page {
  const period = from === null || to === null ? 'no attempt' : `from ${momentText(from)} to ${momentText(to)}`;
  return {
    title: `Pressure report of ${subject}`,
    blocks: [
      paragraph(`${runs} ${runs === 1 ? 'run' : 'runs'}, ${period}.`),
      ...section(
        'Agents against their limits',
        table(
          ['agent', 'attempts', 'most at once', 'limit', 'time at the limit', 'time'],
          agents.map(({ agent, attempts, mostAtOnce, limit, atLimitMs, busyMs }) => [
            agent,
            `${attempts}`,
            `${mostAtOnce}`,
            limit === null ? 'none' : `${limit}`,
            durationText(atLimitMs),
            durationText(busyMs),
          ]),
        ),
      ),
      ...section(
        'Waits',
        table(
          ['for', 'times', 'total', 'longest'],
          waits.map(({ cause, times, totalMs, longestMs }) => [
            cause,
            `${times}`,
            durationText(totalMs),
            durationText(longestMs),
          ]),
        ),
      ),
      ...section(
        'Retries',
        table(
          ['cause', 'times', 'cost'],
          retries.map((row) => [row.cause, `${row.times}`, costText(row)]),
        ),
      ),
      ...section(
        'Cost by cause',
        table(
          ['cause', 'attempts', 'cost'],
          costs.map((row) => [row.cause, `${row.attempts}`, costText(row)]),
        ),
      ),
    ],
  };
}
