import { messageOf } from '../errors.ts';
import type { Availability } from './agent.ts';
import type { FoundProgram } from './program.ts';

/** How to check a vendor's program, and the next step when it cannot be used. */
export interface ProgramChecks {
  version: (program: string) => Promise<string>;
  /** The credential in use, if there is one. */
  login: (program: string) => string | undefined | Promise<string | undefined>;
  install: string;
  logIn: string;
}

/** A vendor's program is available if it exists, starts and is logged in. */
export async function programAvailability(program: FoundProgram, checks: ProgramChecks): Promise<Availability> {
  const { version, install, logIn } = checks;
  if ('missing' in program) return { ok: false, detail: program.missing, nextStep: install };
  const { found } = program;
  try {
    const detail = `${found} ${await version(found)}`;
    const login = await checks.login(found);
    if (login === undefined) return { ok: false, detail: `${detail}, not logged in`, nextStep: logIn };
    return { ok: true, detail: `${detail}, logged in by ${login}` };
  } catch (error) {
    return { ok: false, detail: `${found} does not start: ${messageOf(error)}`, nextStep: install };
  }
}
