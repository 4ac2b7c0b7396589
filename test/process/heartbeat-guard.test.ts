import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { keepGuard } from '../../src/process/heartbeat-guard.ts';
import { realWorld } from '../../src/world.ts';

const HOUR_MS = 3_600_000;

describe('A guard', () => {
  it('acts when the guarded process is killed or does not confirm in time, and not when it is over', async () => {
    const killed = new PassThrough();
    const [result] = [keepGuard(killed, HOUR_MS, realWorld), killed.end()];
    expect(await result).toBe('late');
    expect(await keepGuard(new PassThrough(), 50, realWorld)).toBe('late');
    const over = new PassThrough();
    over.end('5\nover\n');
    expect(await keepGuard(over, HOUR_MS, realWorld)).toBe('over');
  });

  it('waits again after a confirmation, less what that took', async () => {
    const input = new PassThrough();
    let now = 0;
    const result = keepGuard(input, 20_000, realWorld, () => now);
    now = 19_000;
    input.write('15000\n');
    await new Promise((resolve) => setImmediate(resolve));
    now = 23_999;
    let isLate = false;
    void result.then(() => {
      isLate = true;
    });
    await realWorld.sleep(1_500);
    expect(isLate).toBe(false);
    now = 24_001;
    expect(await result).toBe('late');
  });

  it('acts within seconds after the machine slept for longer than the limit, although timers stood still', async () => {
    let sleptMs = 0;
    const result = keepGuard(new PassThrough(), 20_000, realWorld, () => performance.now() + sleptMs);
    const began = performance.now();
    sleptMs = 30_000;
    expect(await result).toBe('late');
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
