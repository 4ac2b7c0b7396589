import type { TaskKey } from '../../schema/ids.ts';

type Node = { key: TaskKey; needs: readonly TaskKey[] };

/** A cycle as a path of keys, or undefined. Linear in nodes and edges; needs outside the list are ignored. */
export function findCycle(nodes: readonly Node[]): TaskKey[] | undefined {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const state = new Map<TaskKey, 'open' | 'closed'>();
  for (const node of nodes) {
    const cycle = state.has(node.key) ? undefined : walk(node, byKey, state);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** Keys in batches: each batch needs only earlier ones. Call it on a graph without cycles. */
export function inBatches(nodes: readonly Node[]): TaskKey[][] {
  const depth = new Map<TaskKey, number>();
  for (const node of topological(nodes)) {
    const needs = node.needs.map((need) => (depth.get(need) ?? -1) + 1);
    depth.set(node.key, Math.max(0, ...needs));
  }
  const batches: TaskKey[][] = [];
  for (const [key, level] of depth) {
    const batch = batches[level];
    if (batch === undefined) batches[level] = [key];
    else batch.push(key);
  }
  return batches;
}

/** The chain of needs with the greatest total weight: what the end of the run waits for. */
export function criticalPath(nodes: readonly Node[], weight: (key: TaskKey) => number): TaskKey[] {
  const best = new Map<TaskKey, { total: number; before: TaskKey | undefined }>();
  let last: TaskKey | undefined;
  for (const node of topological(nodes)) {
    let before: TaskKey | undefined;
    let longest = 0;
    for (const need of node.needs) {
      const total = best.get(need)?.total ?? 0;
      if (total > longest) [before, longest] = [need, total];
    }
    best.set(node.key, { total: longest + weight(node.key), before });
    if (last === undefined || longest + weight(node.key) > (best.get(last)?.total ?? 0)) last = node.key;
  }
  const path: TaskKey[] = [];
  for (let key = last; key !== undefined; key = best.get(key)?.before) path.unshift(key);
  return path;
}

function topological(nodes: readonly Node[]): Node[] {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const missing = new Map<TaskKey, number>();
  const dependents = new Map<TaskKey, TaskKey[]>();
  for (const node of nodes) {
    const inside = node.needs.filter((need) => byKey.has(need));
    missing.set(node.key, inside.length);
    for (const need of inside) {
      const list = dependents.get(need);
      if (list === undefined) dependents.set(need, [node.key]);
      else list.push(node.key);
    }
  }
  const ready = nodes.filter((node) => missing.get(node.key) === 0);
  for (let index = 0; index < ready.length; index += 1) {
    for (const dependent of dependents.get(ready[index]?.key ?? '') ?? []) {
      const left = (missing.get(dependent) ?? 0) - 1;
      missing.set(dependent, left);
      const node = byKey.get(dependent);
      if (left === 0 && node !== undefined) ready.push(node);
    }
  }
  return ready;
}

function walk(
  start: Node,
  byKey: ReadonlyMap<TaskKey, Node>,
  state: Map<TaskKey, 'open' | 'closed'>,
): TaskKey[] | undefined {
  const path: { node: Node; next: number }[] = [{ node: start, next: 0 }];
  state.set(start.key, 'open');
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const need = top.node.needs[top.next];
    top.next += 1;
    if (need === undefined) {
      state.set(top.node.key, 'closed');
      path.pop();
      continue;
    }
    if (state.get(need) === 'open') {
      const keys = path.map((step) => step.node.key);
      return [...keys.slice(keys.indexOf(need)), need];
    }
    const node = byKey.get(need);
    if (node === undefined || state.has(need)) continue;
    state.set(need, 'open');
    path.push({ node, next: 0 });
  }
  return undefined;
}
