import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, in that order. */
const LONGEST = ['opencode-acp', 'gemini-acp', 'gemini', 'claude-agent-acp', 'codex-acp'].map(
  (name) => `/matrix/${name}.test.ts`,
);

/** Begins with what takes longest, so that nobody waits for it alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    return others.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((end) => moduleId.endsWith(end));
  return at < 0 ? LONGEST.length : at;
}
