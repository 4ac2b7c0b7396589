import { inBatches } from '../../core/run/graph.ts';
import { nearest } from '../../schema/nearest.ts';
import type { WorkflowGate, WorkflowNode } from '../../schema/work-file.ts';
import { checked, keysOf, type Reading, reportUnknownKeys } from '../../work-files/checked.ts';
import type { Path } from '../../work-files/source.ts';
import { checkExpression } from './expression.ts';
import { checkedExpression } from './expression-check.ts';
import { type Entry, FileOnFail } from './workflow-keys.ts';

/** A gate as a node of its own, before it is attached to the node that it judges. */
export type GateNode = { id: string; at: Path; needs: readonly string[]; gate: WorkflowGate };

const WORKER_KEYS = [
  'role',
  'task',
  'outputs',
  'allow_write',
  'write_scope',
  'loop',
  'condition',
  'output_schema',
] as const;

/** Reads a node of type gate; any other gives nothing. */
export function readGate(reading: Reading, entry: Entry, ids: readonly string[]): GateNode[] {
  const { id, at, node } = entry;
  if (node.type !== 'gate') return [];
  const { source, errors } = reading;
  for (const key of WORKER_KEYS) {
    if (node[key] === undefined) continue;
    errors.addAt(source, [...at, key], { code: 'unknown_key', reason: 'a gate does not have this', about: 'key' });
  }
  const needs = node.needs ?? [];
  if (needs.length === 0) {
    const reason = 'missing; a gate needs the nodes that it judges';
    errors.addAt(source, [...at, 'needs'], { code: 'missing_dependency', reason });
  }
  const passWhen = (node.pass_when ?? []).flatMap((text, index) => {
    return checkedExpression(reading, { text, at: [...at, 'pass_when', index], ids, ownFields: false }) ?? [];
  });
  const onFail = onFailOf(reading, entry, ids);
  const gate = { id, needs: [], passWhen, ...(onFail === undefined ? {} : { onFail }) };
  return [{ id, at, needs, gate }];
}

/**
 * Puts each gate on the last of the nodes that it judges, in the order of the graph, so that nothing waits for what waits for it;
 * what needed the gate then needs all of these nodes. Without `pass_when`, each of them must have the status pass.
 */
export function attachGates(
  { source, errors }: Reading,
  nodes: readonly WorkflowNode[],
  gates: readonly GateNode[],
): WorkflowNode[] {
  const byId = new Map(gates.map((gate) => [gate.id, gate]));
  const judged = (needs: readonly string[]): string[] => [
    ...new Set(needs.flatMap((need) => judgedBy(byId.get(need)) ?? [need])),
  ];
  const judgedBy = (gate: GateNode | undefined): string[] | undefined => gate && judged(gate.needs);
  const freed = nodes.map((node) => ({ ...node, needs: judged(node.needs), gates: [...node.gates] }));
  const order = inBatches(freed.map(({ id, needs }) => ({ key: id, needs }))).flat();
  for (const { at, needs, gate } of gates) {
    const all = judged(needs).sort((a, b) => order.indexOf(a) - order.indexOf(b));
    const last = freed.find(({ id }) => id === all.at(-1));
    const passWhen =
      gate.passWhen.length > 0 ? gate.passWhen : all.map((id) => `nodes[${JSON.stringify(id)}].status == "pass"`);
    last?.gates.push({ ...gate, needs: all.slice(0, -1), passWhen });
    reportUnreachable({ source, errors }, { at, gate, ends: all, nodes: freed });
  }
  return freed;
}

/** A gate can refer only to nodes that have ended by then, and repeating a node helps only if the gate depends on it. */
function reportUnreachable(
  { source, errors }: Pick<Reading, 'source' | 'errors'>,
  { at, gate, ends, nodes }: { at: Path; gate: WorkflowGate; ends: readonly string[]; nodes: readonly WorkflowNode[] },
): void {
  for (const [index, expression] of gate.passWhen.entries()) {
    const found = checkExpression(expression);
    const references = found.ok ? found.names.filter((name) => nodes.some(({ id }) => id === name)) : [];
    const early = references.find((name) => !leadsTo(nodes, name, ends));
    if (early === undefined) continue;
    const reason = `refers to "${early}", which may not have ended by then: add it to needs`;
    errors.addAt(source, [...at, 'pass_when', index], { code: 'invalid_expression', reason });
  }
  const retry = gate.onFail?.retry;
  if (retry === undefined || leadsTo(nodes, retry, ends)) return;
  const reason = `doing "${retry}" again changes nothing for this gate: none of ${ends.join(', ')} follows from it`;
  errors.addAt(source, [...at, 'on_fail', 'retry'], { code: 'missing_retry_target', reason });
}

function onFailOf(reading: Reading, { at, node }: Entry, ids: readonly string[]): WorkflowGate['onFail'] {
  const path = [...at, 'on_fail'];
  if (node.on_fail === undefined) return undefined;
  reportUnknownKeys(reading, { path, value: node.on_fail, known: keysOf(FileOnFail), foreign: false });
  const found = checked(reading, { path, value: node.on_fail }, FileOnFail);
  if (found?.retry === undefined) return undefined;
  if (found.max_retries === undefined) {
    const reason = 'missing; give a maximum, such as max_retries: 2';
    reading.errors.addAt(reading.source, [...path, 'max_retries'], { code: 'missing_max_retries', reason });
    return undefined;
  }
  if (!ids.includes(found.retry)) {
    const suggested = nearest(found.retry, ids);
    const reason = `there is no node "${found.retry}" to be done again${suggested === undefined ? '' : `; did you mean "${suggested}"?`}`;
    reading.errors.addAt(reading.source, [...path, 'retry'], { code: 'missing_retry_target', reason });
    return undefined;
  }
  return found.max_retries === 0 ? undefined : { retry: found.retry, max: found.max_retries };
}

function leadsTo(nodes: readonly WorkflowNode[], from: string, targets: readonly string[]): boolean {
  const needs = new Map(nodes.map((node) => [node.id, node.needs]));
  const seen = new Set<string>();
  const open = [...targets];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === from) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...(needs.get(id) ?? []));
  }
  return false;
}
