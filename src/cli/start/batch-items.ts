import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { parseLocatedYaml } from '../../roles/located-yaml.ts';
import { Batch, type BatchItem } from '../../schema/batch.ts';
import type { BatchSettings } from '../../templates/batch.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readNamedFile } from './named-file.ts';

/** Items for a batch, and the settings of the batch if they come from a batch file. */
export type BatchInput = { items: (string | BatchItem)[]; settings: BatchSettings };

const STRUCTURED = new Set(['.yaml', '.yml', '.json']);

/** Reads the operands of `batch add`: prompts, one per word; `-` for lines of standard input; a file of lines or a batch file. */
export async function readItems(terminal: Terminal, words: readonly string[]): Promise<BatchInput> {
  const [only] = words;
  if (only === undefined) return { items: [], settings: {} };
  if (words.length > 1) return { items: [...words], settings: {} };
  if (only === '-') return { items: linesOf(await terminal.readInput()), settings: {} };
  const file = resolve(terminal.cwd, only.replace(/^@/, ''));
  if (!only.startsWith('@') && !(await isFile(file))) return { items: [only], settings: {} };
  const text = await readNamedFile(file);
  if (!STRUCTURED.has(extname(file).toLowerCase())) return { items: linesOf(text), settings: {} };
  const { items, ...settings } = parseLocatedYaml(text, Batch, { file, code: 'BATCH_INVALID' });
  return { items, settings: settingsOf(settings) };
}

/** One prompt per line; empty lines and lines that begin with # are ignored. */
function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function settingsOf({ summary, template, context, parallel }: Omit<Batch, 'items'>): BatchSettings {
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(template === undefined ? {} : { template }),
    ...(Object.keys(context).length === 0 ? {} : { context }),
    parallel,
  };
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ?? false;
}
