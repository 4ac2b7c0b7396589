import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { AppError, messageOf } from '../../errors.ts';
import { Context } from '../../schema/job-parts.ts';
import { collect } from '../command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readNamedFile } from './named-file.ts';

const JsonObject = z.record(z.string(), z.unknown());

export function addContextOption(command: Command): Command {
  return command.option(
    '--context <key=value>',
    'a fact for the agent, or @file.json with several; repeatable',
    collect,
  );
}

/** Reads the values of `--context`; the last value of a key wins. Strings are kept verbatim, other values become JSON. */
export async function contextOf(terminal: Terminal, values: readonly string[]): Promise<Context> {
  const entries: [string, string][] = [];
  for (const text of values)
    entries.push(...(text.startsWith('@') ? await fileEntries(terminal, text.slice(1)) : [pair(text)]));
  const context = Context.safeParse(Object.fromEntries(entries));
  if (context.success) return context.data;
  const [issue] = context.error.issues;
  const key = issue?.path[0] === undefined ? '' : ` ${JSON.stringify(issue.path[0])}`;
  const reason = issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
  throw new AppError('USAGE', `--context${key}: ${reason ?? 'is invalid'}`);
}

function pair(text: string): [string, string] {
  const sign = text.indexOf('=');
  if (sign > 0) return [text.slice(0, sign).trim(), text.slice(sign + 1)];
  throw new AppError('USAGE', `--context ${text} is neither key=value nor @file.json`);
}

async function fileEntries(terminal: Terminal, name: string): Promise<[string, string][]> {
  const file = resolve(terminal.cwd, name);
  const text = await readNamedFile(file, 'The context file');
  try {
    const values = JsonObject.parse(JSON.parse(text));
    return Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'it is not a JSON object' : messageOf(error);
    throw new AppError('USAGE', `The context file ${file} cannot be used: ${reason}`, { file }, { cause: error });
  }
}
