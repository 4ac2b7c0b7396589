import { z } from 'zod';

/** Branches, and who commits. */
export const GitConfig = z
  .strictObject({
    base: z.string().optional().describe('The branch work starts from and lands on; default: the one checked out.'),
    author: z.string().default('Manyhands').describe('Author name of commits made for agents.'),
    email: z.string().default('manyhands@localhost').describe('Author address of those commits.'),
    trailers: z.array(z.string()).default([]).describe('Trailer lines added to those commits.'),
  })
  .prefault({});
