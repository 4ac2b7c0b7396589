import { messageOf } from '../errors.ts';
import { run } from '../process/run.ts';
import type { Availability } from './agent.ts';
import type { FoundProgram } from './program.ts';

const VERSION_MS = 60_000;

const known = new Map<string, string>();

/** How to check a vendor's program, and the next step when it cannot be used. */
export interface ProgramChecks {
  version: (program: string) => Promise<string>;
  /** The credential in use, if there is one. */
  login: (program: string) => string | undefined | Promise<string | undefined>;
  install: string;
  logIn: string;
  /** The file of a project names the program, so that nothing may start it outside of an attempt. */
  isOfProject?: boolean | undefined;
}

/** A vendor's program is available if it exists, starts and is logged in. */
export async function programAvailability(program: FoundProgram, checks: ProgramChecks): Promise<Availability> {
  const { version, install, logIn } = checks;
  if ('missing' in program) return { ok: false, detail: program.missing, nextStep: install };
  const { found } = program;
  if (checks.isOfProject === true)
    return { ok: true, detail: `${found} (not started to check it: the file of the project names it)` };
  try {
    const detail = `${found} ${await version(found)}`;
    const login = await checks.login(found);
    if (login === undefined) return { ok: false, detail: `${detail}, not logged in`, nextStep: logIn };
    return { ok: true, detail: `${detail}, logged in by ${login}` };
  } catch (error) {
    return { ok: false, detail: `${found} does not start: ${messageOf(error)}`, nextStep: install };
  }
}

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
