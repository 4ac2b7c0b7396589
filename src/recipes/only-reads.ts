/** Whether a run changes nothing and so has nothing to check: a reading job, or tasks that are only made. */
export function onlyReads(recipe: string, input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false;
  if (recipe === 'todo') return !('execute' in input && input.execute === true);
  return recipe === 'job' && 'role' in input && input.role !== undefined && !('write' in input && input.write === true);
}
