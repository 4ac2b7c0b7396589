import type { GateSpec, Verdict } from '../schema/gate.ts';

type Kind = GateSpec['gate'];
type SpecOf<K extends Kind> = Extract<GateSpec, { gate: K }>;
export type CommandGateSpec = SpecOf<'command'>;

/** What a gate judges. `result`: whether an attempt changed or answered anything; `work`: its saved changes and output; `tree`: a clean checkout. */
type Judged = 'result' | 'work' | 'tree';

/** What a gate says about the acceptance of a run: its landed work is within its scope, and contains no secrets. */
export type InspectedCriterion = 'scope' | 'secrets';

type KindOfGate = {
  /** When it runs: when an attempt has ended, or on the candidate that is merged for landing. */
  on: 'attempt' | 'candidate';
  judges: Judged;
  /** Whether it also runs on the result of an ended run. */
  recheck?: true;
  /** Whether it fails when the agent did something forbidden: one retry with the evidence, then a person decides. */
  forbids?: true;
  criterion?: InspectedCriterion;
};

const KINDS: Readonly<Record<Kind, KindOfGate>> = {
  changed: { on: 'attempt', judges: 'result' },
  handoff: { on: 'attempt', judges: 'result' },
  scope: { on: 'attempt', judges: 'work', recheck: true, forbids: true, criterion: 'scope' },
  secrets: { on: 'attempt', judges: 'work', recheck: true, forbids: true, criterion: 'secrets' },
  syntax: { on: 'attempt', judges: 'work' },
  patterns: { on: 'attempt', judges: 'work' },
  'clean-output': { on: 'attempt', judges: 'work' },
  command: { on: 'candidate', judges: 'tree', recheck: true },
};

/** The gates that decide on the candidate whether it lands: commands. */
export function candidateGates(gates: readonly GateSpec[]): CommandGateSpec[] {
  return gates.filter((gate) => isOnCandidate(gate)).filter(({ informs }) => informs !== true);
}

/** The commands whose result on the candidate is only recorded. */
export function informingGates(gates: readonly GateSpec[]): CommandGateSpec[] {
  return gates.filter((gate) => isOnCandidate(gate)).filter(({ informs }) => informs === true);
}

/** Whether a gate runs a command on the candidate. */
export function isOnCandidate(gate: GateSpec): gate is CommandGateSpec {
  return KINDS[gate.gate].on === 'candidate';
}

/** The gates that inspect the saved work of an attempt. */
export function inspectionGates(gates: readonly GateSpec[]): GateSpec[] {
  return gates.filter(({ gate }) => KINDS[gate].judges === 'work');
}

/** The inspection gates that also judge the whole result of a run. */
export function recheckedInspections(gates: readonly GateSpec[]): GateSpec[] {
  return inspectionGates(gates).filter(({ gate }) => KINDS[gate].recheck === true);
}

/** Whether a failure of this gate means that the agent did something forbidden. */
export function forbidsWork({ gate }: GateSpec): boolean {
  return KINDS[gate].forbids === true;
}

/** The gates whose results decide this criterion of a run's acceptance. */
export function gatesOfCriterion(gates: readonly GateSpec[], criterion: InspectedCriterion): GateSpec[] {
  return gates.filter(({ gate }) => KINDS[gate].criterion === criterion);
}

/** The gates without those that check the syntax of changed files. */
export function withoutSyntax(gates: readonly GateSpec[]): GateSpec[] {
  return gates.filter(({ gate }) => gate !== 'syntax');
}

/** Whether a gate judges only whether an attempt has a result, and records no evidence. */
export function judgesResult({ gate }: GateSpec): boolean {
  return KINDS[gate].judges === 'result';
}

/** The gates that bind a task to some files. */
export function scopeGates(gates: readonly GateSpec[]): SpecOf<'scope'>[] {
  return gates.filter((gate) => gate.gate === 'scope');
}

/** Whether a gate holds for the whole result only if every landed task had it. */
export function mustBindAll({ gate }: GateSpec): boolean {
  return gate === 'scope';
}

/** Whether an attempt that changes nothing fails. */
export function requiresChange(gates: readonly GateSpec[]): boolean {
  return gates.some(({ gate }) => gate === 'changed');
}

/** The gates without the requirement that something changes. */
export function withoutChange(gates: readonly GateSpec[]): GateSpec[] {
  return gates.filter(({ gate }) => gate !== 'changed');
}

/** The gate that judges structured output, if there is one. */
export function handoffGate(gates: readonly GateSpec[]): SpecOf<'handoff'> | undefined {
  return gates.find((gate) => gate.gate === 'handoff');
}

/** The name of a check, which is never that of another gate: evidence is found by the name of its gate. */
export function checkName(name: string): string {
  const isTaken = Object.entries(KINDS).some(([kind, { on }]) => kind === name && on === 'attempt');
  return isTaken ? `${name} (check)` : name;
}

/** A command as one text. */
export function commandText({ run }: CommandGateSpec): string {
  return typeof run === 'string' ? run : run.join(' ');
}

/** A command as a shell would take it. */
export function shellText({ run }: CommandGateSpec): string {
  return typeof run === 'string' ? run : run.map(quoted).join(' ');
}

/** A word as a shell would take it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Whether the gates have a list of the only files that may be changed. */
export function hasAllowList(gates: readonly GateSpec[]): boolean {
  return scopeGates(gates).some(({ allow }) => allow.length > 0);
}

/** The gates with these globs added to each list of allowed files. */
export function withAllowed(gates: readonly GateSpec[], globs: readonly string[]): GateSpec[] {
  return gates.map((gate) =>
    gate.gate === 'scope' && gate.allow.length > 0 ? { ...gate, allow: [...new Set([...gate.allow, ...globs])] } : gate,
  );
}

/** The names of the checks among the gates. */
export function commandChecks(gates: readonly GateSpec[]): string[] {
  return [...new Set(candidateGates(gates).map(({ name }) => name))];
}

/** Whether nothing is wrong by this verdict: it passed, or there was nothing to check. */
export function isSatisfied(verdict: Verdict): boolean {
  return verdict === 'pass' || verdict === 'not-applicable';
}
