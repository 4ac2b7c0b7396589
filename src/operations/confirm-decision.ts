import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import { findRun } from './find-run.ts';
import type { Call } from './operation.ts';

type Decision = { operation: string; input: unknown };

/**
 * Requires the one-time code of a decision by a person where their settings, or those of the run, want one
 * (`approve.confirm`). The code is shown only on the terminal of the engine, which agents cannot see.
 */
export async function requireConfirmed(app: App, { operation, input }: Decision, { origin }: Call): Promise<void> {
  if (origin.actor.kind === 'engine' || !(await isConfirmed(app, input))) return;
  const { confirm, ...rest } = fieldsOf(input);
  const decision = JSON.stringify([operation, Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))]);
  if (typeof confirm === 'string' && app.confirmations.accept(decision, confirm)) return;
  const run = typeof rest.run === 'string' ? ` of run ${rest.run}` : '';
  const what = `${operation}${run}`;
  const isShown = app.confirmations.request(decision, what);
  const wrong = confirm === undefined ? '' : 'The code is not valid. ';
  const where = isShown
    ? 'a code that is now shown on the terminal of the engine'
    : 'a code, and the engine has no terminal on which a person could see it';
  throw new AppError('CONFIRM_REQUIRED', `${wrong}${what} needs ${where}`, { operation, isShown });
}

/** The settings of the person count, and those that the run was started with. */
async function isConfirmed(app: App, input: unknown): Promise<boolean> {
  const { loadConfig } = await import('../config/load.ts');
  const { approve } = await loadConfig({ env: app.env });
  if (approve.confirm === 'terminal') return true;
  const { run, dir } = fieldsOf(input);
  const ref = { ...(typeof run === 'string' ? { run } : {}), ...(typeof dir === 'string' ? { dir } : {}) };
  // An unknown run is reported by the operation.
  const state = await findRun(app, ref).catch(() => undefined);
  return state?.start.config.approve.confirm === 'terminal';
}

function fieldsOf(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? { ...input } : {};
}
