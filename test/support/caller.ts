import { dirname } from 'node:path';
import type { Caller } from '../../src/access/caller.ts';
import { openCaller as open } from '../../src/access/open-caller.ts';
import type { OperationInput } from '../../src/operations/all.ts';
import type { RunOverview, RunsItem } from '../../src/schema/overview.ts';
import type { Scratch } from './scratch.ts';

/** A caller of its own on the data directory of a scratch: the first that acts becomes the engine, the next ones reach it. */
export function openCaller(scratch: Scratch): Promise<Caller> {
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    HOME: scratch.root,
    MANYHANDS_HOME: scratch.home,
    LC_ALL: 'C',
  };
  return open({ env });
}

/** Starts a job in the scratch's repository. */
export async function startJob(caller: Caller, scratch: Scratch, task: string): Promise<string> {
  const request: OperationInput<'start-run'> = { recipe: 'job', input: { task }, options: { dir: scratch.repo } };
  return (await caller.call('start-run', request)).run;
}

/** Somebody who follows all runs; `until` reads on to the first item that is meant. */
export class Follower implements AsyncDisposable {
  readonly items: RunsItem[] = [];
  readonly #items: AsyncIterator<RunsItem>;
  readonly #stop = new AbortController();

  constructor(caller: Caller, from: { after?: number; limit?: number } = {}) {
    this.#items = caller.stream('watch-runs', from, { signal: this.#stop.signal })[Symbol.asyncIterator]();
  }

  async until(matches: (item: RunsItem) => boolean): Promise<RunsItem> {
    for (;;) {
      const { value, done } = await this.#items.next();
      if (done === true) throw new Error('The stream ended before what was waited for');
      this.items.push(value);
      if (matches(value)) return value;
    }
  }

  /** The next overview of which this is true. */
  async run(matches: (run: RunOverview) => boolean): Promise<RunOverview> {
    const item = await this.until((one) => 'run' in one && matches(one.run));
    if ('run' in item) return item.run;
    throw new Error('This cannot be');
  }

  ready(): Promise<RunsItem> {
    return this.until((item) => 'ready' in item);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#items.return?.();
  }
}
