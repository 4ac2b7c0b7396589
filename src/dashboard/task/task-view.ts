import type { TaskState } from '../../core/state.ts';
import type { OperationOutput } from '../../schema/operation.ts';

/** A task whole, with the run that it belongs to. */
export type TaskView = Omit<OperationOutput<'show-task'>, 'task'> & { task: TaskState };
