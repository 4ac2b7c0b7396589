import { run } from '../process/run.ts';

const VERSION_MS = 60_000;
const known = new Map<string, string>();

/** The version that a program reports, cached; throws when it does not start or takes too long. */
export async function versionOf(program: string, env: Record<string, string>): Promise<string> {
  const before = known.get(program);
  if (before !== undefined) return before;
  const version = await readVersion(program, env, VERSION_MS);
  known.set(program, version);
  return version;
}

/** The same without the cache. */
export async function readVersion(program: string, env: Record<string, string>, timeoutMs: number): Promise<string> {
  const end = await run([program, '--version'], { env, timeoutMs });
  if (end.timedOut) throw new Error(`--version took longer than ${timeoutMs / 1000} s`);
  const version = /\d+\.\d+\.\d+\S*/.exec(end.stdout.toString('utf8'))?.[0];
  if (end.code !== 0 || version === undefined) throw new Error(end.stderr.trim() || `--version ended with ${end.code}`);
  return version;
}
