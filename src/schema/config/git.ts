import { z } from 'zod';

/** The hosts of repositories that pull requests can be opened at. */
const FORGES = ['github', 'gitlab', 'bitbucket'] as const;
export const ForgeName = z.enum(FORGES);
export type ForgeName = z.infer<typeof ForgeName>;

/** Branches, the remote, and the author of commits. */
export const GitConfig = z
  .strictObject({
    base: z
      .string()
      .optional()
      .describe('The branch that work starts from and lands on; default: the one checked out.'),
    destination: z
      .string()
      .min(1)
      .optional()
      .describe('The branch that pull requests are opened against; default: the base.'),
    branch: z
      .string()
      .refine((template) => template.includes('{run}'), 'must contain {run}, so that no two runs share a branch')
      .optional()
      .describe(
        'Name of a pushed branch, with {run}, {title} and {task}; default: mh/{run}, or mh-tasks/{run}/{task}.',
      ),
    remote: z
      .string()
      .regex(/^[A-Za-z0-9_][A-Za-z0-9._/-]*$/, 'the name of a remote, as git remote lists it')
      .default('origin')
      .describe('The remote that branches are pushed to when a pull request or a push is requested.'),
    provider: z
      .enum(['auto', ...FORGES, 'none'])
      .default('auto')
      .describe('The host of the remote; auto: derived from its address; a self-hosted one must be set here.'),
    repo: z
      .string()
      .regex(/^(?!.*(^|\/)\.{1,2}(\/|$))[\w.~-]+(\/[\w.~-]+)*$/, 'owner/name')
      .optional()
      .describe('The repository at its host, owner/name; default: from the address of the remote.'),
    push: z.boolean().default(false).describe('After landing on the base, push the base to the remote.'),
    author: z.string().default('Manyhands').describe('Author name of commits made for agents.'),
    email: z.string().default('manyhands@localhost').describe('Author address of those commits.'),
    trailers: z.array(z.string()).default([]).describe('Trailer lines added to those commits.'),
  })
  .prefault({});
export type GitConfig = z.infer<typeof GitConfig>;
