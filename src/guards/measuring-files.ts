import type { CommandGateSpec } from '../gates/gate-kinds.ts';
import { SOURCE_FOLDERS } from './check-files.ts';
import { closureOf } from './closure.ts';
import { folderOf, isProgram } from './module-imports.ts';
import type { Closure } from './reached-files.ts';
import type { SearchedFiles } from './test-modules.ts';

/** What measures the work, as the base has it, and as the candidate would: it may add what a command runs and the base has not. */
export async function measuringFiles(
  measures: readonly CommandGateSpec[],
  { base, candidate }: { base: SearchedFiles; candidate: SearchedFiles },
): Promise<(path: string) => boolean> {
  if (measures.length === 0) return () => false;
  const isKnown = measuringPrograms(await closureOf(measures, base), base.paths);
  const isAdded = measuringPrograms(await closureOf(measures, candidate), candidate.paths);
  return (path) => isKnown(path) || (!base.paths.has(path) && isAdded(path));
}

/** The programs that commands start which measure work, and the programs in their folders, of which they may be made. */
function measuringPrograms({ find, judged, entries }: Closure, paths: ReadonlySet<string>): (path: string) => boolean {
  const isRun = (path: string) => judged.has(path) || ['script', 'source'].includes(find(path)?.role ?? '');
  const isMeasured = (path: string) => entries.has(path) || SOURCE_FOLDERS.test(path);
  const folders = new Set([...paths].filter((path) => isRun(path) && !isMeasured(path)).map(folderOf));
  return (path) => {
    const folder = folderOf(path);
    return !isMeasured(path) && (isRun(path) || (folder !== '' && folders.has(folder) && isProgram(path)));
  };
}
