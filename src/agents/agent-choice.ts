import { basename } from 'node:path';
import { AppError } from '../errors.ts';
import { splitWords } from './split-words.ts';

/** An agent as the user names it: for one role or for all, by name or as a program with arguments. */
export interface AgentChoice {
  role?: string;
  agent: { kind: 'named'; name: string; model?: string } | { kind: 'command'; program: string; args: string[] };
}

/** Reads `claude`, `codex:gpt-5.5`, `implement=codex`, `command:./agent.sh --flag` or `implement=command:./agent.sh`. */
export function parseAgentChoice(text: string): AgentChoice {
  const [, role, rest = ''] = /^(?:([a-z][a-z0-9-]*)=)?([\s\S]*)$/.exec(text.trim()) ?? [];
  const agent = parseAgent(rest.trim(), text);
  return role === undefined ? { agent } : { role, agent };
}

/** A readable agent name for a program (`./bin/Agent.sh` is `agent`) that is not yet taken. */
export function nameForProgram(program: string, isTaken: (name: string) => boolean): string {
  const plain = basename(program)
    .replace(/\.[^.]+$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const name = /^[a-z]/.test(plain) ? plain : ['agent', plain].filter((part) => part !== '').join('-');
  let unique = name;
  for (let count = 2; isTaken(unique); count += 1) unique = `${name}-${count}`;
  return unique;
}

function parseAgent(text: string, whole: string): AgentChoice['agent'] {
  if (!text.startsWith('command:')) {
    if (text === '') throw new AppError('USAGE', `"${whole}" names no agent`, { text: whole });
    const [, name = '', model] = /^([^:]*)(?::(.+))?$/.exec(text) ?? [];
    return model === undefined ? { kind: 'named', name: text } : { kind: 'named', name, model };
  }
  const [program, ...args] = splitWords(text.slice('command:'.length));
  if (program === undefined || program === '')
    throw new AppError('USAGE', `"${whole}" names no program`, { text: whole });
  return { kind: 'command', program, args };
}
