import { realpath } from 'node:fs/promises';
import type { App } from '../../app.ts';
import { loadConfig } from '../../config/load.ts';
import type { Redact } from '../../core/redact.ts';
import { refuseCall } from '../../core/run/decide-run.ts';
import { AppError } from '../../errors.ts';
import { withMutex } from '../../git/mutex.ts';
import { type IntegrationsConfig, integrationsOf } from '../../schema/config/integrations.ts';
import type { AttemptCaller } from '../attempt-caller.ts';
import { requireActive } from '../find-run.ts';
import type { Call } from '../operation.ts';

/** What the call of an integration has: the settings of the person for this project, and a redaction that knows their credentials. */
export type IntegrationUse = {
  settings: IntegrationsConfig;
  redact: Redact;
  /** The project's folder. */
  root: string;
  /** A credential of the settings: itself, or the variable that it names. */
  credential(value: string): string;
  /** Records the refusal in the run, and refuses the call. */
  refuse(reason: string): Promise<never>;
};

type Caller = Pick<AttemptCaller, 'run' | 'task' | 'attempt'> & { tool: string };

/** Calls of one attempt run one after another, so that many at once do not start as many processes. */
export async function useIntegration<T>(
  app: App,
  { run, task, attempt, tool }: Caller,
  { origin, signal }: Call,
  use: (integration: IntegrationUse) => Promise<T>,
): Promise<T> {
  const { redact } = requireActive(app, run);
  const { root } = app.runs.state(run).start.project;
  const { integrations } = await loadConfig({ env: app.env });
  const settings = integrationsOf(integrations, root, await realpath(root).catch(() => root));
  const secrets: string[] = [];
  const credential = (value: string) => {
    const found = value.startsWith('$') ? (app.env[value.slice(1)] ?? '') : value;
    if (found !== '') secrets.push(found);
    return found;
  };
  const refuse = async (reason: string): Promise<never> => {
    await app.control?.record(run, (state) => refuseCall(state, `${tool}: ${redact(reason)}`.slice(0, 200)), origin);
    throw new AppError('TOOL_REFUSED', redact(reason), { tool });
  };
  const redactAll: Redact = (text) => redact(secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text));
  return withMutex(`${run}/${task}/${attempt}/integration`, () => {
    signal.throwIfAborted();
    return use({ settings, redact: redactAll, root, credential, refuse });
  });
}

/** The source that an agent names, or the only one. */
export async function namedSource<T>(
  named: Readonly<Record<string, T>>,
  name: string | undefined,
  refuse: (reason: string) => Promise<never>,
): Promise<T> {
  const names = Object.keys(named);
  const [only] = names;
  const chosen = name ?? (names.length === 1 ? only : undefined);
  const source = chosen !== undefined && Object.hasOwn(named, chosen) ? named[chosen] : undefined;
  if (source !== undefined) return source;
  if (names.length === 0) return refuse('It is not configured');
  if (name === undefined) throw new AppError('INPUT_INVALID', `Name one of ${names.join(', ')}`);
  return refuse(`There is no ${name}; there is ${names.join(', ')}`);
}
