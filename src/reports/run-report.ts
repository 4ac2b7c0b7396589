import { redactForms } from '../core/redact.ts';
import type { RunState } from '../core/run/state.ts';
import { momentText, moneyText, zoneText } from '../core/view/amounts.ts';
import { costText, unknownUsageText } from '../core/view/cost-text.ts';
import { runDocument } from '../core/view/document.ts';
import { isFailed } from '../core/view/failed-check.ts';
import { shellWord } from '../core/view/shell-word.ts';
import { labelOf, taskLabel } from '../core/view/task-label.ts';
import type { Acceptance, Judgement } from '../schema/acceptance.ts';
import type { ChangeSummary } from '../schema/change.ts';
import type { SubRunDocument } from '../schema/coordination/sub-run.ts';
import type { RunDocument } from '../schema/document.ts';
import type { ShownEvent } from '../schema/event.ts';
import type { Evidence } from '../schema/gate.ts';
import type { NodeDocument, ProgressDocument } from '../schema/progress.ts';
import { type FullMaterial, fullBlocks } from './full-section.ts';
import { type Block, code, list, type Page, type Piece, paragraph, section, table } from './page.ts';
import { progressBlocks } from './progress-section.ts';
import { checkBlocks, networkText, taskBlocks } from './task-section.ts';
import { decisionTrail } from './trail.ts';

/** The input of a report. `examination` is null if the repository cannot be read; `unreadable` is the reason. */
export type ReportMaterial = {
  state: RunState;
  /** The nodes of a workflow; none for other runs. */
  nodes?: readonly NodeDocument[] | undefined;
  /** The progress of a run that works in rounds. */
  progress?: ProgressDocument | undefined;
  events: readonly ShownEvent[];
  examination: { acceptance: Acceptance; judgement: Judgement; changes: ChangeSummary } | null;
  unreadable: string | null;
  /** The head of the run's event chain in its written form. */
  chainHead?: string | undefined;
  /** For a full report. */
  full?: FullMaterial | undefined;
};

const MAX_FILES = 200;
const MAX_STEPS = 500;

/** The report of a run: what was requested, what was done, what proves it, what is risky, what it cost, and who decided what. */
export function runReport(material: ReportMaterial): Page {
  const { state, nodes = [], progress, events, examination, unreadable, chainHead, full } = material;
  const document = runDocument(state);
  return {
    title: document.title,
    blocks: [
      ...overview(document, examination, unreadable),
      ...section('What was requested', requestBlocks(state)),
      ...(examination === null ? [] : section('Acceptance', acceptanceBlocks(examination.acceptance))),
      ...(examination === null ? [] : section('Evidence', evidenceBlocks(examination.acceptance, state))),
      ...(examination === null ? [] : section('What changed', changeBlocks(examination.changes, document))),
      ...section('What was done', [...taskBlocks(state, document), ...commandBlocks(state)]),
      ...(document.subRuns === undefined ? [] : section('Sub-runs', subRunBlocks(document.subRuns, state))),
      ...(nodes.length === 0 ? [] : section('Nodes and gates', nodeBlocks(nodes, state))),
      ...(progress === undefined ? [] : section('Progress', progressBlocks(progress))),
      ...section('Risks', riskBlocks(document)),
      ...section('Decisions', trailBlocks(events, state)),
      ...(full === undefined ? [] : fullBlocks(state, full)),
      ...section('How to inspect it yourself', checkOutBlocks(document)),
      ...(chainHead === undefined ? [] : section('Audit', auditBlocks(chainHead))),
    ],
  };
}

function overview(
  document: RunDocument,
  examination: ReportMaterial['examination'],
  unreadable: string | null,
): Block[] {
  const { run, status, reason, landed, undone, startedAt, endedAt, recipe, parent } = document;
  const rows: Piece[][] = [
    ['Run', code(run)],
    ['Status', `${status}${reason === null ? '' : `: ${reason}`}`],
    ...(examination === null ? [] : [['Judgement', judgementText(examination.judgement)]]),
    ...(landed === null ? [] : [['Landed', `${landed.how} on ${landed.branch} at ${landed.commit.slice(0, 10)}`]]),
    ...(undone === null
      ? []
      : [['Undone', `on ${undone.branch} by ${undone.commit.slice(0, 10)}, ${momentText(undone.at)}`]]),
    ['Recipe', recipe],
    ...(parent === undefined ? [] : [['Started by', `task ${parent.task} of run ${parent.run}`]]),
    ['Started', `${momentText(startedAt)} ${zoneText(startedAt)}`],
    ['Ended', endedAt === null ? 'not yet' : `${momentText(endedAt)} ${zoneText(endedAt)}`],
    ['Cost', [costText(document), unknownUsageText(document.unknownUsage)].filter((text) => text !== '').join('; ')],
  ];
  const note =
    unreadable === null
      ? []
      : [paragraph(`The repository could not be read, so acceptance and evidence are left out: ${unreadable}`)];
  return [...table(['', ''], rows), ...note];
}

function judgementText({ decision, reasons }: Judgement): string {
  return `${decision}: ${reasons.join('; ')}`;
}

/** What the commands of the project, which belong to no attempt, requested of the network. */
function commandBlocks({ network = [] }: RunState): Block[] {
  const names = { setup: 'Set-up commands', check: 'Checks', application: 'Applications' };
  return network.map((use) => paragraph(`${names[use.purpose]} ${networkText(use)}`));
}

/** The request of the person, verbatim except for secrets. */
function requestBlocks({ start }: RunState): Block[] {
  const input = typeof start.input === 'object' && start.input !== null ? start.input : {};
  const text = 'goal' in input ? input.goal : 'task' in input ? input.task : start.title;
  return [{ kind: 'quote', text: redactForms(typeof text === 'string' ? text : start.title) }];
}

function acceptanceBlocks({ acceptance, criteria }: Acceptance): Block[] {
  const rows = criteria.map(({ criterion, verdict, reason }) => [criterion, verdict, reason]);
  return [paragraph(`The result is ${acceptance}.`), ...table(['criterion', 'verdict', 'reason'], rows)];
}

/** The output of failed checks on the base and on the landing, which belong to no task. */
function runCheckBlocks({ baseEvidence, landingEvidence }: RunState): Block[] {
  return [
    ...(baseEvidence ?? []).filter(isFailed).flatMap((evidence) => checkBlocks(evidence, 'On the base: ')),
    ...landingEvidence.filter(isFailed).flatMap((evidence) => checkBlocks(evidence, 'On the merge with the base: ')),
  ];
}

function evidenceBlocks(acceptance: Acceptance, state: RunState): Block[] {
  const failed = runCheckBlocks(state);
  return [...(acceptance.evidence.length === 0 ? unlandedBlocks(state) : resultBlocks(acceptance)), ...failed];
}

/** The checks that ran although no result has landed: on the base and on the work of tasks. */
function unlandedBlocks({ order, tasks, baseEvidence }: RunState): Block[] {
  const row = (about: string, { gate, verdict, summary }: Evidence) => [about, code(gate), verdict, summary];
  const rows = [
    ...(baseEvidence ?? []).map((evidence) => row('the base', evidence)),
    ...order.flatMap((key) => (tasks[key]?.evidence ?? []).map((evidence) => row(labelOf({ tasks }, key), evidence))),
  ];
  if (rows.length === 0) return [paragraph('No check ran on this result.')];
  return [
    paragraph('The run has no result that could be checked; these checks ran:'),
    ...table(['about', 'check', 'verdict', 'summary'], rows),
  ];
}

function resultBlocks({ evidence, tree }: Acceptance): Block[] {
  const rows = evidence.map(({ gate, standing, verdict, summary, tree: about }) => [
    code(gate),
    verdict ?? 'none',
    standing === 'current'
      ? 'about this tree'
      : standing === 'stale'
        ? `stale: about ${about?.slice(0, 10) ?? 'another tree'}`
        : 'missing',
    summary,
  ]);
  const bound: Block[] = tree === null ? [] : [paragraph('The current tree: ', code(tree))];
  return [...bound, ...table(['check', 'verdict', 'status', 'summary'], rows)];
}

function changeBlocks({ files, kinds, risks, tests }: ChangeSummary, document: RunDocument): Block[] {
  const held = unlandedWork(document);
  if (files.length === 0) return held.length === 0 ? [paragraph('Nothing.')] : held;
  const listed = files.slice(0, MAX_FILES);
  const more = files.length - listed.length;
  return [
    ...table(
      ['kind', 'files', 'added', 'deleted'],
      kinds.map((row) => [row.kind, String(row.files), `+${row.added}`, `-${row.deleted}`]),
    ),
    paragraph(`Tests: ${tests.reason}.`),
    ...list(
      risks.map(({ risk, detail, files: of }) => [
        `${risk}: ${detail}`,
        ...(of.length === 0 ? [] : [': ', code(of.slice(0, 5).join(', '))]),
      ]),
    ),
    ...table(
      ['file', 'kind', 'status', 'lines'],
      listed.map((file) => [
        code(file.path),
        file.kind,
        file.status,
        file.binary ? 'binary' : `+${file.added} -${file.deleted}`,
      ]),
    ),
    ...(more > 0 ? [paragraph(`And ${more} more.`)] : []),
    ...held,
  ];
}

/** The saved work of tasks that has not landed, with the command that shows it. */
function unlandedWork({ run, tasks }: RunDocument): Block[] {
  const items = tasks
    .filter(({ status, commit }) => status !== 'done' && commit !== null)
    .map((task) => [
      code(taskLabel(task)),
      ` is ${task.status}; its work is saved at ${task.commit?.slice(0, 10)}: `,
      code(`manyhands diff ${run} ${shellWord(taskLabel(task))}`),
    ]);
  return items.length === 0 ? [] : [paragraph('Work that has not landed:'), ...list(items)];
}

/** The runs that agents of this one started; each has a report of its own. */
function subRunBlocks(subRuns: readonly SubRunDocument[], state: RunState): Block[] {
  const rows = subRuns.map(({ run, task, title, status, reason, cost, branch }) => [
    code(run),
    labelOf(state, task),
    title,
    `${status}${reason === null ? '' : `: ${reason}`}`,
    branch ?? '',
    cost === null ? '' : moneyText(cost),
  ]);
  return table(['run', 'started by', 'title', 'status', 'branch', 'cost'], rows);
}

/** Each node with its rounds, the reason of each, and what its gates decided. */
function nodeBlocks(nodes: readonly NodeDocument[], state: RunState): Block[] {
  const rounds = nodes.flatMap((node) =>
    node.rounds.map(({ task, status, reason }) => [node.id, labelOf(state, task), status, reason.slice(0, 500)]),
  );
  const gates = nodes.flatMap((node) =>
    node.gates.map(({ id, verdict, reason }) => [id, node.id, verdict, reason.slice(0, 500)]),
  );
  const stale = nodes.filter(({ status }) => status === 'needs-rerun').map(({ id }) => id);
  return [
    ...(stale.length === 0 ? [] : [paragraph(`These were invalidated and need a rerun: ${stale.join(', ')}.`)]),
    ...table(
      ['node', 'status', 'reason'],
      nodes.map(({ id, status, reason }) => [id, status, reason ?? '']),
    ),
    ...(rounds.length === 0 ? [] : table(['node', 'round', 'status', 'reason'], rounds)),
    ...(gates.length === 0 ? [] : table(['gate', 'of node', 'verdict', 'reason'], gates)),
  ];
}

function riskBlocks({ tasks }: RunDocument): Block[] {
  const rows = tasks.flatMap((task) => [
    ...task.flags.map(({ risk, severity, detail, blocking }) => [
      taskLabel(task),
      `${risk} (${severity}${blocking ? ', blocking' : ''})`,
      detail,
    ]),
    ...task.warnings.map((warning) => [taskLabel(task), 'warning', warning]),
  ]);
  return rows.length === 0 ? [paragraph('Nothing risky was seen.')] : table(['task', 'risk', 'what was seen'], rows);
}

function trailBlocks(events: readonly ShownEvent[], state: RunState): Block[] {
  const steps = decisionTrail(events);
  const shown = steps.slice(-MAX_STEPS);
  const rows = shown.map(({ at, by, about, decision, reason }) => [
    momentText(at),
    by,
    labelOf(state, about),
    decision,
    reason.slice(0, 500),
  ]);
  const left = steps.length - shown.length;
  return [
    ...(left > 0 ? [paragraph(`${left} earlier decisions are left out.`)] : []),
    ...table(['when', 'who', 'about', 'decision', 'reason'], rows),
  ];
}

/** The head under which this report was written, and the command that compares the record with it. */
function auditBlocks(chainHead: string): Block[] {
  return [
    paragraph('Every event of the run up to this report is covered by this hash: ', code(chainHead)),
    { kind: 'code', text: `manyhands audit verify --head ${chainHead}` },
  ];
}

function checkOutBlocks({ run, branch, base, landed, commit }: RunDocument): Block[] {
  if (commit === null) return [paragraph('The run made no commit.')];
  const lines =
    landed === null
      ? [
          ...(branch === null
            ? [`manyhands salvage ${run}`]
            : [`git switch --detach ${branch}`, `git diff ${base.commit.slice(0, 10)} ${branch}`]),
        ]
      : [
          `git show --stat ${landed.commit.slice(0, 10)}`,
          `git diff ${base.commit.slice(0, 10)} ${landed.commit.slice(0, 10)}`,
        ];
  return [{ kind: 'code', text: [...lines, `manyhands verify ${run} --rerun`].join('\n') }];
}
