import { z } from 'zod';

/** What a file that nothing can check means for the work. */
export const Unchecked = z.enum(['pass', 'hold']);
export type Unchecked = z.infer<typeof Unchecked>;

/** Commands by the ending of a file's name; `{file}` is replaced by the path of a copy. */
export const SyntaxCheckers = z
  .record(
    z.string().regex(/^\.[\w.+-]+$/, 'must be an ending such as ".lua"'),
    z.string().refine((command) => command.includes('{file}'), 'must contain {file}'),
  )
  .default({});

/** How changed files are checked for syntax errors. */
export const SyntaxConfig = z
  .strictObject({
    all: z
      .boolean()
      .default(false)
      .describe('Check the changed files of every task that writes, not only of bulk items.'),
    unchecked: Unchecked.default('pass').describe(
      'When nothing here can check a file: pass notes it in the evidence, hold leaves it to a person.',
    ),
    checkers: SyntaxCheckers.describe(
      'More checkers by file ending, for example ".lua": "luac -p {file}"; exit 0 means correct.',
    ),
  })
  .prefault({});
