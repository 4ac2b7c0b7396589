import { z } from 'zod';
import { RunRef } from '../../schema/run-ref.ts';
import { operation } from '../contract.ts';

/** So much can be typed at once; a longer paste is sent in pieces. */
export const MOST_TYPED_BYTES = 64 * 1024;

/** Sizes outside of these are refused: programs allocate by them. */
export const TERMINAL_SIZE = { columns: { least: 20, most: 500 }, rows: { least: 5, most: 300 } } as const;

/** Whose terminal is meant: that of the task's attempt under way, else of its last one that had a terminal. */
const TerminalRef = { ...RunRef, task: z.string() };

const Typed = z.base64().max(Math.ceil(MOST_TYPED_BYTES / 3) * 4);

/** What a terminal shows. The first item holds the screen as it stands (`reset`), unless `after` could be resumed. */
export const TerminalItem = z.union([
  z.object({
    offset: z.number().int().nonnegative().describe('Where this piece ends; pass it back as `after`.'),
    data: z.string().describe('What the program wrote, in base64.'),
    reset: z.literal(true).optional().describe('It stands for everything before it: clear what is shown first.'),
    columns: z.number().int().optional(),
    rows: z.number().int().optional(),
  }),
  z.object({ ended: z.literal(true) }),
]);
export type TerminalItem = z.infer<typeof TerminalItem>;

/** What can be asked for about the terminal of an interactive agent. */
export const TERMINAL_OPERATIONS = {
  'type-terminal': operation(
    'living-engine',
    "Type into an interactive agent's terminal",
    z.object({ ...TerminalRef, data: Typed.describe('The bytes that are typed, in base64.') }),
    z.object({}),
  ),
  'resize-terminal': operation(
    'living-engine',
    "Change the size of an interactive agent's terminal",
    z.object({
      ...TerminalRef,
      columns: z.number().int().min(TERMINAL_SIZE.columns.least).max(TERMINAL_SIZE.columns.most),
      rows: z.number().int().min(TERMINAL_SIZE.rows.least).max(TERMINAL_SIZE.rows.most),
    }),
    z.object({}),
  ),
} as const;

/** The terminal as it is shown and goes on. */
export const TERMINAL_STREAMS = {
  'watch-terminal': operation(
    'anywhere',
    "Watch an interactive agent's terminal",
    z.object({
      ...TerminalRef,
      after: z.number().int().nonnegative().optional().describe('The last offset that was received.'),
    }),
    TerminalItem,
  ),
} as const;
