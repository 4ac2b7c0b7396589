import type { Caller } from '../../access/caller.ts';
import { momentText } from '../../core/view/amounts.ts';
import { agentVariables, type EnvironmentComparison } from '../../operations/maintenance/compare-environment.ts';
import type { Terminal } from '../terminal/terminal.ts';

const MOST_NAMED = 3;

/** Which process answers, and how its environment differs from this shell's. */
export type EngineNote = { engine: string; differences: string[] };

/** Describes the engine that answered, if it is another process; undefined if it is this one, or cannot tell. */
export async function engineNote(caller: Caller, terminal: Terminal, dir: string): Promise<EngineNote | undefined> {
  if (caller.engine() !== 'other') return undefined;
  const { env } = terminal;
  try {
    const request = { dir, path: env.PATH ?? '', variables: agentVariables(env) };
    const compared = await caller.call('compare-environment', request);
    const engine = `process ${compared.pid}, started ${momentText(compared.startedAt)} in ${compared.dir}`;
    return { engine, differences: differencesOf(compared) };
  } catch {
    // The note is only an explanation: the request itself has succeeded.
    return undefined;
  }
}

function differencesOf({ path, variables, programs }: EnvironmentComparison): string[] {
  return [
    ...programs.map(
      ({ name, engine, here }) => `${name} is ${engine ?? 'not found'} there and ${here ?? 'not found'} here`,
    ),
    ...(path.onlyHere.length === 0 ? [] : [`its PATH lacks ${listed(path.onlyHere)}`]),
    ...(path.onlyEngine.length === 0 ? [] : [`its PATH also has ${listed(path.onlyEngine)}`]),
    ...(variables.onlyHere.length === 0 ? [] : [`it has no ${listed(variables.onlyHere)}`]),
    ...(variables.onlyEngine.length === 0 ? [] : [`it has ${listed(variables.onlyEngine)}, this shell does not`]),
  ];
}

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}
