/** The role that replaces a role of another tool, when the project has no role of that name. */
export const EQUIVALENT_ROLES: Readonly<Record<string, string>> = {
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
