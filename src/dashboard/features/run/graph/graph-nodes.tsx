import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { createContext, type ReactElement, useContext } from 'react';
import { Link } from 'wouter';
import { lastAttempt, type RunState, type TaskStatus } from '../../../../core/run/state.ts';
import { titleWithLabel } from '../../../../core/view/task-label.ts';
import { now } from '../../../ui/browser/clock.ts';
import { taskPath } from '../../../ui/browser/page-paths.ts';
import { stateColor, taskDisplayState } from '../../../ui/state/display-state.ts';
import { StateBar } from '../../../ui/state/state-bar.tsx';
import { StateMark } from '../../../ui/state/state-mark.tsx';
import { waitingReason } from '../waiting-reason.ts';
import styles from './graph-nodes.module.css';

export type TaskNodeData = Node<{ task: string }, 'task'>;
export type ClusterNodeData = Node<{ name: string; tasks: string[] }, 'cluster'>;

/** A task in the graph. */
export function TaskNode({ data }: NodeProps<TaskNodeData>): ReactElement | null {
  const { state, stale, critical, foundTask } = useNodeContext();
  const task = state.tasks[data.task];
  if (task === undefined) return null;
  const displayState = taskDisplayState(task.phase.status, stale.has(data.task));
  const agent = lastAttempt(task)?.agent;
  const reason = waitingReason(state, task, now());
  return (
    <Link
      href={taskPath(state.start.run, data.task)}
      className={styles.node}
      data-state={displayState}
      data-found={foundTask === data.task}
      data-critical={critical.has(data.task)}
      style={{ color: stateColor(displayState) }}
      title={[titleWithLabel(task.spec), reason, critical.has(data.task) ? 'on the critical path' : undefined]
        .filter((part) => part !== undefined)
        .join('\n')}
    >
      <Handle type="target" position={Position.Left} className={styles.handle} isConnectable={false} />
      <StateMark displayState={displayState} bare />
      <span className={styles.text}>
        <span className={styles.title}>{titleWithLabel(task.spec)}</span>
        <span className={styles.sub}>{reason ?? [task.spec.role, agent].filter(Boolean).join(' · ')}</span>
      </span>
      <Handle type="source" position={Position.Right} className={styles.handle} isConnectable={false} />
    </Link>
  );
}

/** A cluster of tasks; a click expands it. */
export function ClusterNode({ id, data }: NodeProps<ClusterNodeData>): ReactElement {
  const { state, expand } = useNodeContext();
  const counts: Partial<Record<TaskStatus, number>> = {};
  for (const key of data.tasks) {
    const status = state.tasks[key]?.phase.status;
    if (status !== undefined) counts[status] = (counts[status] ?? 0) + 1;
  }
  return (
    <button type="button" className={styles.node} data-cluster="" title="Expand" onClick={() => expand(id)}>
      <Handle type="target" position={Position.Left} className={styles.handle} isConnectable={false} />
      <span className={styles.text}>
        <span className={styles.title}>{data.name}</span>
        <span className={styles.sub}>
          {(counts.done ?? 0).toLocaleString('en-US')} / {data.tasks.length.toLocaleString('en-US')} done
        </span>
        <StateBar counts={counts} total={data.tasks.length} />
      </span>
      <Handle type="source" position={Position.Right} className={styles.handle} isConnectable={false} />
    </button>
  );
}

/** The live data of nodes; node objects stay the same while their tasks change. */
type NodeContextValue = {
  state: RunState;
  version: number;
  stale: ReadonlySet<string>;
  critical: ReadonlySet<string>;
  foundTask: string | null;
  expand(cluster: string): void;
};

export const NodeContext = createContext<NodeContextValue | undefined>(undefined);

export function useNodeContext(): NodeContextValue {
  const context = useContext(NodeContext);
  if (context === undefined) throw new Error('A graph node is rendered outside of the graph');
  return context;
}
