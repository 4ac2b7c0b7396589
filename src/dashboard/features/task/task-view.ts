import type { TaskState } from '../../../core/run/state.ts';
import type { OperationOutput } from '../../../operations/contracts.ts';

/** A task whole, with the run that it belongs to. */
export type TaskView = Omit<OperationOutput<'show-task'>, 'task'> & { task: TaskState };
