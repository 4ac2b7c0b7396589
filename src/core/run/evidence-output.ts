import { isSatisfied } from '../../gates/gate-kinds.ts';
import type { Evidence } from '../../schema/gate.ts';

/** Evidence in the state. The output of a gate that passed is in its event alone: this is the version of the event. */
export type KeptEvidence = Evidence & { outputAt?: number };

/** Reads the output of evidence from the event of a version; undefined where it has none. */
export type OutputReader = (version: number) => string | undefined;

/** What the state keeps of evidence in the event of this version: nobody acts on the output of a gate that passed. */
export function keepEvidence(evidence: Evidence, version: number): KeptEvidence {
  const { output, ...kept } = evidence;
  return output === undefined || !isSatisfied(evidence.verdict) ? evidence : { ...kept, outputAt: version };
}

/** The evidence as it was recorded. */
export function wholeEvidence({ outputAt, ...evidence }: KeptEvidence, read: OutputReader): Evidence {
  const output = outputAt === undefined ? undefined : read(outputAt);
  return output === undefined ? evidence : { ...evidence, output };
}
