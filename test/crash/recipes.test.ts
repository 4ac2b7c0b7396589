import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WatchEvent } from '../../src/schema/watch/watch-event.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { openCaller } from '../support/caller.ts';
import type { Scratch } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';
import { runCrashCase } from './crash-case.ts';
import {
  CYCLE,
  DEBATE,
  IMPROVE,
  makeScene,
  PAID_CYCLE_ATTEMPTS,
  PAID_DEBATE_ATTEMPTS,
  PAID_IMPROVE_ATTEMPTS,
  PAID_TEAM_ATTEMPTS,
  readLedger,
  TEAM,
} from './scenario.ts';

type Case = { name: string; args: readonly string[]; paid: number; crash: { point: string; hit: number } };

/** The kill of the engine in each phase of a recipe: while an agent works, after it has ended, after its work landed. */
function phases(args: readonly string[], paid: number): Case[] {
  const attempts = Array.from({ length: paid }, (_, index) => index + 1);
  return attempts.flatMap((hit) => [
    { name: `${args[0]}: attempt ${hit} works`, args, paid, crash: { point: 'attempt.going', hit } },
    { name: `${args[0]}: attempt ${hit} has ended`, args, paid, crash: { point: 'attempt.ended', hit } },
  ]);
}

function at(name: string, args: readonly string[], paid: number, point: string, hit = 1): Case {
  return { name: `${args[0]}: ${name}`, args, paid, crash: { point, hit } };
}

const CASES = [
  ...phases(CYCLE, PAID_CYCLE_ATTEMPTS),
  at('the second cycle landed', CYCLE, PAID_CYCLE_ATTEMPTS, 'branch.swapped', 2),
  ...phases(DEBATE, PAID_DEBATE_ATTEMPTS),
  ...phases(TEAM, PAID_TEAM_ATTEMPTS),
  at('the implementation landed', TEAM, PAID_TEAM_ATTEMPTS, 'branch.swapped'),
  ...phases(IMPROVE, PAID_IMPROVE_ATTEMPTS),
  at('a measurement begins', IMPROVE, PAID_IMPROVE_ATTEMPTS, 'measure.starting'),
  at('a measurement is recorded', IMPROVE, PAID_IMPROVE_ATTEMPTS, 'measure.recorded'),
  at('the improvement is measured', IMPROVE, PAID_IMPROVE_ATTEMPTS, 'gate.exited', 4),
  at('the improvement landed', IMPROVE, PAID_IMPROVE_ATTEMPTS, 'branch.swapped'),
];

/** One while an implementer works, one between a measurement and what follows. */
const SAMPLED = new Set(['cycle: attempt 2 works', 'improve: a measurement is recorded']);
const isSampled = ({ name }: Case) => SAMPLED.has(name);

describe('after a kill in a phase of a recipe, a restart', () => {
  it.each(
    variants(
      CASES.filter(isSampled),
      CASES.filter((each) => !isSampled(each)),
    ),
  )('pays nothing twice and ends the same: $name', { timeout: 300_000 }, async ({ args, paid, crash }) => {
    await runCrashCase({ args, paid, crash });
  });
});

/** A round looks and lets a second agent confirm. */
const PAID_ROUND = 2;
const WATCH = ['watch', '--no-pull-requests'];
const WATCH_POINTS = [
  ...['watch.starting:1', 'watch.started:1', 'watch.ending:1', 'watch.ended:1'],
  ...['attempt.going:1', 'attempt.ended:1', 'attempt.going:2', 'attempt.ended:2'],
];

async function seriesOf(scratch: Scratch): Promise<WatchEvent[]> {
  await using store = await openSqliteStore({ file: join(scratch.home, 'manyhands.db'), world: realWorld });
  const streams = store.streams('watch/').map(({ stream }) => stream);
  return streams.flatMap((stream) => store.read(stream).map(({ type, data }) => WatchEvent.parse({ type, data })));
}

describe('after a kill in a phase of a round, the watcher', () => {
  it.each(variants(WATCH_POINTS.slice(2, 3), [...WATCH_POINTS.slice(0, 2), ...WATCH_POINTS.slice(3)]))(
    'continues the series without a gap or a second round: %s',
    { timeout: 300_000 },
    async (point) => {
      await using scratch = await makeScene();
      const died = await scratch.mh(WATCH, { env: { MANYHANDS_CRASH: point } });
      expect(died.signal, died.stderr).toBe('SIGKILL');
      const dir = scratch.repo;
      {
        await using caller = await openCaller(scratch);
        await caller.call('start-watch', { options: { dir }, pullRequests: false });
        const stop = new AbortController();
        for await (const { event } of caller.stream('follow-watch', { dir }, { signal: stop.signal }))
          if (event.type === 'watch.round-ended') stop.abort();
        await caller.call('stop-watch', { dir });
      }
      const events = await seriesOf(scratch);
      const rounds = events.flatMap((event) => (event.type === 'watch.round-started' ? [event.data.round] : []));
      expect(rounds).toEqual([1]);
      expect(events.filter(({ type }) => type === 'watch.round-ended')).toHaveLength(1);
      expect(events.find(({ type }) => type === 'watch.round-ended')).toMatchObject({
        data: { result: { proposals: [{ title: 'Short list' }] }, spentUsd: 0.02 },
      });
      expect(readLedger(scratch)).toHaveLength(PAID_ROUND);
    },
  );
});
