/** The role that replaces a role of another tool, when the project has no role of that name. */
const EQUIVALENT_ROLES: Record<string, string> = {
  development: 'implement',
  implementation: 'implement',
  documentation: 'implement',
  automation: 'implement',
  performance: 'review',
  compatibility: 'review',
  supervisor: 'review',
  ops: 'review',
  multimodal: 'research',
};

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

/** The names that a workflow may use: the project's own roles and those of the other tool. */
export function workflowRoles(known: readonly string[]): string[] {
  return [...new Set([...known, ...Object.keys(EQUIVALENT_ROLES)])].sort();
}

/** The known role that does the work of the named one. */
export function equivalentRole(role: string, known: readonly string[]): string | undefined {
  if (known.includes(role)) return role;
  return EQUIVALENT_ROLES[role];
}

/** The JSON Schema of what a node of that role hands over; its gates refer to these fields. */
export function handoffSchema(role: string): Record<string, unknown> {
  const required = ['status', 'summary', ...(HANDOFF_FIELDS[role] ?? [])];
  const fields = [...new Set([...required, 'blocking_issues'])];
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, SHAPES[field] ?? TEXTS])),
    required,
  };
}
