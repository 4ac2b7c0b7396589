import { z } from 'zod';
import { AppError } from '../errors.ts';
import type { Mirror } from '../git/mirror/mirror.ts';
import type { LaunchLimits } from '../process/launch.ts';
import type { Contain } from '../process/sandbox/sandbox.ts';
import type { GateSpec, TestList, TestResults, Verdict } from '../schema/gate.ts';

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

/** The work of an attempt as we saved it, raw: nothing has been taken out of it yet. */
export interface AttemptWork {
  mirror: Mirror;
  /** The commit that the changes are measured against, and the one that holds them. */
  base: string;
  commit: string;
  /** The refs of commits that it made and then left out of the result; those do not land. */
  kept: string;
  /** The files of its raw output; undefined for a result of several attempts. */
  stdout: string | undefined;
  stderr: string | undefined;
}

/** The input of a gate. It never sees the agent's own workspace. */
export interface GateInput {
  changed: readonly ChangedPath[];
  output: unknown;
  outputSchema: unknown;
  /** Where the gate's raw output is kept. */
  folder: string;
  env: Record<string, string>;
  /** Puts a command into its sandbox. */
  contain?: Contain | undefined;
  /** What a command may use. */
  limits?: LaunchLimits | undefined;
  checkout(): Promise<GateCheckout>;
  /** For the gates that inspect an attempt when it ended. */
  work?: AttemptWork;
  signal: AbortSignal;
  /** Receives that its command starts, then the last line of its output while it runs. */
  onRunning?: (line?: string) => void;
}

export interface GateResult {
  verdict: Verdict;
  summary: string;
  exitCode: number | null;
  setup: string;
  durationMs: number;
  output?: string;
  command?: string;
  outputLines?: number;
  /** The file with the complete output, in the folder of the gate. */
  outputFile?: string;
  /** The host that ran it, if it was not this machine. */
  host?: string;
  /** What the test runners of a command reported. */
  tests?: TestResults;
  /** The tests that the output names, by runner. */
  testList?: TestList;
  /** How many secrets are in the attempt's own output, or in commits that do not land. */
  exposed?: number;
  /** The files outside of the allowed ones, where nothing else is wrong. */
  outside?: string[];
}

/** A yes or no with evidence: one file per gate, chosen by the registry. */
export interface Gate<Spec extends GateSpec = GateSpec> {
  readonly name: Spec['gate'];
  check(spec: Spec, input: GateInput): Promise<GateResult>;
}

const FailedSetup = z.object({
  command: z.string(),
  exitCode: z.number().nullable(),
  durationMs: z.number(),
  output: z.string(),
  outputLines: z.number(),
  outputFile: z.string().optional(),
});

type SetupResult = Pick<GateResult, 'exitCode' | 'durationMs' | 'command' | 'output' | 'outputLines' | 'outputFile'>;

/** The command, the end and the output of a set-up that failed, which are shown like those of a check; undefined for another error. */
export function failedSetup(error: unknown): SetupResult | undefined {
  if (!(error instanceof AppError) || error.code !== 'SETUP_FAILED') return undefined;
  const { data } = FailedSetup.safeParse(error.details);
  if (data === undefined) return undefined;
  const { outputFile, ...shown } = data;
  return { ...shown, ...(outputFile === undefined ? {} : { outputFile }) };
}

/** The result of an inspecting gate without saved work: never a pass. */
export function noWork(): GateResult {
  return { verdict: 'error', summary: 'There is no saved work to look at', exitCode: null, setup: '', durationMs: 0 };
}
