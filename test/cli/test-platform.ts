import type { World } from '../../src/world.ts';

/** A clock that only moves with `advance`; alarms ring when it passes them. */
export type FakeWorld = World & { advance(ms: number): void };

export function fakeWorld(start: number): FakeWorld {
  let now = start;
  const alarms = new Set<{ at: number; ring: () => void }>();
  return {
    now: () => now,
    runId: () => 'r0000001',
    token: () => 'token',
    sleep: async () => {},
    alarm: (at, ring) => {
      const alarm = { at, ring };
      alarms.add(alarm);
      return () => alarms.delete(alarm);
    },
    advance: (ms) => {
      now += ms;
      for (const alarm of [...alarms].filter(({ at }) => at <= now)) {
        alarms.delete(alarm);
        alarm.ring();
      }
    },
  };
}
