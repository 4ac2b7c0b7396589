import type { RuleDecision } from '../core/policy/decide-policy.ts';
import type { RiskName, RiskPolicy, RiskSeverity } from '../schema/risk.ts';

/** What an attempt did, gathered while its output was read. */
export type Digest = {
  /** Shell commands it ran, in order. */
  commands: readonly string[];
  /** How often each search (tool and its input) was made. */
  searches: Readonly<Record<string, number>>;
  outputBytes: number;
  /** Texts that had to be redacted. */
  redactions: number;
  /** Whether the last test command it ran itself failed. */
  lastTestFailed: boolean;
  /** Whether it wrote that the tests pass, after the last test command. */
  claimedTestsPass: boolean;
  permissionDenials: number;
  /** The first tool that was denied, and why. */
  denied?: { tool: string; message: string } | undefined;
  /** What it wanted to do and a rule refuses, or wants a person to approve. */
  refused?: readonly RuleDecision[] | undefined;
  /** What the sandbox of the agent's own program reported when it could not start. */
  sandboxError?: string | undefined;
};

/** The lines that were added to a file. */
export type AddedLines = { path: string; isNew: boolean; lines: readonly string[] };

export type RiskContext = {
  digest: Digest;
  /** Whether it claimed to be done. */
  claimedSuccess: boolean;
  /** The reason for which we stopped it, if we did. */
  stoppedBy: string | undefined;
  /** From how much output on it is too much. */
  softOutputBytes: number;
  declaredModel: string | undefined;
  billedModel: string | undefined;
  /** The models that its answers name. */
  answeredBy: readonly string[];
  /** Settings files of the repository that it obeys although they are not trusted. */
  untrusted: readonly string[];
  /** Files that differ from where it began. */
  changed: readonly string[];
  /** The lines added to those of them that are programs. */
  added: readonly AddedLines[];
  /** What the inspecting gates found: secrets in its output or in commits that do not land, what they leave to a person, and changes outside its scope. */
  inspected: { exposed: number; held: readonly string[]; outOfScope?: string };
};

/** Something about an attempt that a person should know; how it is recognised. Pure, and from what the agent wrote only where its claim is the risk. */
export interface Risk {
  readonly name: RiskName;
  readonly title: string;
  readonly severity: RiskSeverity;
  /** The default consequence; a warning unless given. */
  readonly policy?: RiskPolicy;
  /** What was found, in a sentence, or undefined. */
  find(context: RiskContext): string | undefined;
}
