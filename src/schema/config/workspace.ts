import { z } from 'zod';
import { CommandText, InsidePath, Seconds } from './scalars.ts';

/** The name of a service in a compose file: `app`, `laravel.test`. */
const ServiceName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'the name of a compose service');

/** How a workspace is prepared. */
export const WorkspaceConfig = z
  .strictObject({
    copyDirs: z
      .array(InsidePath)
      .default(['node_modules'])
      .describe('Ignored folders every workspace and check gets its own copy of, before set-up commands run.'),
    copyFiles: z
      .array(InsidePath)
      .default([])
      .describe(
        'Ignored files to copy from your checkout into every workspace and check; agents and checks can read them.',
      ),
    dir: z
      .string()
      .min(1)
      .optional()
      .describe(
        'The folder of workspaces, relative to the repository and outside it; default: a folder of the data directory.',
      ),
    setup: z.array(CommandText).default([]).describe('Commands that prepare a fresh checkout, for example npm ci.'),
    teardown: z.array(CommandText).default([]).describe('Commands to run before a workspace is removed.'),
    setupSeconds: Seconds.default(600).describe('Time limit of each set-up or teardown command.'),
    pool: z
      .number()
      .int()
      .min(0)
      .max(50)
      .default(2)
      .describe(
        'How many workspaces, and copies of dependencies, are kept ready for the next tasks and checks of a run; 0: none.',
      ),
    docker: z
      .strictObject({ service: ServiceName, workDir: z.string().default('/app') })
      .optional()
      .describe(
        'A compose service in which the commands of this project run, outside of the sandbox. In the file of a project it counts once you trust that file by its hash (trust).',
      ),
  })
  .prefault({});

const Port = z.number().int().min(1).max(65_535);

/** Ports that are leased, so that the servers of parallel tasks do not collide. */
export const PortsConfig = z
  .strictObject({
    perTask: z
      .number()
      .int()
      .min(0)
      .max(20)
      .default(1)
      .describe('Ports leased to each attempt that writes: PORT is the first, MANYHANDS_PORTS lists all; 0: none.'),
    from: Port.optional().describe('The first port to lease, with `to`; default: any free port.'),
    to: Port.optional().describe('The last port to lease.'),
  })
  .refine(({ from, to }) => (from === undefined) === (to === undefined), 'from and to need each other')
  .refine(({ from = 0, to = 0 }) => from <= to, 'from must not be above to')
  .prefault({});
