import { basename } from 'node:path';
import { AppError } from '../errors.ts';

/** An agent as the user names it: for one role or for all, by name or as a program with arguments. */
export interface AgentChoice {
  role?: string;
  agent: { kind: 'named'; name: string; model?: string } | { kind: 'command'; program: string; args: string[] };
}

/** Single quotes are literal, double quotes and bare text support the backslash; nothing else is special. */
const PIECE = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)|(\s+)|([\s\S])/g;

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

/** Splits a command line into words with shell quoting, without any expansion. */
function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [, single, double, escaped, bare, blank, broken] of line.matchAll(PIECE)) {
    if (broken !== undefined) throw new AppError('USAGE', `The quote ${broken} is not closed in: ${line}`, { line });
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + (single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? bare ?? '');
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
