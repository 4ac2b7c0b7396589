import type { Redact } from '../../core/redact.ts';
import type { RunState } from '../../core/run/state.ts';
import { type Wait, waitsFor } from '../../core/schedule/start-time.ts';
import { oneLine } from '../../core/view/activity.ts';
import { NO_ACTIVITY, type RunActivity } from '../../core/view/overview.ts';
import { labelOf } from '../../core/view/task-label.ts';
import type { Activity } from '../../schema/document.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { World } from '../../world.ts';

/** What is being done now, and how far it is. */
export type Step = Pick<Activity, 'kind' | 'what'> & { detail?: string };

/** Something that the engine does until this is disposed of. */
export interface RunningStep extends Disposable {
  /** Replaces what is shown; another `what` begins another step. */
  update(step: Step): void;
}

/** What is done for: a run with its tasks, or, before the run exists, the folder in which it is started. */
export type StepOwner =
  | { run: { id: string; redact: Redact; ledger?: { state: RunState } }; tasks?: readonly TaskKey[] }
  | { folder: string };

type Shown = { owner: StepOwner; step: Step; since: number };

/** What the engine does now for each run besides its agents, and what runs wait for: known while it happens, never recorded. */
export class Activities {
  readonly #running = new Map<string, Set<Shown>>();
  readonly #waits = new Map<string, Wait>();
  readonly #listeners = new Set<(of: string) => void>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Shows a step until it is disposed of. */
  begin(owner: StepOwner, step: Step): RunningStep {
    const of = 'folder' in owner ? owner.folder : owner.run.id;
    const shown: Shown = { owner, step, since: this.#world.now() };
    const all = this.#running.get(of) ?? new Set();
    this.#running.set(of, all.add(shown));
    this.#notify(of);
    return {
      update: (next) => {
        if (next.what === shown.step.what && next.detail === shown.step.detail) return;
        if (next.what !== shown.step.what) shown.since = this.#world.now();
        shown.step = next;
        this.#notify(of);
      },
      [Symbol.dispose]: () => {
        all.delete(shown);
        if (all.size === 0 && this.#running.get(of) === all) this.#running.delete(of);
        this.#notify(of);
      },
    };
  }

  /** Replaces what runs wait for. */
  setWaits(waits: Readonly<Record<string, Wait>>): void {
    const changed = [...this.#waits.keys(), ...Object.keys(waits)].filter(
      (run) => JSON.stringify(this.#waits.get(run)) !== JSON.stringify(waits[run]),
    );
    this.#waits.clear();
    for (const [run, wait] of Object.entries(waits)) this.#waits.set(run, wait);
    for (const run of new Set(changed)) this.#notify(run);
  }

  /** The activity of a run, or of starting one in a folder; a run for which something is done does not wait. */
  of(runOrFolder: string): RunActivity {
    const running = this.#running.get(runOrFolder);
    const wait = this.#waits.get(runOrFolder);
    if (running === undefined) return wait === undefined ? NO_ACTIVITY : { activity: [], waitsFor: waitsFor(wait) };
    return { activity: [...running].map(activityOf), waitsFor: null };
  }

  /** Calls for each change with the run or the folder; returns how to end that. */
  onChange(listener: (runOrFolder: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(of: string): void {
    for (const listener of this.#listeners) listener(of);
  }
}

function activityOf({ owner, step, since }: Shown): Activity {
  const redact = 'run' in owner ? owner.run.redact : (text: string) => text;
  const tasks = 'run' in owner ? [...(owner.tasks ?? [])] : [];
  const state = 'run' in owner ? owner.run.ledger?.state : undefined;
  const detail = step.detail === undefined ? null : oneLine(redact(step.detail));
  return {
    tasks,
    ...(state === undefined || tasks.length === 0 ? {} : { labels: tasks.map((key) => labelOf(state, key)) }),
    kind: step.kind,
    what: oneLine(redact(step.what)) ?? step.kind,
    detail,
    since: new Date(since).toISOString(),
  };
}

/** Shows what is done to a mirror in a step. */
export function mirrorProgress(step: RunningStep): (what: string, detail?: string) => void {
  return (what, detail) => step.update({ kind: 'mirror', what, ...(detail === undefined ? {} : { detail }) });
}
