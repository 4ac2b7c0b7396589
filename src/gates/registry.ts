import type { GateSpec } from '../schema/gate.ts';
import { changedGate } from './changed.ts';
import { commandGate } from './command.ts';
import type { GateInput, GateResult } from './gate.ts';
import { handoffGate } from './handoff.ts';

/** Runs the gate that a spec asks for. */
export function checkGate(spec: GateSpec, input: GateInput): Promise<GateResult> {
  switch (spec.gate) {
    case 'changed':
      return changedGate.check(spec, input);
    case 'command':
      return commandGate.check(spec, input);
    case 'handoff':
      return handoffGate.check(spec, input);
  }
}
