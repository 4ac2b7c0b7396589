import type { WorkflowGate, WorkflowInput } from '../../schema/work-file.ts';
import { checked, checkedKeys, noteUnusedKeys, type Reading, reportUnknownKeys } from '../../work-files/checked.ts';
import { checkGraph } from '../../work-files/graph-check.ts';
import { FileId } from '../../work-files/listed.ts';
import { isRecord } from '../../work-files/source.ts';
import { plannedTitle, type ReadOptions, type RecipeWorkFile } from '../recipe-work-file.ts';
import { dagFormat } from './dag-file.ts';
import { attachGates, readGate } from './workflow-gate.ts';
import {
  DEFAULTS_KEYS,
  type Entry,
  FileDefaults,
  FileNode,
  FileWorkflow,
  NODE_KEYS,
  UNUSED_KEYS,
  WORKFLOW_KEYS,
} from './workflow-keys.ts';
import { readWorker } from './workflow-worker.ts';

const LOOP_GUARD = 50;

/** A workflow file, or a graph of tasks as another tool writes it. */
export const workflowWorkFile: RecipeWorkFile<WorkflowInput> = {
  formats: [
    {
      format: 'workflow',
      keys: ['nodes'],
      matches: (content) => isRecord(content) && 'nodes' in content,
      read: (reading, options) => {
        const input = readWorkflow(reading, options);
        return { input, options: { title: input.name } };
      },
    },
    dagFormat,
  ],
  noun: ['node', 'nodes'],
  includesNeeds: true,
  ids: ({ nodes }) => nodes.map(({ id }) => id),
  plan: ({ nodes }) =>
    nodes.map(({ id, title, task, role, needs, gates, agent, labels }) => ({
      id,
      title: title ?? plannedTitle(task),
      role,
      needs,
      gates: gates.map(gateText),
      tasks: 1,
      ...(agent === undefined ? {} : { agent }),
      ...(labels === undefined ? {} : { labels }),
    })),
};

function gateText({ id, passWhen, onFail }: WorkflowGate): string {
  const again =
    onFail === undefined ? 'else the run blocks' : `else ${onFail.retry} again, at most ${onFail.max} times`;
  return `${id}: ${passWhen.join(' and ')}, ${again}`;
}

/** Reads a workflow: nodes with roles, needs and write scopes, and gates between them. */
function readWorkflow(reading: Reading, options: ReadOptions): WorkflowInput {
  const { value } = reading.source;
  const foreign = isRecord(value) && 'schema_version' in value;
  reportUnknownKeys(reading, { path: [], value, known: WORKFLOW_KEYS, foreign });
  const top = checked(reading, { path: [], value }, FileWorkflow);
  reportUnknownKeys(reading, { path: ['defaults'], value: top?.defaults, known: DEFAULTS_KEYS, foreign });
  noteUnusedKeys(reading, { path: ['defaults'], value: top?.defaults }, { reasons: UNUSED_KEYS });
  const defaults = checked(reading, { path: ['defaults'], value: top?.defaults ?? {} }, FileDefaults) ?? {};
  const entries = entriesOf(reading, isRecord(value) ? value.nodes : undefined, foreign);
  const isSound = checkGraph(
    reading,
    entries.map(({ id, at, node }) => ({ id, needs: node.needs ?? [], at, needsAt: [...at, 'needs'] })),
    isRecord(value) ? value.nodes : undefined,
  );
  const ids = entries.filter(({ node }) => node.type === 'worker').map(({ id }) => id);
  const nodes = entries.flatMap((entry) => readWorker(reading, entry, { defaults, ids, roles: options.roles }));
  const gates = entries.flatMap((entry) => readGate(reading, entry, ids));
  return {
    name: top?.name ?? top?.id ?? options.name,
    nodes: isSound ? attachGates(reading, nodes, gates) : nodes,
    loopGuard: top?.loop_guard ?? LOOP_GUARD,
  };
}

/** Nodes are a map by id, or a list with an `id` each. */
function entriesOf(reading: Reading, nodes: unknown, foreign: boolean): Entry[] {
  const inList = Array.isArray(nodes);
  const listed = inList
    ? nodes.map((value: unknown, index) => ({
        id: isRecord(value) ? value.id : undefined,
        at: ['nodes', index],
        value,
      }))
    : Object.entries(isRecord(nodes) ? nodes : {}).map(([id, value]) => ({ id, at: ['nodes', id], value }));
  if (listed.length === 0) {
    const reason = 'missing; must be a map of at least one node';
    reading.errors.addAt(reading.source, ['nodes'], { code: 'missing_field', reason });
  }
  return listed.flatMap(({ id, at, value }) => {
    const name = checked(reading, { path: inList ? [...at, 'id'] : at, value: id, about: 'key' }, FileId);
    reportUnknownKeys(reading, { path: at, value, known: NODE_KEYS, foreign });
    noteUnusedKeys(reading, { path: at, value }, { reasons: UNUSED_KEYS });
    const node = checkedKeys(reading, { path: at, value }, FileNode);
    return name === undefined || node === undefined ? [] : [{ id: name, at, node }];
  });
}
