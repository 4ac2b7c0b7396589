import { describe } from 'vitest';
import { installProgram, isEveryProgramRequired, skipLine } from './install.ts';
import type { ProgramName } from './programs.ts';

/**
 * Describes what needs real programs, given by path. Where one cannot be had it is skipped, with a line that says so;
 * with MANYHANDS_REQUIRE_AGENTS=1 that is a failure.
 */
export async function describeWith<Name extends ProgramName>(
  names: readonly Name[],
  title: string,
  tests: (path: (name: Name) => string) => void,
): Promise<void> {
  const paths = new Map<Name, string>();
  const missing: string[] = [];
  for (const name of names) {
    const installed = await installProgram(name);
    if ('path' in installed) paths.set(name, installed.path);
    else missing.push(skipLine(name, installed.missing));
  }
  if (missing.length > 0 && isEveryProgramRequired()) throw new Error(missing.join('\n'));
  for (const line of missing) process.stderr.write(`${line}\n`);
  describe.skipIf(missing.length > 0)([title, ...missing].join(' – '), () => {
    tests((name) => paths.get(name) ?? '');
  });
}
