import { findCycle } from '../core/run/graph.ts';
import { nearest } from '../schema/nearest.ts';
import type { Reading } from './checked.ts';
import { FileId, oneOrMany } from './listed.ts';
import { isRecord, type Path } from './source.ts';

/** A piece of work with what it needs, and the paths of both in the file. */
export type GraphNode = { id: string; needs: readonly string[]; at: Path; needsAt: Path };

const LONGEST_CYCLE = 50;
const MOST_CYCLES = 20;

/**
 * Reports ids that are used twice, needs that do not exist, and cycles; returns whether there are none. `raw` is what the file lists, so
 * that a need of an entry with an error is no second error.
 */
export function checkGraph(reading: Reading, nodes: readonly GraphNode[], raw: unknown): boolean {
  const areUnique = checkIds(reading, nodes);
  const areComplete = checkNeeds(reading, nodes, rawIds(raw));
  return areUnique && checkCycles(reading, nodes) && areComplete;
}

/** An entry with errors as a node of the graph, so that what it needs is checked as well. */
export function looseNode(entry: unknown, at: Path): GraphNode[] {
  if (!isRecord(entry)) return [];
  const id = FileId.safeParse(entry.id);
  const needsKey = ['needs', 'depends_on', 'dependsOn'].find((key) => entry[key] !== undefined) ?? 'needs';
  const needs = oneOrMany(FileId).safeParse(entry[needsKey] ?? []);
  // Nothing can need an entry without a valid id, so its place in the file is as good as an id.
  return [{ id: id.data ?? JSON.stringify(at), needs: needs.data ?? [], at, needsAt: [...at, needsKey] }];
}

/** Reports one cycle for each group of nodes that wait for each other. */
function checkCycles({ source, errors }: Reading, nodes: readonly GraphNode[]): boolean {
  let rest = nodes.map(({ id, needs }) => ({ key: id, needs: needs.filter((need) => need !== id) }));
  let isAcyclic = true;
  for (let found = 0; found < MOST_CYCLES; found += 1) {
    const known = new Set(rest.map(({ key }) => key));
    const cycle = findCycle(rest.map(({ key, needs }) => ({ key, needs: needs.filter((need) => known.has(need)) })));
    const first = nodes.find(({ id }) => id === cycle?.[0]);
    if (cycle === undefined || first === undefined) return isAcyclic;
    isAcyclic = false;
    const shown = cycle.length > LONGEST_CYCLE ? [...cycle.slice(0, LONGEST_CYCLE), '…', first.id] : cycle;
    const reason = `these wait for each other: ${shown.join(' → ')}`;
    errors.addAt(source, first.needsAt, { code: 'cycle_detected', reason });
    rest = rest.filter(({ key }) => !cycle.includes(key));
  }
  return isAcyclic;
}

function checkIds({ source, errors }: Reading, nodes: readonly GraphNode[]): boolean {
  const seen = new Map<string, GraphNode>();
  let sound = true;
  for (const node of nodes) {
    const before = seen.get(node.id);
    if (before === undefined) {
      seen.set(node.id, node);
      continue;
    }
    sound = false;
    errors.addAt(source, [...node.at, 'id'], {
      code: 'duplicate_id',
      reason: `the id "${node.id}" is used already in line ${source.locate([...before.at, 'id']).line}`,
    });
  }
  return sound;
}

function checkNeeds({ source, errors }: Reading, nodes: readonly GraphNode[], raw: readonly string[]): boolean {
  const ids = new Set([...nodes.map(({ id }) => id), ...raw]);
  let sound = true;
  for (const { id, needs, needsAt } of nodes) {
    for (const [index, need] of needs.entries()) {
      if (need !== id && ids.has(need)) continue;
      sound = false;
      const suggested = nearest(need, ids);
      const help = suggested === undefined ? '' : `; did you mean "${suggested}"?`;
      errors.addAt(source, [...needsAt, index], {
        code: need === id ? 'cycle_detected' : 'missing_dependency',
        reason: need === id ? `"${id}" needs itself` : `there is no "${need}"${help}`,
      });
    }
  }
  return sound;
}

function rawIds(raw: unknown): string[] {
  if (Array.isArray(raw)) return raw.flatMap((entry) => (isRecord(entry) ? [String(entry.id)] : []));
  return isRecord(raw) ? Object.keys(raw) : [];
}
