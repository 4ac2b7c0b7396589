import { containmentText } from '../core/attempt/containment.ts';
import { type AttemptState, lastAttempt, type RunState, type TaskState } from '../core/run/state.ts';
import { chargeOf } from '../core/schedule/budget.ts';
import { moneyText, withLocalTimes } from '../core/view/amounts.ts';
import { costText } from '../core/view/cost-text.ts';
import { isInvalidated } from '../core/view/document.ts';
import { checkOutput } from '../core/view/failed-check.ts';
import { taskLabel } from '../core/view/task-label.ts';
import { isSatisfied } from '../gates/gate-kinds.ts';
import type { NetworkUse } from '../schema/containment.ts';
import type { RunDocument } from '../schema/document.ts';
import type { Evidence } from '../schema/gate.ts';
import { type Block, code, list, paragraph, table } from './page.ts';

/** More tasks than this are only counted by their row in the table. */
const MAX_DETAILS = 100;
const QUOTE_CHARS = 4_000;

/** The tasks of a run: all in a table, then each with its attempts, its final message and what its checks found. */
export function taskBlocks(state: RunState, { tasks }: RunDocument): Block[] {
  const rows = tasks.map((task) => [
    code(taskLabel(task)),
    task.title,
    task.status,
    task.agent ?? '',
    String(task.attempts),
    costText(task),
  ]);
  const details = state.order.slice(0, MAX_DETAILS).flatMap((key) => {
    const task = state.tasks[key];
    return task === undefined || task.attempts.length === 0 ? [] : taskDetails(task, isInvalidated(state, task));
  });
  return [...table(['task', 'title', 'status', 'agent', 'attempts', 'cost'], rows), ...details];
}

function taskDetails(task: TaskState, isStale: boolean): Block[] {
  const finalMessage = lastAttempt(task)?.ended?.summary ?? '';
  const output = isStale ? undefined : lastAttempt(task)?.ended?.output;
  const result = output == null ? undefined : JSON.stringify(output, null, 2).slice(0, QUOTE_CHARS);
  return [
    { kind: 'heading', level: 3, text: `${taskLabel(task.spec)}: ${task.spec.title}` },
    ...list(task.attempts.map((attempt) => [attemptText(attempt)])),
    ...(finalMessage.trim() === ''
      ? []
      : [paragraph('The final message of the agent (its own claim, no evidence):'), quote(finalMessage)]),
    ...(result === undefined ? [] : [paragraph('Its structured result:'), { kind: 'code' as const, text: result }]),
    ...task.evidence.flatMap((evidence) => checkBlocks(evidence)),
  ];
}

/** The result of a check; of one that did not pass, also its command, its end and its last output lines. */
export function checkBlocks(evidence: Evidence, about = ''): Block[] {
  const { gate, verdict, summary, stale } = evidence;
  const result = paragraph(about, code(gate), `: ${verdict}${stale === true ? ' (stale)' : ''}: ${summary}`);
  if (isSatisfied(verdict)) return [result];
  const { facts, lines } = checkOutput(evidence, { duration: (ms) => `${(ms / 1000).toFixed(1)} s` });
  const output: Block[] = lines.length === 0 ? [] : [{ kind: 'code', text: lines.join('\n') }];
  return [result, ...list(facts.map((fact) => [fact])), ...output];
}

function attemptText(attempt: AttemptState): string {
  const { number, agent, because, ended, usage, reservation } = attempt;
  const charge = moneyText(chargeOf(usage, reservation).costUsd);
  const unknown = reservation.costUsd === 0 ? 'usage unknown' : `${charge} (as reserved)`;
  const cost = ended === null ? '' : `, ${usage.kind === 'unknown' ? unknown : charge}`;
  const model = usage.kind === 'known' && usage.model !== undefined ? ` (${usage.model})` : '';
  const outcome =
    ended === null
      ? 'running'
      : ended.failure === null
        ? 'ended'
        : `failed: ${ended.failure.kind}: ${ended.failure.message}`;
  const contained = containmentText(attempt.process?.containment);
  const network = ended?.network === undefined ? '' : `; ${networkText(ended.network)}`;
  return `attempt ${number} by ${agent}${model}${cost}: ${outcome}; chosen because ${withLocalTimes(because, attempt.startedAt)}${contained === '' ? '' : `; ${contained}`}${network}`;
}

/** The hosts that programs requested, with how often. */
export function networkText(network: NetworkUse): string {
  const hosts = network.hosts.map(
    ({ host, requests, refused }) => `${host} (${requests}${refused === 0 ? '' : `, ${refused} refused`})`,
  );
  const again =
    network.interruptions === undefined ? '' : `; its proxy was started again ${network.interruptions} times`;
  return `requested of the network: ${hosts.length === 0 ? 'nothing' : hosts.join(', ')}${again}`;
}

function quote(text: string): Block {
  return { kind: 'quote', text: text.slice(0, QUOTE_CHARS) };
}
