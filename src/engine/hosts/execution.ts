import { concludeAttempt, type EndedAttempt } from '../attempt/conclude-attempt.ts';
import { type MemoryRequest, memorySections } from '../attempt/memory.ts';
import { readProgress } from '../attempt/progress-file.ts';
import type { ActiveRun, EngineContext } from '../loop/context.ts';

/** What surrounds the performance of an attempt: the texts of its prompt that its machine does not have, and how it is concluded. */
export interface Execution {
  /** The sections of the prompt with what the task reached before, and with what is known. */
  memory(ctx: EngineContext, run: ActiveRun, of: MemoryRequest): Promise<string>;
  /** The end of the project's progress file. */
  progress(run: ActiveRun): Promise<string>;
  conclude(ctx: EngineContext, run: ActiveRun, ended: EndedAttempt): Promise<void>;
}

/** An attempt that the engine itself performs and concludes. */
export const IN_ENGINE: Execution = { memory: memorySections, progress: readProgress, conclude: concludeAttempt };
