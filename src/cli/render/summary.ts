import { containmentText } from '../../core/attempt/containment.ts';
import { currentSteps, stepText, waitText } from '../../core/view/activity.ts';
import { durationText, momentText } from '../../core/view/amounts.ts';
import { costText, hasCost, unknownUsageText } from '../../core/view/cost-text.ts';
import { checkOutputLines, failedChecks } from '../../core/view/failed-check.ts';
import { shellWord } from '../../core/view/shell-word.ts';
import { agentText, taskLabel } from '../../core/view/task-label.ts';
import type { RunDocument, TaskDocument } from '../../schema/document.ts';
import { cleanText, oneLine } from './clean-text.ts';
import { nextSteps } from './next-steps.ts';
import { labelIn, nodeLines, progressLines, type SummaryView, subRunLines } from './progress-lines.ts';
import { type Painter, runMark, shownStatus, taskMark, verdictMark } from './symbols.ts';
import { pad, shorten, textWidth, wrap } from './text-width.ts';

const MOST_MESSAGES = 5;
const MOST_STEPS = 10;

const NARROW = 60;
const MOST_FAILURES = 5;
const MOST_ATTENTION = 20;
const MOST_TASKS = 60;

/** A run, ended or not: the outcome, what waits for the user, the tasks, what landed, and what to do next. */
export function summaryLines(document: RunDocument, view: SummaryView): string[] {
  const sections = [
    outcomeLines(document, view),
    nowLines(document, view),
    attentionLines(document, view),
    manyTaskLines(document, view),
    subRunLines(document, view),
    nodeLines(document, view),
    progressLines(document, view),
    failureLines(document.tasks, view),
    checkLines(document, view),
    messageLines(document.tasks, view),
    resultLines(document, view),
    view.hasContainment === true ? containmentLines(document.tasks, view) : [],
    stepLines(document, view),
  ];
  return sections.filter((lines) => lines.length > 0).flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

function outcomeLines(document: RunDocument, { columns, now, colors }: SummaryView): string[] {
  const { status, title, run, startedAt, endedAt, attention, unknownUsage } = document;
  const reason = attention.some((item) => item.reason === document.reason) ? '' : document.reason;
  const shown = shownStatus(document);
  const { symbol, paint } = runMark(shown, colors);
  const tookMs = (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt);
  const tail = `${run} · ${durationText(Math.max(tookMs, 0))} · ${costText(document)}`;
  const available = columns - textWidth(shown) - textWidth(tail) - 7;
  const first = `${paint(`${symbol} ${shown}`)}  ${colors.bold(shorten(title, available))}  ${colors.dim(tail)}`;
  const why = reason ?? (status === 'unverified' ? 'no check was configured; add one with --check' : '');
  const unknown = unknownUsageText(unknownUsage);
  return [
    first,
    ...[why, unknown, ...filingTexts(document, now)]
      .flatMap((text) => wrap(text, columns - 3))
      .map((line) => `  ${line}`),
  ];
}

/** What the engine does for the run now. */
function nowLines({ activity, tasks }: RunDocument, { columns, now, colors }: SummaryView): string[] {
  const label = (key: string) => taskLabel(tasks.find((task) => task.key === key) ?? { key });
  const steps = currentSteps({ activity, live: [] }, label);
  if (steps.length === 0) return [];
  const lines = steps
    .slice(0, MOST_STEPS)
    .map((step) => `  ${shorten(oneLine(`${step.about}: ${stepText(step, now, durationText)}`), columns - 3)}`);
  const more = steps.length > MOST_STEPS ? [`  ${colors.dim(`and ${steps.length - MOST_STEPS} more`)}`] : [];
  return [colors.bold('Now'), ...lines, ...more];
}

/** What a waiting run waits for, when a scheduled one starts, and how the run is filed. */
function filingTexts({ nextAt, waitsFor, filing, deadline, endedAt }: RunDocument, now: number): string[] {
  const until = waitsFor === null ? nextAt : waitsFor.until;
  const at = until === null ? undefined : Date.parse(until);
  const wait = at === undefined || at <= now ? '' : ` (in ${durationText(at - now)})`;
  const scheduled = at === undefined ? [] : [`scheduled for ${momentText(at)}${wait}`];
  return [
    ...(waitsFor === null ? scheduled : [`${waitText(waitsFor, now)}${wait}`]),
    ...(deadline === undefined || endedAt !== null ? [] : [`stops at ${momentText(deadline)}`]),
    ...(filing?.flag == null ? [] : [`flagged${filing.flag.note === null ? '' : `: ${filing.flag.note}`}`]),
    ...(filing?.collection == null ? [] : [`in the collection ${filing.collection}`]),
    ...(filing?.hidden === true ? ['hidden; list it with manyhands ls --hidden'] : []),
  ];
}

function attentionLines({ attention, tasks }: RunDocument, { columns, colors }: SummaryView): string[] {
  if (attention.length === 0) return [];
  const lines = attention
    .slice(0, MOST_ATTENTION)
    .flatMap(({ task, hold, reason, files, nextStep, alternatives = [] }) => {
      const id = hold === undefined ? '' : ` (hold ${hold})`;
      const [first = '', ...rest] = wrap(`${labelIn(tasks, task)}: ${reason}${id}`, columns - 5);
      return [
        `  ${colors.yellow('!')} ${first}`,
        ...rest.map((line) => `    ${line}`),
        ...(files.length === 0 ? [] : [`    ${colors.dim(shorten(files.join(', '), columns - 5))}`]),
        `    ${colors.dim('→')} ${oneLine(nextStep)}`,
        ...alternatives.map(({ command, purpose }) => `    ${colors.dim(`or ${purpose}:`)} ${command}`),
      ];
    });
  const left = attention.length - MOST_ATTENTION;
  return [colors.bold('Needs you'), ...lines, ...(left > 0 ? [`  ${colors.dim(`and ${left} more`)}`] : [])];
}

/** If there are many tasks, those that are not done come first and the omitted ones are counted. */
function manyTaskLines({ tasks, run }: RunDocument, view: SummaryView): string[] {
  if (tasks.length <= MOST_TASKS) return taskLines(tasks, view);
  const open = tasks.filter(({ status }) => status !== 'done');
  const shown = [...open, ...tasks.filter(({ status }) => status === 'done')].slice(0, MOST_TASKS);
  const done = tasks.length - open.length;
  const rest = `${done} of ${tasks.length} done, ${tasks.length - shown.length} not shown; show all with manyhands show ${run} --json`;
  return [...taskLines(shown, view), `  ${view.colors.dim(rest)}`];
}

function taskLines(tasks: readonly TaskDocument[], view: SummaryView): string[] {
  if (tasks.length === 0) return [];
  const { columns, colors } = view;
  const widest = (pick: (task: TaskDocument) => string, most: number) =>
    Math.min(
      tasks.reduce((width, task) => Math.max(width, textWidth(oneLine(pick(task)))), 0),
      most,
    );
  const key = widest(taskLabel, 24);
  const title = columns < NARROW ? 0 : widest((task) => task.title, Math.floor((columns - key) * 0.33));
  const who = widest(whoText, 18);
  return tasks.map((task) => {
    const { symbol, paint } = taskMark(task.status, colors);
    const used = key + who + (title > 0 ? title + 2 : 0) + 8;
    const name = title > 0 ? `  ${pad(task.title, title)}` : '';
    const row = `  ${paint(symbol)} ${pad(taskLabel(task), key)}${name}  ${colors.dim(pad(whoText(task), who))}`;
    return `${row}  ${factsText(task, columns - used, colors)}`.trimEnd();
  });
}

/** What to do about the first failed tasks, and why each failed if an agent analyzed it. */
function failureLines(tasks: readonly TaskDocument[], { columns, colors }: SummaryView): string[] {
  const failed = tasks.flatMap((task) =>
    task.diagnosis === null ? [] : [{ label: taskLabel(task), resumeCommand: task.resumeCommand, ...task.diagnosis }],
  );
  if (failed.length === 0) return [];
  const lines = failed
    .slice(0, MOST_FAILURES)
    .flatMap(({ label, why, nextStep, by, resumeCommand }) => [
      ...wrap(by === 'rules' ? label : `${label}: ${oneLine(why)}`, columns - 5).map((line) => `  ${line}`),
      ...wrap(oneLine(nextStep), columns - 7).map(
        (line, at) => `    ${at === 0 ? `${colors.dim('→')} ` : '  '}${line}`,
      ),
      ...(resumeCommand === undefined ? [] : [`    ${colors.dim('resume by hand:')} ${resumeCommand}`]),
    ]);
  const more = failed.length > MOST_FAILURES ? [`  ${colors.dim(`and ${failed.length - MOST_FAILURES} more`)}`] : [];
  return [colors.bold('Failed'), ...lines, ...more];
}

/** The output of the checks that still matter: not those on the base of a run that is done, nor on a landing that succeeded since. */
function checkLines(document: RunDocument, view: SummaryView): string[] {
  const isDone = document.status === 'done' || document.status === 'unverified';
  const { baseEvidence = [], landingEvidence = [] } = document;
  const relevant = {
    ...document,
    baseEvidence: isDone ? [] : baseEvidence,
    landingEvidence: document.landed === null || document.landed.how === 'branch' ? landingEvidence : [],
  };
  return failedCheckSection(relevant, view);
}

/** The first checks of a run, or of one task, that did not pass, each with its command, its end and its last output lines. */
export function failedCheckSection(document: RunDocument, view: { colors: Painter; task?: string }): string[] {
  const { colors, task } = view;
  const label = (key: string) => labelIn(document.tasks, key);
  const failed = failedChecks(document).filter(({ about }) => task === undefined || about.includes(task));
  if (failed.length === 0) return [];
  const lines = failed
    .slice(0, MOST_FAILURES)
    .flatMap(({ about, evidence }) => [
      `  ${verdictMark(evidence.verdict, colors)} ${oneLine(`${about.map(label).join(', ')}: ${evidence.gate}: ${evidence.summary}`)}`,
      ...checkOutputLines(evidence, { duration: durationText }).map((line) => `    ${cleanText(line)}`),
    ]);
  const more = failed.slice(MOST_FAILURES).flatMap(({ about: [first = ''] }) => first);
  const rest = `and ${more.length} more; show one with manyhands logs ${document.run} --task ${shellWord(label(more[0] ?? ''))}`;
  return [colors.bold('Failed checks'), ...lines, ...(more.length > 0 ? [`  ${colors.dim(rest)}`] : [])];
}

function whoText({ agent, attempts, host }: TaskDocument): string {
  if (attempts === 0) return '';
  return `${agentText({ agent: agent ?? '', host })}${attempts > 1 ? ` ×${attempts}` : ''}`;
}

function factsText(task: TaskDocument, width: number, colors: Painter): string {
  const { evidence, commit, status, reason } = task;
  const isQuiet = status === 'done';
  const parts = [
    ...(isQuiet && commit !== null ? [same(commit.slice(0, 8))] : []),
    ...evidence.map(({ gate, verdict }) => ({ mark: verdictMark(verdict, colors), text: shorten(gate, 24) })),
    ...(hasCost(task) ? [same(costText(task))] : []),
    ...(!isQuiet && reason !== null ? [same(oneLine(reason))] : []),
  ];
  let left = width;
  const shown: string[] = [];
  for (const { mark, text } of parts) {
    if (left < 4) break;
    const columns = left - (mark === undefined ? 0 : 2);
    const fitting = textWidth(text) <= columns ? text : colors.dim(shorten(text, columns));
    shown.push(mark === undefined ? fitting : `${mark} ${fitting}`);
    left = columns - textWidth(text) - 2;
  }
  return shown.join('  ');
}

function same(text: string): { mark?: string; text: string } {
  return { text };
}

function resultLines(
  { branch, commit, landed, undone, base, tasks }: RunDocument,
  { columns, colors }: SummaryView,
): string[] {
  const results: { what: string; text: string }[] = [];
  if (branch !== null && commit !== null) {
    const from = base.branch === null ? '' : `${base.branch} at `;
    results.push({
      what: 'branch',
      text: `${branch} at ${commit.slice(0, 8)}, from ${from}${base.commit.slice(0, 8)}`,
    });
  }
  if (landed !== null && landed.how !== 'branch') {
    const { pullRequests = [] } = landed;
    const url = landed.url === null || pullRequests.length > 1 ? '' : ` ${landed.url}`;
    results.push({ what: 'landed', text: `${landed.how} on ${landed.branch} at ${landed.commit.slice(0, 8)}${url}` });
    for (const { url: page, task } of pullRequests.length > 1 ? pullRequests : [])
      results.push({ what: 'pull request', text: `${page} (${labelIn(tasks, task)})` });
  }
  if (undone !== null) results.push({ what: 'undone', text: `on ${undone.branch} by ${undone.commit.slice(0, 8)}` });
  return results.map(({ what, text }) => `  ${colors.green(what)}  ${shorten(text, columns - 11)}`);
}

/** How the attempts were contained: one line for all that were contained in the same way. */
function containmentLines(tasks: readonly TaskDocument[], { columns, colors }: SummaryView): string[] {
  const attempts = new Map<string, string[]>();
  for (const task of tasks)
    for (const record of task.containment ?? []) {
      const text = containmentText(record);
      attempts.set(text, [...(attempts.get(text) ?? []), `${taskLabel(task)} #${record.attempt}`]);
    }
  if (attempts.size === 0) return [];
  const lines = [...attempts].map(([text, which]) => {
    const more = which.length > MOST_FAILURES ? ` and ${which.length - MOST_FAILURES} more` : '';
    const whose = attempts.size === 1 ? 'every attempt' : `${which.slice(0, MOST_FAILURES).join(', ')}${more}`;
    return `  ${shorten(oneLine(`${whose}: ${text}`), columns - 3)}`;
  });
  return [colors.bold('Containment'), ...lines];
}

function stepLines(document: RunDocument, { colors }: SummaryView): string[] {
  const steps = nextSteps(document);
  if (steps.length === 0) return [];
  const width = Math.max(...steps.map(({ command }) => textWidth(command)));
  const lines = steps.map(
    ({ command, purpose }) => `  ${command}${' '.repeat(width - textWidth(command))}  ${colors.dim(purpose)}`,
  );
  return [colors.bold('Next'), ...lines];
}

/** The last messages from the user to the agents of a run, one line each. */
function messageLines(
  tasks: readonly TaskDocument[],
  { columns, colors }: { columns: number; colors: Painter },
): string[] {
  const all = tasks.flatMap((task) => (task.messages ?? []).map((message) => ({ key: taskLabel(task), ...message })));
  if (all.length === 0) return [];
  const shown = all.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)).slice(-MOST_MESSAGES);
  const left = all.length - shown.length;
  return [
    colors.bold('Messages'),
    ...(left > 0 ? [`  ${colors.dim(`${left} earlier messages: manyhands show --json`)}`] : []),
    ...shown.map(
      ({ key, at, text }) =>
        `  ${key}  ${colors.dim(momentText(Date.parse(at)))}  ${shorten(oneLine(text), Math.max(20, columns - key.length - 26))}`,
    ),
  ];
}
