import { delimiter, isAbsolute, join } from 'node:path';
import { run } from '../process/run.ts';
import { type FoundProgram, findProgram, type ProgramSearch } from './program.ts';

const VERSION_MS = 60_000;
const known = new Map<string, string>();

/** A bare name is looked for on PATH alone: a file of that name in the repository is not the user's program. */
export function findOnPath(command: string, search: ProgramSearch): FoundProgram {
  if (command.includes('/')) return findProgram(command, search);
  const folders = search.path.split(delimiter).filter(isAbsolute);
  const programs = folders.map((folder) => findProgram(join(folder, command), search));
  return programs.find((program) => 'found' in program) ?? { missing: `${command} is not on PATH` };
}

/** The version that a program names, asked once; throws when it does not start or takes too long. */
export async function versionOf(program: string, env: Record<string, string>): Promise<string> {
  const before = known.get(program);
  if (before !== undefined) return before;
  const end = await run([program, '--version'], { env, timeoutMs: VERSION_MS });
  if (end.timedOut) throw new Error(`--version took longer than ${VERSION_MS / 1000} s`);
  const version = /\d+\.\d+\.\d+\S*/.exec(end.stdout.toString('utf8'))?.[0];
  if (end.code !== 0 || version === undefined) throw new Error(end.stderr.trim() || `--version ended with ${end.code}`);
  known.set(program, version);
  return version;
}
