import { showFile } from '../git/diff.ts';
import type { ActiveRun } from './context.ts';

/** Most that a prompt repeats of how to test. */
const MOST_CHARS = 20_000;

/** How agents are told to test, as the commit they start from has it; nothing where no file says it. */
export async function testInstructions(run: ActiveRun, base: string | undefined): Promise<string> {
  const path = run.ledger.state.start.config.project.testInstructions;
  if (path === undefined || base === undefined) return '';
  const text = (await showFile(run.project.mirror, base, path)) ?? '';
  return text.slice(0, MOST_CHARS).trim();
}
