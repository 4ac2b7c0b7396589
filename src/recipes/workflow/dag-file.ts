import { promptText } from '../../roles/prompt.ts';
import { type WorkFile, type WorkflowInput, type WorkflowNode, WorkText } from '../../schema/work-file.ts';
import { checked, checkedKeys, noteUnusedKeys, type Reading, reportUnknownKeys } from '../../work-files/checked.ts';
import { checkGraph } from '../../work-files/graph-check.ts';
import { FileId } from '../../work-files/listed.ts';
import { isRecord, type Path } from '../../work-files/source.ts';
import type { DataFormat, ReadOptions } from '../recipe-work-file.ts';
import {
  DAG_HEAD_KEYS,
  DAG_KEYS,
  DAG_TASK_KEYS,
  DagHead,
  DagTask,
  UNUSED_LOOP_KEYS,
  UNUSED_RETRY_KEYS,
  UNUSED_TASK_KEYS,
} from './dag-keys.ts';
import { checkExpression } from './expression.ts';
import { checkedExpression } from './expression-check.ts';

type Entry = { id: string; at: Path; needsKey: string; task: DagTask };
type Options = WorkFile['options'];

/** The keys that name what a task waits for; a file may use several. */
const NEEDS_KEYS = ['depends_on', 'needs', 'inputs'] as const;
const LOOP_GUARD = 500;
const MOST_LISTED = 10;
/** The request for JSON in the prompts of that tool, which are written in English or Chinese. */
const RETURNS_JSON = /(?:\breturns?\b|\brespond\b|\breply\b|\banswer\b|返回)[^\n]{0,20}\bJSON/i;
/** Prompts that begin like this report something, unless they also name a change. */
const REPORTS =
  /^\W*(?:please\s+)?(?:analy[sz]e|review|inspect|examine|investigate|summari[sz]e|report|explain|list|describe|assess|evaluate|audit|check|verify|identify|分析|审查|检查|评估|总结|汇总)/i;
const CHANGES =
  /\b(?:fix|implement|refactor|write|create|add|update|change|modify|edit|repair|rename|remove|delete)\b|修复|实现|重构|编写|创建|添加|修改|更新|删除|生成(?![^，。\n]*报告)/i;
const MAX_AT_ONCE = 150;
const MODEL_TIERS = { haiku: 'light', sonnet: 'standard', opus: 'heavy' } as const;
const COMPLEXITY_TIERS = { simple: 'light', moderate: 'standard', complex: 'heavy' } as const;
/** What is requested of a task whose answer is JSON, if the file names no schema. */
const ANY_OBJECT = { type: 'object' };
const AGENT_TYPES: Partial<Record<DagTask['type'], string>> = { claude_cli: 'claude', codex_cli: 'codex' };

/** A graph of tasks as another tool writes it (TOML, YAML or JSON); it becomes a workflow. */
export const dagFormat: DataFormat<WorkflowInput> = {
  format: 'dag',
  keys: ['tasks'],
  matches: (content) => {
    if (!isRecord(content)) return false;
    const { tasks } = content;
    return 'dag' in content || 'meta' in content || isRecord(tasks) || (Array.isArray(tasks) && tasks.some(isDagTask));
  },
  read: readDag,
};

function isDagTask(entry: unknown): boolean {
  return isRecord(entry) && ['instruction', 'prompt', 'prompt_template', 'inputs'].some((key) => key in entry);
}

function readDag(reading: Reading, options: ReadOptions): { input: WorkflowInput; options: Options } {
  const { value } = reading.source;
  const top = isRecord(value) ? value : {};
  reportUnknownKeys(reading, { path: [], value, known: DAG_KEYS, foreign: true });
  const head = headOf(reading, top);
  const entries = entriesOf(reading, top.tasks);
  checkGraph(
    reading,
    entries.map(({ id, at, needsKey, task }) => ({ id, needs: needsOf(task), at, needsAt: [...at, needsKey] })),
    top.tasks,
  );
  const ids = entries.map(({ id }) => id);
  const read = entries.map((entry) => toNode(reading, entry, { ids, attempts: head.retry?.max_attempts }));
  const nodes = withAnswers(read, entries);
  noteRequiredChanges(reading, nodes);
  return {
    input: { name: head.name ?? options.name, nodes, loopGuard: LOOP_GUARD },
    options: head.max_parallel === undefined ? {} : { maxParallel: Math.min(MAX_AT_ONCE, head.max_parallel) },
  };
}

function headOf(reading: Reading, top: Record<string, unknown>): DagHead {
  const section = ['dag', 'meta'].find((key) => isRecord(top[key]));
  const value = section === undefined ? top : { ...top, ...(isRecord(top[section]) ? top[section] : {}) };
  if (section !== undefined) {
    reportUnknownKeys(reading, { path: [section], value: top[section], known: DAG_HEAD_KEYS, foreign: true });
  }
  const pathOf = (key: string) =>
    section !== undefined && isRecord(top[section]) && key in top[section] ? [section, key] : [key];
  if ('hooks' in value) {
    const note = 'hooks are not run: nothing in a work file may start programs by itself.';
    reading.notes.addAt(reading.source, pathOf('hooks'), note);
  }
  noteUnusedKeys(
    reading,
    { path: pathOf('retry'), value: value.retry },
    { reasons: UNUSED_RETRY_KEYS, prefix: 'retry.' },
  );
  const { name, max_parallel, retry } = value;
  const found = checked(
    reading,
    { path: section === undefined ? [] : [section], value: { name, max_parallel, retry } },
    DagHead,
  );
  return found ?? {};
}

function entriesOf(reading: Reading, tasks: unknown): Entry[] {
  const inList = Array.isArray(tasks);
  const listed = inList
    ? tasks.map((value: unknown, index) => ({
        id: isRecord(value) ? value.id : undefined,
        at: ['tasks', index],
        value,
      }))
    : Object.entries(isRecord(tasks) ? tasks : {}).map(([id, value]) => ({ id, at: ['tasks', id], value }));
  if (listed.length === 0) {
    const reason = 'missing; must hold at least one task';
    reading.errors.addAt(reading.source, ['tasks'], { code: 'missing_field', reason });
  }
  return listed.flatMap(({ id, at, value }) => {
    const name = checked(reading, { path: inList ? [...at, 'id'] : at, value: id, about: 'key' }, FileId);
    reportUnknownKeys(reading, { path: at, value, known: DAG_TASK_KEYS, foreign: true });
    noteUnused(reading, at, value);
    const task = checkedKeys(reading, { path: at, value }, DagTask);
    if (name === undefined || task === undefined) return [];
    const needsKey = NEEDS_KEYS.find((key) => task[key] !== undefined) ?? 'depends_on';
    return [{ id: name, at, needsKey, task }];
  });
}

function noteUnused(reading: Reading, path: Path, value: unknown): void {
  noteUnusedKeys(reading, { path, value }, { reasons: UNUSED_TASK_KEYS });
  if (!isRecord(value)) return;
  const noteIn = (key: string, reasons: Readonly<Record<string, string>>) =>
    noteUnusedKeys(reading, { path: [...path, key], value: value[key] }, { reasons, prefix: `${key}.` });
  for (const key of ['retry', 'retry_policy']) noteIn(key, UNUSED_RETRY_KEYS);
  noteIn('loop', UNUSED_LOOP_KEYS);
}

function needsOf(task: DagTask): string[] {
  return [...new Set(NEEDS_KEYS.flatMap((key) => task[key] ?? []))];
}

function toNode(
  reading: Reading,
  entry: Entry,
  { ids, attempts }: { ids: readonly string[]; attempts: number | undefined },
): WorkflowNode {
  const { id, at, task } = entry;
  const tries = (task.retry ?? task.retry_policy)?.max_attempts ?? attempts;
  const reads = task.is_read_only ?? task.read_only ?? task.type === 'analysis';
  const agent = agentOf(task);
  const tier = tierOf(reading, entry.at, task);
  const sources = [...new Set(sourcesOf(task))].filter((source) => ids.includes(source));
  if (task.type === 'operation') {
    const reason = 'a task of type operation is no work for an agent; use a check or a job instead';
    reading.errors.addAt(reading.source, [...at, 'type'], { code: 'invalid_value', reason });
  }
  return {
    id,
    role: reads ? 'research' : 'implement',
    needs: needsOf(task),
    task: dagTaskText(reading, at, task),
    access: reads ? 'read' : 'write',
    gates: [],
    ...conditionsOf(reading, entry, ids),
    ...(task.title === undefined ? {} : { title: task.title }),
    ...(agent === undefined ? {} : { agent }),
    ...(tier === undefined ? {} : { tier }),
    ...(task.timeout === undefined ? {} : { timeoutSeconds: task.timeout }),
    ...(tries === undefined ? {} : { attempts: tries }),
    ...(task.output_schema === undefined ? {} : { outputSchema: task.output_schema }),
    ...(sources.length === 0 ? {} : { reads: sources }),
  };
}

/** A task that returns JSON, by its keys or its prompt, or whose output is used, has that as its result and need not change anything; neither need one that only reports. */
function withAnswers(nodes: readonly WorkflowNode[], entries: readonly Entry[]): WorkflowNode[] {
  const used = usedOutputs(nodes, entries);
  return nodes.map((node, index) => {
    const { output_format, output_schema } = entries[index]?.task ?? {};
    const isJson = output_format === 'json' || output_schema !== undefined;
    const isImplied = output_format === undefined && (used.has(node.id) || RETURNS_JSON.test(node.task));
    if (!isJson && !isImplied) return isReport(entries[index]?.task) ? { ...node, answers: true } : node;
    return { ...node, answers: true, outputSchema: output_schema ?? ANY_OBJECT };
  });
}

/** Whether the prompt of a task only requests a report, so that its answer is its result. */
function isReport(task: DagTask | undefined): boolean {
  const prompt = task?.prompt ?? task?.prompt_template ?? task?.instruction ?? '';
  return REPORTS.test(prompt) && !CHANGES.test(prompt);
}

/** The tasks whose output is read: by a link, a transformation, a condition, or by their own loop. */
function usedOutputs(nodes: readonly WorkflowNode[], entries: readonly Entry[]): Set<string> {
  const used = new Set<string>();
  for (const { task } of entries) for (const id of sourcesOf(task)) used.add(id);
  for (const { id, condition = '', loop } of nodes) {
    if (loop !== undefined && loop.until !== 'false') used.add(id);
    for (const node of nodes) if (refersTo(condition, node.id)) used.add(node.id);
  }
  return used;
}

/** The tasks whose output fills the placeholders of a task. */
function sourcesOf({ links, transform }: DagTask): string[] {
  return [
    ...(links ?? []).map(({ upstream_task }) => upstream_task),
    ...(transform ?? []).map(({ source_path }) => source_path.split(/[.[]/)[0] ?? ''),
  ];
}

function refersTo(expression: string, id: string): boolean {
  if (expression.includes(`'${id}'`) || expression.includes(`"${id}"`)) return true;
  const found = checkExpression(expression);
  return found.ok && found.names.includes(id);
}

function noteRequiredChanges({ notes }: Reading, nodes: readonly WorkflowNode[]): void {
  const ids = nodes.filter(({ access, answers }) => access === 'write' && answers !== true).map(({ id }) => id);
  if (ids.length === 0) return;
  const listed =
    ids.length > MOST_LISTED
      ? `${ids.slice(0, MOST_LISTED).join(', ')} and ${ids.length - MOST_LISTED} more`
      : ids.join(', ');
  notes.add(
    `These tasks must change files: ${listed}. One that only reports needs output_format: json or is_read_only: true.`,
  );
}

function agentOf({ type, provider }: DagTask): string | undefined {
  return provider === undefined || provider === 'auto' ? AGENT_TYPES[type] : provider;
}

function tierOf({ source, notes }: Reading, path: Path, { complexity, model }: DagTask): WorkflowNode['tier'] {
  if (complexity !== undefined) return COMPLEXITY_TIERS[complexity];
  const known = Object.entries(MODEL_TIERS).find(([name]) => model === name)?.[1];
  if (model !== undefined && known === undefined) {
    const note = `model: ${model} is not used: models belong to agents; set it in the config of the agent.`;
    notes.addAt(source, [...path, 'model'], note);
  }
  return known;
}

/** An empty condition of a loop never holds: the loop runs to its end. */
function conditionsOf(
  reading: Reading,
  { at, task }: Entry,
  ids: readonly string[],
): Pick<WorkflowNode, 'condition' | 'loop'> {
  const condition = task.condition?.trim()
    ? checkedExpression(reading, { text: task.condition, at: [...at, 'condition'], ids, ownFields: false })
    : undefined;
  const { loop } = task;
  const source = { at: [...at, 'loop', 'until_condition'], ids, ownFields: true };
  const until = loop?.until_condition.trim()
    ? checkedExpression(reading, { ...source, text: loop.until_condition })
    : 'false';
  return {
    ...(condition === undefined ? {} : { condition }),
    ...(loop === undefined || until === undefined ? {} : { loop: { max: loop.max_iterations, until } }),
  };
}

/** The prompt of a task of a graph: its system prompt, the task, and the meaning of its placeholders. */
function dagTaskText({ source, errors }: Reading, at: Path, task: DagTask): string {
  const given = task.prompt ?? task.prompt_template ?? task.instruction;
  if (given === undefined) {
    errors.addAt(source, [...at, 'prompt'], { code: 'missing_field', reason: 'missing; must be a text' });
    return '';
  }
  const prompt = promptText('recipes/workflow/dag-task', {
    systemPrompt: task.system_prompt?.trim() ?? '',
    prompt: given,
    placeholders: placeholders(task),
  });
  const whole = WorkText.safeParse(prompt);
  if (whole.success) return whole.data;
  errors.addAt(source, at, {
    code: 'too_large',
    reason: 'the whole prompt must have at most 200,000 characters',
  });
  return '';
}

function placeholders({ links, transform }: DagTask): string {
  const linked = (links ?? []).map((link) =>
    promptText('recipes/workflow/dag-link', {
      key: link.input_key,
      path: link.output_path,
      task: link.upstream_task,
    }),
  );
  const transformed = (transform ?? []).map(({ source_path, target_key, ...rest }) => {
    const fallback = rest.default === undefined ? '' : JSON.stringify(rest.default);
    return promptText('recipes/workflow/dag-transform', { key: target_key, path: source_path, default: fallback });
  });
  return [...linked, ...transformed].join('\n');
}
