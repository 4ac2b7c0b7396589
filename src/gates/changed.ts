import type { GateSpec } from '../schema/gate.ts';
import type { Gate } from './gate.ts';

/** Passes when the candidate changes something: an agent's claim to be done is no evidence. */
export const changedGate: Gate<Extract<GateSpec, { gate: 'changed' }>> = {
  name: 'changed',
  async check(_spec, input) {
    input.signal.throwIfAborted();
    const count = input.changed.length;
    return {
      verdict: count > 0 ? 'pass' : 'fail',
      summary: count > 0 ? `${count} ${count === 1 ? 'file' : 'files'} changed` : 'Nothing was changed',
      exitCode: null,
      setup: '',
      durationMs: 0,
    };
  },
};
