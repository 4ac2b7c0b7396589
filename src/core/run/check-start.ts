import { isSatisfied } from '../../gates/gate-kinds.ts';
import type { Evidence } from '../../schema/gate.ts';
import type { RunState } from './state.ts';

const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
/** The shell of a check is started as /bin/sh, so that its own errors begin like this and those of nested shells do not. */
const SYNTAX_ERROR = /^\/bin\/sh: .*syntax error.*$/im;
const PROGRAM_ERROR =
  /(?<program>[^\s:]+): (?:command )?(?:not found|No such file or directory|cannot execute.*|Permission denied|Exec format error)\s*$/gim;

/** A full disk is not a fault of the check: attempts are blocked until there is space. */
const DISK_FULL = /No space left|ENOSPC/;

/** The gate and the definition of evidence about a set-up, which precedes all checks. */
const SETUP_GATE = 'set-up';

/** Whether the checks ran on the base; a set-up that failed there is repeated once the run continues. */
export function isBaseChecked({ baseEvidence }: Pick<RunState, 'baseEvidence'>): boolean {
  return baseEvidence !== null && !baseEvidence.some(({ definition }) => definition === SETUP_GATE);
}

/** The evidence of a check that did not run because its set-up failed, as evidence about the set-up; undefined for any other. */
export function failedSetupOf(evidence: Evidence): Evidence | undefined {
  const { verdict, exitCode, summary, output = '' } = evidence;
  const start = summary.indexOf('The set-up command');
  if (verdict !== 'error' || exitCode === null || start < 0 || DISK_FULL.test(output)) return undefined;
  return { ...evidence, gate: SETUP_GATE, definition: SETUP_GATE, summary: summary.slice(start) };
}

/** Why a check could not start, if no change of the repository can fix that; undefined if it started. */
export function startErrorOf({ verdict, exitCode, output, summary }: Evidence): string | undefined {
  if (isSatisfied(verdict)) return undefined;
  if (verdict === 'error')
    return exitCode === null && output === undefined && !DISK_FULL.test(summary) ? summary : undefined;
  const syntaxError = SYNTAX_ERROR.exec(output ?? '')?.[0];
  if (syntaxError !== undefined) return `the shell cannot parse the command: ${syntaxError.trim()}`;
  if (exitCode !== NOT_FOUND && exitCode !== NOT_EXECUTABLE) return undefined;
  const error = [...(output ?? '').matchAll(PROGRAM_ERROR)].at(-1);
  const program = error?.groups?.program;
  if (isInRepository(program, error?.[0] ?? '')) return undefined;
  const problem = exitCode === NOT_FOUND ? 'the command was not found' : 'the command cannot be executed';
  return `${problem}${program === undefined ? ` (exit code ${exitCode})` : `: ${program}`}`;
}

/** A missing or non-executable script of the repository may be the subject of the work. */
function isInRepository(program: string | undefined, error: string): boolean {
  if (program === undefined || program.startsWith('/')) return false;
  return program.includes('/') || /No such file/i.test(error);
}
