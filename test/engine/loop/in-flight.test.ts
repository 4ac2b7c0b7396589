import { expect, it } from 'vitest';
import { InFlightWork } from '../../../src/engine/loop/in-flight.ts';

it('rejects waiting for a pass, now and later, after a failure', async () => {
  const inFlight = new InFlightWork();
  const waiting = inFlight.nextPass();
  inFlight.fail(new Error('the disk is full'));
  inFlight.fail(new Error('and another'));
  await expect(waiting).rejects.toThrow('the disk is full');
  inFlight.completePass();
  await expect(inFlight.nextPass()).rejects.toThrow('the disk is full');
});

it('resolves at the next pass', async () => {
  const inFlight = new InFlightWork();
  const waiting = inFlight.nextPass();
  inFlight.completePass();
  await expect(waiting).resolves.toBeUndefined();
});
