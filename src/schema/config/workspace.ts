import { z } from 'zod';
import { CommandText, InsidePath, Seconds } from './scalars.ts';

/** As compose files name their services: `app`, `laravel.test`. */
const ServiceName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'the name of a compose service');

/** How a workspace is made ready. */
export const WorkspaceConfig = z
  .strictObject({
    symlinkDirs: z
      .array(InsidePath)
      .default(['node_modules'])
      .describe('Ignored folders every workspace gets its own copy of.'),
    copyFiles: z
      .array(InsidePath)
      .default([])
      .describe('Ignored files to copy from your checkout into every workspace.'),
    setup: z.array(CommandText).default([]).describe('Commands that make a fresh checkout ready, for example npm ci.'),
    teardown: z.array(CommandText).default([]).describe('Commands to run before a workspace is removed.'),
    setupSeconds: Seconds.default(600).describe('Time limit of each set-up or teardown command.'),
    docker: z
      .strictObject({ service: ServiceName, workDir: z.string().default('/app') })
      .optional()
      .describe('A compose service in which the commands of this project run.'),
  })
  .prefault({});
