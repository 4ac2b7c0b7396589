import { candidateGates } from '../../gates/gate-kinds.ts';
import type { EvidenceStatus } from '../../schema/acceptance.ts';
import type { Evidence } from '../../schema/gate.ts';
import type { RunState } from '../run/state.ts';

/** The status of each check of the run with respect to the current tree. */
export function evidenceStatus(state: RunState, tree: string | null): EvidenceStatus[] {
  const taskEvidence = state.order.flatMap((key) => state.tasks[key]?.evidence ?? []);
  const all = [...taskEvidence, ...Object.values(state.proven), ...(state.baseEvidence ?? [])];
  return commandNames(state).map((gate) => statusOf(gate, all, tree));
}

/** The names of the commands that must pass, each once, in the order of the tasks. */
function commandNames(state: RunState): string[] {
  const names = new Set<string>();
  for (const key of state.order) {
    for (const { name, own } of candidateGates(state.tasks[key]?.spec.gates ?? [])) if (own !== true) names.add(name);
  }
  return [...names];
}

/** A failure on the current tree has precedence over a pass of the same check. */
function statusOf(gate: string, all: readonly Evidence[], tree: string | null): EvidenceStatus {
  const ofGate = all.filter((evidence) => evidence.gate === gate);
  const current = ofGate.filter((evidence) => evidence.tree === tree && evidence.stale !== true);
  const found = current.find(({ verdict }) => verdict !== 'pass') ?? current[0];
  if (found !== undefined) return describe(found, 'current');
  const old = ofGate.findLast(({ verdict }) => verdict === 'pass') ?? ofGate.at(-1);
  if (old !== undefined) return describe(old, 'stale');
  return { gate, standing: 'missing', verdict: null, tree: null, summary: 'it never ran' };
}

function describe(evidence: Evidence, standing: 'current' | 'stale'): EvidenceStatus {
  const { gate, verdict, tree, summary } = evidence;
  return { gate, standing, verdict, tree, summary };
}
