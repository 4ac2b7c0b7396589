import { z } from 'zod';

/** What happens to work with a file that no checker supports. */
export const Unchecked = z.enum(['pass', 'hold']);
export type Unchecked = z.infer<typeof Unchecked>;

/** Commands by file extension; `{file}` is replaced by the path of a copy. */
export const SyntaxCheckers = z
  .record(
    z.string().regex(/^\.[\w.+-]+$/, 'must be a file extension such as ".lua"'),
    z.string().refine((command) => command.includes('{file}'), 'must contain {file}'),
  )
  .default({});

/** How changed files are checked for syntax errors. */
export const SyntaxConfig = z
  .strictObject({
    all: z.boolean().default(false).describe('Check the changed files of every writing task, not only of bulk items.'),
    unchecked: Unchecked.default('pass').describe(
      'When no checker supports a file: pass notes it in the evidence, hold waits for a person.',
    ),
    checkers: SyntaxCheckers.describe(
      'Additional checkers by file extension, for example ".lua": "luac -p {file}"; exit 0 means correct.',
    ),
  })
  .prefault({});
