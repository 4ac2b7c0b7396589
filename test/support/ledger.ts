import type { RunState } from '../../src/core/run/state.ts';
import type { RunEvent } from '../../src/schema/event.ts';
import type { Spend } from '../../src/schema/usage.ts';

type Claim = { run: string; task: string; reservation: Spend };
type Scope = { name: string; cap: number | undefined; runs: RunState[] };

const DUST = 1e-4;
const FREE_RETRIES = 20;

/** Watches the money and the caps of a simulation from outside, by its own sums. */
export class Ledger {
  private readonly callUsd: number;
  private readonly allowances = new Map<string, number>();
  private readonly tries = new Map<string, number>();

  constructor(callUsd: number) {
    this.callUsd = callUsd;
  }

  /** What each project has spent in runs that have ended. */
  endedByProject(states: readonly RunState[]): Record<string, number> {
    const spent: Record<string, number> = {};
    for (const { start, status, spent: run } of states) {
      if (status.kind === 'ended') spent[start.project.id] = (spent[start.project.id] ?? 0) + run.costUsd;
    }
    return spent;
  }

  /** At the moment of an admission nothing may be promised beyond a cap; later each live attempt may overdraw by one call. */
  admitted(run: string, states: readonly RunState[], claims: readonly Claim[]): void {
    for (const scope of scopesOf(run, states)) {
      const inScope = claims.filter((claim) => scope.runs.some((state) => stillStarts(state, claim)));
      const promised = committed(scope.runs) + inScope.reduce((sum, claim) => sum + claim.reservation.costUsd, 0);
      if (promised > (scope.cap ?? promised) + DUST)
        throw new Error(`$${promised} promised of $${scope.cap} in ${scope.name}`);
      const live = scope.runs.reduce((sum, state) => sum + state.counts.running, 0);
      this.allowances.set(scope.name, this.callUsd * (live + inScope.length));
    }
  }

  recorded(state: RunState, states: readonly RunState[], event: RunEvent): void {
    for (const scope of scopesOf(state.start.run, states)) {
      const most = (scope.cap ?? Number.POSITIVE_INFINITY) + (this.allowances.get(scope.name) ?? 0);
      if (committed(scope.runs) > most + DUST)
        throw new Error(`$${committed(scope.runs)} of $${scope.cap} in ${scope.name}`);
    }
    if (event.type === 'run.reopened')
      for (const key of event.data.tasks) this.tries.delete(`${state.start.run} ${key}`);
    if (event.type === 'attempt.started') this.countTry(state, event.data.task);
  }

  private countTry(state: RunState, key: string): void {
    const name = `${state.start.run} ${key}`;
    const tries = (this.tries.get(name) ?? 0) + 1;
    this.tries.set(name, tries);
    const most = (state.tasks[key]?.spec.retry.attempts ?? 0) + FREE_RETRIES;
    if (tries > most) throw new Error(`${key} was tried ${tries} times`);
  }
}

function scopesOf(run: string, states: readonly RunState[]): Scope[] {
  const own = states.find((state) => state.start.run === run);
  if (own === undefined) return [];
  const { project, config } = own.start;
  return [
    { name: `run ${run}`, cap: config.budget.run, runs: [own] },
    {
      name: `project ${project.id}`,
      cap: config.budget.project,
      runs: states.filter((state) => state.start.project.id === project.id),
    },
  ];
}

function committed(runs: readonly RunState[]): number {
  return runs.reduce((sum, state) => sum + state.spent.costUsd + state.reserved.costUsd, 0);
}

function stillStarts(state: RunState, claim: Claim): boolean {
  return state.start.run === claim.run && state.tasks[claim.task]?.phase.status === 'ready';
}
