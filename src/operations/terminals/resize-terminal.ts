import { z } from 'zod';
import { TaskRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { requireTerminal } from './held-terminal.ts';

/** Limits of the size, because programs allocate memory by it. */
export const TERMINAL_SIZE = { columns: { least: 20, most: 500 }, rows: { least: 5, most: 300 } } as const;

/** Resizes the terminal of an attempt; the last call wins. */
export const resizeTerminal = operation({
  name: 'resize-terminal',
  where: 'living-engine',
  summary: "Change the size of an interactive agent's terminal",
  http: 'POST /api/runs/{run}/tasks/{task}/terminal/size',
  allow: ['operator'],
  tool: { none: 'The size of a terminal is that of the window in which a person watches it.' },
  input: z.object({
    ...TaskRef,
    columns: z.number().int().min(TERMINAL_SIZE.columns.least).max(TERMINAL_SIZE.columns.most),
    rows: z.number().int().min(TERMINAL_SIZE.rows.least).max(TERMINAL_SIZE.rows.most),
  }),
  output: z.object({}),
  run: async (app, { columns, rows, ...ref }) => {
    await app.terminals.resize(await requireTerminal(app, ref), { columns, rows });
    return {};
  },
});
