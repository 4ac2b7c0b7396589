import type { App } from '../app.ts';
import { refuseCall } from '../core/run/decide-run.ts';
import { AppError } from '../errors.ts';
import { completeId } from './find-run.ts';
import type { Call } from './operation.ts';

type Request = {
  operation: { name: string; reserved?(input: Record<string, unknown>): string | undefined };
  input: unknown;
};

/** Refuses what only a person may do where their assistant calls it and their own settings do not allow it; recorded in the run. */
export async function requireAllowedToAssistant(
  app: App,
  { operation, input }: Request,
  { origin }: Call,
): Promise<void> {
  if (origin.actor.kind !== 'assistant') return;
  const fields: Record<string, unknown> = typeof input === 'object' && input !== null ? { ...input } : {};
  const reserved = operation.reserved?.(fields);
  if (reserved === undefined) return;
  const { loadConfig } = await import('../config/load.ts');
  const { assistant } = await loadConfig({ env: app.env });
  if (assistant.decide) return;
  if (typeof fields.run === 'string' && app.control !== undefined) {
    const { control } = app;
    const record = async (ref: string) =>
      control.record(completeId(app, ref), (state) => refuseCall(state, operation.name), origin);
    // An unknown run has no record; the call is refused all the same.
    await record(fields.run).catch(() => {});
  }
  throw new AppError(
    'ASSISTANT_REFUSED',
    `The assistant ${origin.actor.name} may not do this: ${reserved} is left to a person`,
    { operation: operation.name },
  );
}
