import { evolve } from '../src/core/run/evolve.ts';
import { endOfRound, roundInput, sayTo } from '../src/core/watch/decide-watch.ts';
import { emptySeries, evolveSeries } from '../src/core/watch/watch-series.ts';
import { recipeOf } from '../src/recipes/registry.ts';
import { Config } from '../src/schema/config.ts';
import { type WatchEvent, WatchSettings } from '../src/schema/watch/watch-event.ts';
import { FoundProposal } from '../src/schema/watch/watch-round.ts';
import type { Benchmark } from './benchmark.ts';
import { openRoundDatabase, type RoundDatabase } from './database-size.ts';
import { listed } from './timing.ts';

const ROUNDS = 1_000;
const TENTH = 10;
const HOUR_MS = 3_600_000;
/** The weak places of the simulated project; later rounds propose the same in other words. */
const PLACES = 8;
const WORDS = ['crash', 'failure', 'defect', 'problem', 'mistake', 'error'];

/** The sizes of one round in bytes: its prompts, what it adds to the database, and the state in memory after it, without the 30 days and 30 messages that a series keeps in any case. */
type Sizes = { prompts: number; events: number; state: number };

/** Whether a round of a watcher costs as much after months as at the beginning. */
export const watch: Benchmark = {
  name: 'watch',
  summary: `${ROUNDS} rounds of a watcher, with simulated time: the last one against the tenth`,
  target: { is: 'at most', ratio: 1.2 },
  async measure() {
    await using database = await openRoundDatabase('watch/bench');
    const sizes = await simulate(database);
    const tenth = sizes[TENTH - 1];
    const last = sizes.at(-1);
    if (tenth === undefined || last === undefined) throw new Error('the rounds ended too early');
    const ratios = [
      last.prompts / tenth.prompts,
      last.events / tenth.events,
      last.state / tenth.state,
      database.growthSince(TENTH),
    ];
    const note = `bytes of a round, the last against the tenth: prompts, events, state, and the SQLite file (ten rounds each): ${listed(ratios)}`;
    return { value: last.state, unit: 'bytes', ceiling: tenth.state, ratio: Math.max(...ratios), note };
  },
};

/** Runs the series through the pure core, one round in an hour; every round finds a weak place and answers a message. */
async function simulate(database: RoundDatabase): Promise<Sizes[]> {
  const settings = WatchSettings.parse({ options: { dir: '/project' }, budgetPerDay: 100 });
  const state = evolveSeries(emptySeries(), { type: 'watch.started', data: { settings } }, 0);
  const sizes: Sizes[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const at = round * HOUR_MS;
    const run = `r${String(round).padStart(7, '0')}`;
    let events = 0;
    const appended: WatchEvent[] = [];
    const record = (all: readonly WatchEvent[]) => {
      appended.push(...all);
      for (const event of all) {
        events += JSON.stringify(event).length;
        evolveSeries(state, event, at);
      }
    };
    record(sayTo(state, { discussion: round === 1 ? undefined : 'd1', text: 'How is it?' }));
    const input = roundInput(state, { why: 'interval', pulls: [], seen: {} });
    const prompts = promptsOf(run, input);
    record([{ type: 'watch.round-started', data: { round, run, why: 'interval' } }]);
    const proposal = { ...proposalOf(round), confirmation: 'src/a.ts:1' };
    const result = { proposals: [proposal], replies: [{ discussion: 'd1', text: 'Fine.' }], reviews: [] };
    record(endOfRound(state, { run, result, head: run, spentUsd: 0.01 }));
    await database.round(appended);
    sizes.push({ prompts, events, state: JSON.stringify({ ...state, summaries: [], discussions: [] }).length });
  }
  return sizes;
}

function proposalOf(round: number): FoundProposal {
  const place = round % PLACES;
  const word = WORDS[round % WORDS.length] ?? 'defect';
  return FoundProposal.parse({
    title: `A ${word} of kind ${place} in part ${place}`,
    category: 'bug',
    file: `src/part-${place}.ts`,
    line: 10,
    confidence: 0.8,
  });
}

/** The prompts of the run of a round, which begins with nothing. */
function promptsOf(run: string, input: unknown): number {
  const recipe = recipeOf('watch');
  const config = Config.parse({ routing: { order: ['one'] } });
  const start = {
    run,
    title: 'bench',
    project: { id: 'project', root: '/project' },
    recipe: { name: 'watch', version: 1 },
    input,
    base: { branch: 'main', commit: 'base' },
    land: 'branch' as const,
    config,
    roles: {},
    agents: {},
  };
  const state = evolve(undefined, { event: { type: 'run.started', data: start }, at: 0 });
  return recipe.unfold(state, input, undefined).add.reduce((sum, { prompt }) => sum + prompt.length, 0);
}
