import { messageOf } from '../errors.ts';
import type { Availability } from './agent.ts';
import type { FoundProgram } from './program.ts';

/** How a vendor's program is asked, and what a person can do when it is of no use. */
export interface ProgramQuestions {
  version: (program: string) => Promise<string>;
  /** By what somebody is logged in. */
  login: (program: string) => string | undefined | Promise<string | undefined>;
  install: string;
  logIn: string;
}

/** A vendor's program can be used if it is there, it starts, and somebody is logged in. */
export async function programAvailability(program: FoundProgram, questions: ProgramQuestions): Promise<Availability> {
  const { version, login, install, logIn } = questions;
  if ('missing' in program) return { ok: false, detail: program.missing, nextStep: install };
  const { found } = program;
  try {
    const detail = `${found} ${await version(found)}`;
    const by = await login(found);
    if (by === undefined) return { ok: false, detail: `${detail}, not logged in`, nextStep: logIn };
    return { ok: true, detail: `${detail}, logged in by ${by}` };
  } catch (error) {
    return { ok: false, detail: `${found} does not start: ${messageOf(error)}`, nextStep: install };
  }
}
