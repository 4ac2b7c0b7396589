import { findCycle } from '../core/run/graph.ts';
import type { Reading } from './checked.ts';
import { isRecord, type Path } from './source.ts';
import { suggestion } from './suggestion.ts';

/** A piece of work with what it needs, and the paths of both in the file. */
export type GraphNode = { id: string; needs: readonly string[]; at: Path; needsAt: Path };

const LONGEST_CYCLE = 50;

/**
 * Reports ids that are used twice, needs that do not exist, and the members of a cycle. `raw` is what the file lists, so
 * that a need of an entry with an error is no second error.
 */
export function checkGraph(reading: Reading, nodes: readonly GraphNode[], raw: unknown): void {
  const sound = checkIds(reading, nodes) && checkNeeds(reading, nodes, rawIds(raw));
  if (!sound) return;
  const cycle = findCycle(nodes.map(({ id, needs }) => ({ key: id, needs })));
  const first = nodes.find(({ id }) => id === cycle?.[0]);
  if (cycle === undefined || first === undefined) return;
  const shown = cycle.length > LONGEST_CYCLE ? [...cycle.slice(0, LONGEST_CYCLE), '…', first.id] : cycle;
  reading.errors.addAt(reading.source, first.needsAt, {
    code: 'cycle_detected',
    reason: `these wait for each other: ${shown.join(' → ')}`,
  });
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
      const suggested = suggestion(need, ids);
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
