import type { GateSpec, Verdict } from '../schema/gate.ts';

/** A file that differs between the branch's tip and the candidate. */
export interface ChangedPath {
  path: string;
  status: 'added' | 'modified' | 'deleted';
}

/** A clean checkout of the candidate with dependencies that we installed; removed by who made it. */
export interface GateCheckout extends AsyncDisposable {
  path: string;
  /** Hash of set-up commands and lockfiles: part of what the evidence is bound to. */
  setup: string;
}

/** What a gate may look at. It never sees the agent's own workspace. */
export interface GateInput {
  changed: readonly ChangedPath[];
  output: unknown;
  outputSchema: unknown;
  /** Where the gate's raw output is kept. */
  folder: string;
  env: Record<string, string>;
  checkout(): Promise<GateCheckout>;
  signal: AbortSignal;
}

export interface GateResult {
  verdict: Verdict;
  summary: string;
  exitCode: number | null;
  setup: string;
  durationMs: number;
  output?: string;
}

/** A yes or no with evidence: one file per gate, chosen by the registry. */
export interface Gate<Spec extends GateSpec = GateSpec> {
  readonly name: Spec['gate'];
  check(spec: Spec, input: GateInput): Promise<GateResult>;
}
