import type { RunState } from '../core/state.ts';
import type { LandMode } from '../schema/config/land.ts';
import type { Config } from '../schema/config.ts';
import type { RunEvent } from '../schema/event.ts';
import type { OperationOutput, SalvageItem, ShownEvent } from '../schema/operation.ts';
import type { StartRequest } from '../schema/request.ts';

/** A row of what an agent said. */
export type SaidRow = { id: number; attempt: string; at: number; kind: string; text: string };

/** Reading runs: live from the engine of this process, else folded from the store. */
export interface RunsPort {
  /** Whether news comes: only the engine's process hears it. */
  readonly isLive: boolean;
  /** Ids, newest first. */
  ids(): string[];
  state(run: string): RunState;
  /** Events after a version; when `follow`, new ones as they are committed, until the signal aborts. */
  events(run: string, after: number, signal: AbortSignal): AsyncIterable<ShownEvent>;
  said(attempts: readonly string[], after: number, limit: number): SaidRow[];
  /** Resolves when something new was said or happened in the run. */
  news(run: string, signal: AbortSignal): Promise<void>;
}

/** What git can tell about a project's work, read from its mirror. */
export interface WorkPort {
  /** The project of a folder. */
  project(dir: string): Promise<{ id: string; root: string }>;
  diff(
    project: { id: string; root: string },
    range: { from: string; to: string },
  ): Promise<{ stat: string; diff: string }>;
  saved(project: { id: string; root: string }): Promise<Pick<SalvageItem, 'ref' | 'commit' | 'at' | 'files'>[]>;
  restore(
    project: { id: string; root: string },
    ref: string,
    branch: string,
  ): Promise<{ branch: string; commit: string }>;
}

/** The engine of this process. */
export interface EnginePort {
  start(request: StartRequest): Promise<{ run: string; notes: string[] }>;
  /** Takes up a recorded run, if it is not being carried yet. */
  carry(run: string): Promise<void>;
  submit(run: string, decide: (state: RunState) => RunEvent[]): Promise<RunState>;
  land(run: string, how: LandMode): Promise<RunState>;
  clean(options: {
    project: string | undefined;
    olderThanDays: number;
    apply: boolean;
  }): Promise<OperationOutput<'clean'>>;
}

/** An agent and whether it could work here and now. */
export type AgentView = { name: string; kind: string; ok: boolean; detail: string; nextStep: string | null };

/** What is known about the agents of a project. */
export type AgentsView = {
  /** The settings with the agents pinned, as a run would record them. */
  config: Config;
  byRole: Record<string, string>;
  agents: AgentView[];
  /** Accounts that rest, and until when. */
  resting: Record<string, number>;
  now: number;
};

/** All that operations may use; app.ts fills it. */
export interface Ports {
  readonly runs: RunsPort;
  readonly work: WorkPort;
  /** The engine, where this process is it. */
  readonly engine: EnginePort | undefined;
  /** The agents of a folder's settings as they stand now. */
  agents(dir: string, choices: readonly string[]): Promise<AgentsView>;
  where(dir: string): Promise<OperationOutput<'where'>>;
  doctor(dir: string): Promise<OperationOutput<'doctor'>>;
}
