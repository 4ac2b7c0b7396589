type Output = Readonly<Record<string, unknown>>;

/**
 * What the expressions of a workflow may ask about: each node's structured output by the node's id, all of them as `nodes` and
 * `outputs`, and in a loop the fields of the node's own output by their bare names. `blocking_count` counts `blocking_issues`.
 */
export function workflowVariables(outputs: ReadonlyMap<string, Output>, own: Output = {}): Record<string, unknown> {
  const nodes = Object.fromEntries([...outputs].map(([id, output]) => [id, counted(output)]));
  return { ...counted(own), ...nodes, nodes, outputs: nodes };
}

function counted(output: Output): Record<string, unknown> {
  const issues = output.blocking_issues;
  return Array.isArray(issues) ? { blocking_count: issues.length, ...output } : { ...output };
}
