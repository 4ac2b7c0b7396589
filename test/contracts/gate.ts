import { describe, expect, it } from 'vitest';
import type { Gate, GateInput } from '../../src/gates/gate.ts';
import { checkGate } from '../../src/gates/registry.ts';
import { Evidence, type GateSpec } from '../../src/schema/gate.ts';

/** What a gate is tried with: a spec, and inputs for which its answer is known. */
export interface GateTrial<Spec extends GateSpec> {
  gate: Gate<Spec>;
  spec: Spec;
  passing(): Promise<GateInput>;
  failing(): Promise<GateInput>;
}

/** What every gate must do, whichever it is. */
export function gateContract<Spec extends GateSpec>(name: string, trial: GateTrial<Spec>): void {
  describe(`the gate ${name}`, () => {
    it('passes what it should, with a result that can stand as evidence', async () => {
      const result = await trial.gate.check(trial.spec, await trial.passing());
      expect(result.verdict).toBe('pass');
      Evidence.parse({ ...result, gate: name, tree: 't', definition: 'd' });
    });

    it('says fail as a value, with one line of summary', async () => {
      const result = await trial.gate.check(trial.spec, await trial.failing());
      expect(result.verdict).toBe('fail');
      expect(result.summary).toMatch(/^[^\n]+$/);
      Evidence.parse({ ...result, gate: name, tree: 't', definition: 'd' });
    });

    it('gives the same answer when asked again', async () => {
      const input = await trial.failing();
      const first = await trial.gate.check(trial.spec, input);
      expect((await trial.gate.check(trial.spec, input)).verdict).toBe(first.verdict);
    });

    it('gives no verdict at all when it is cancelled', async () => {
      const reason = new Error('cancelled by the test');
      const input = { ...(await trial.passing()), signal: AbortSignal.abort(reason) };
      await expect(trial.gate.check(trial.spec, input)).rejects.toBe(reason);
    });

    it('is found by its name', async () => {
      expect(trial.gate.name).toBe(trial.spec.gate);
      expect((await checkGate(trial.spec, await trial.passing())).verdict).toBe('pass');
    });
  });
}
