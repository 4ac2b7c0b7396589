import { nearest } from '../../schema/nearest.ts';
import { ProjectPath, type WorkflowNode } from '../../schema/work-file.ts';
import { checked, keysOf, type Reading, reportUnknownKeys } from '../../work-files/checked.ts';
import { EQUIVALENT_ROLES } from '../../work-files/equivalent-roles.ts';
import { isRecord, type Path } from '../../work-files/source.ts';
import { checkedExpression } from './expression-check.ts';
import { type Entry, type FileDefaults, FileScope } from './workflow-keys.ts';

/** The fields that each role hands over, in addition to a status and a summary. */
const HANDOFF_FIELDS: Record<string, readonly string[]> = {
  requirements: ['requirements', 'boundaries', 'acceptance_criteria'],
  architecture: ['touched_files', 'dependencies', 'plan', 'risks'],
  development: ['changed_files', 'write_scope', 'commands_run'],
  implementation: ['changed_files', 'write_scope', 'commands_run'],
  testing: ['tests_run', 'failures', 'coverage_gaps'],
  review: ['findings', 'blocking_issues', 'residual_risk'],
  security: ['findings', 'secret_exposure', 'permissions', 'blocking_status'],
  ops: ['deploy_impact', 'rollback', 'observability', 'release_risk'],
  supervisor: ['verdict', 'confidence', 'objections', 'missing_evidence'],
};

const TEXTS = { type: 'array', items: { type: 'string' } };

const SHAPES: Record<string, object> = {
  status: { enum: ['pass', 'fail', 'blocked', 'needs_repair'] },
  summary: { type: 'string' },
  blocking_status: { type: 'string' },
  confidence: { enum: ['low', 'medium', 'high'] },
  verdict: { enum: ['approve', 'revise', 'block'] },
};

/** What a node is judged by: what all nodes get, which nodes there are, and the project's roles, if they are known. */
export type WorkerContext = {
  defaults: FileDefaults;
  ids: readonly string[];
  roles: readonly string[] | undefined;
};

/** Reads a node that an agent works on; a gate gives nothing. */
export function readWorker(reading: Reading, entry: Entry, context: WorkerContext): WorkflowNode[] {
  const { id, at, node } = entry;
  if (node.type === 'gate') return [];
  const { defaults } = context;
  reportMissing(reading, entry);
  const writes = node.allow_write ?? defaults.allow_write ?? false;
  const scope = scopeOf(reading, { at, writes, value: node.write_scope });
  const agent = node.agent ?? defaults.agent;
  const tier = node.tier ?? defaults.tier;
  const labels = node.labels ?? defaults.labels;
  const timeoutSeconds = node.timeout_seconds ?? defaults.timeout_seconds;
  const attempts = node.attempts ?? defaults.attempts;
  return [
    {
      id,
      role: roleOf(reading, entry, context.roles),
      needs: node.needs ?? [],
      task: node.task ?? '',
      access: writes ? 'write' : 'read',
      gates: [],
      outputSchema: node.output_schema ?? handoffSchema(node.role ?? ''),
      ...conditionsOf(reading, entry, context.ids),
      ...(node.title === undefined ? {} : { title: node.title }),
      ...(node.outputs === undefined ? {} : { outputs: node.outputs }),
      ...(scope === undefined ? {} : { writeScope: scope }),
      ...(agent === undefined ? {} : { agent }),
      ...(tier === undefined ? {} : { tier }),
      ...(labels === undefined ? {} : { labels }),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
      ...(attempts === undefined ? {} : { attempts }),
    },
  ];
}

function reportMissing({ source, errors }: Reading, { id, at, node }: Entry): void {
  if (node.outputs === undefined || node.outputs.length === 0) {
    const reason = `missing; name what "${id}" hands over, such as ${id}_handoff`;
    errors.addAt(source, [...at, 'outputs'], { code: 'missing_outputs', reason });
  }
  if (node.task === undefined) {
    errors.addAt(source, [...at, 'task'], { code: 'missing_field', reason: 'missing; must be a text' });
  }
  for (const key of ['pass_when', 'on_fail'] as const) {
    if (node[key] === undefined) continue;
    const reason = 'only a gate has this; give the node "type: gate"';
    errors.addAt(source, [...at, key], { code: 'unknown_key', reason, about: 'key' });
  }
}

function roleOf({ source, errors, notes }: Reading, { at, node }: Entry, known: readonly string[] | undefined): string {
  const requested = node.role ?? '';
  const role = equivalentRole(requested, known ?? [requested]);
  if (requested !== '' && role !== undefined) {
    if (role !== requested)
      notes.add(`The role ${requested} is replaced by ${role}; to define it, write .manyhands/roles/${requested}.md.`);
    return role;
  }
  const all = workflowRoles(known ?? []);
  const suggested = nearest(requested, all);
  const help =
    suggested === undefined || requested === '' ? `must be one of ${all.join(', ')}` : `did you mean "${suggested}"?`;
  const found = requested === '' ? 'missing' : `there is no role ${JSON.stringify(requested)}`;
  errors.addAt(source, [...at, 'role'], { code: 'unknown_role', reason: `${found}; ${help}` });
  return 'implement';
}

function scopeOf(
  reading: Reading,
  { at, writes, value }: { at: Path; writes: boolean; value: unknown },
): WorkflowNode['writeScope'] {
  const path = [...at, 'write_scope'];
  if (value === undefined) {
    if (!writes) return undefined;
    const reason = 'missing; a node that may write needs allow, a list of paths';
    reading.errors.addAt(reading.source, path, { code: 'missing_write_scope', reason });
    return undefined;
  }
  if (!isRecord(value) || !Array.isArray(value.allow) || value.allow.length === 0) {
    const reason = 'must be a map with allow, a list of at least one path, and perhaps deny and max_diff_lines';
    reading.errors.addAt(reading.source, isRecord(value) ? [...path, 'allow'] : path, {
      code: 'invalid_write_scope',
      reason,
    });
    return undefined;
  }
  reportUnknownKeys(reading, { path, value, known: keysOf(FileScope), foreign: false });
  const scope = checked(reading, { path, value }, FileScope);
  if (scope === undefined) return undefined;
  const globs = (list: readonly string[], key: string) =>
    list.flatMap((entry, index) => globsOf(reading, [...path, key, index], entry));
  return {
    allow: globs(scope.allow, 'allow'),
    deny: globs(scope.deny, 'deny'),
    ...(scope.max_diff_lines === undefined ? {} : { maxChangedLines: scope.max_diff_lines }),
  };
}

/** A folder means all that is below it, with or without a slash at its end. */
function globsOf({ source, errors }: Reading, path: Path, entry: string): string[] {
  const bare = entry.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
  const parsed = ProjectPath.safeParse(bare === '' || bare === '.' ? '**' : bare);
  if (!parsed.success) {
    const reason = `found ${JSON.stringify(entry.slice(0, 60))}; ${parsed.error.issues[0]?.message ?? 'not a path'}`;
    errors.addAt(source, path, { code: 'invalid_write_scope', reason });
    return [];
  }
  return [parsed.data];
}

function conditionsOf(
  reading: Reading,
  { at, node }: Entry,
  ids: readonly string[],
): Pick<WorkflowNode, 'condition' | 'loop'> {
  const condition = node.condition?.trim()
    ? checkedExpression(reading, { text: node.condition, at: [...at, 'condition'], ids, ownFields: false })
    : undefined;
  const until = node.loop?.until.trim()
    ? checkedExpression(reading, { text: node.loop.until, at: [...at, 'loop', 'until'], ids, ownFields: true })
    : undefined;
  return {
    ...(condition === undefined ? {} : { condition }),
    ...(node.loop === undefined || until === undefined ? {} : { loop: { max: node.loop.max, until } }),
  };
}

/** The names that a workflow may use: the project's own roles and those of the other tool. */
function workflowRoles(known: readonly string[]): string[] {
  return [...new Set([...known, ...Object.keys(EQUIVALENT_ROLES)])].sort();
}

/** The known role that does the work of the named one. */
function equivalentRole(role: string, known: readonly string[]): string | undefined {
  if (known.includes(role)) return role;
  return EQUIVALENT_ROLES[role];
}

/** The JSON Schema of what a node of that role hands over; its gates refer to these fields. */
function handoffSchema(role: string): Record<string, unknown> {
  const required = ['status', 'summary', ...(HANDOFF_FIELDS[role] ?? [])];
  const fields = [...new Set([...required, 'blocking_issues'])];
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, SHAPES[field] ?? TEXTS])),
    required,
  };
}
