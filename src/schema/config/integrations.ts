import { z } from 'zod';
import { CommandText, Name } from './scalars.ts';

/** A credential: itself, or the name of a variable in which it is. */
const Credential = z
  .string()
  .min(1)
  .describe('The value, or $NAME: a variable of the environment in which Manyhands was started.');

/** Which projects may use an integration. */
const Projects = z
  .array(z.string().min(1))
  .min(1)
  .optional()
  .describe('Folders of the projects whose agents may use it; default: all projects.');

const Linear = z.strictObject({
  key: Credential,
  url: z
    .url({ protocol: /^https?$/ })
    .default('https://api.linear.app/graphql')
    .describe('The address of its GraphQL interface.'),
  projects: Projects,
});

const LogSource = z.union([
  z.strictObject({
    files: z.array(z.string().min(1)).min(1).describe('Globs of absolute paths.'),
    projects: Projects,
  }),
  z.strictObject({
    command: CommandText.describe(
      'A program that prints the log, the newest lines last. An agent chooses no part of it.',
    ),
    env: z.record(z.string(), Credential).default({}).describe('Its variables, besides PATH and HOME.'),
    projects: Projects,
  }),
]);
export type LogSource = z.infer<typeof LogSource>;

const DatabaseSource = z.union([
  z.strictObject({
    url: Credential.describe(
      'The URL of a PostgreSQL database, with a role that may only read, or $NAME: a variable of the environment in which Manyhands was started.',
    ),
    projects: Projects,
  }),
  z.strictObject({ file: z.string().min(1).describe('The absolute path of an SQLite file.'), projects: Projects }),
]);

/** What agents may ask of other systems; nothing unless it is configured. */
export const IntegrationsConfig = z
  .strictObject({
    linear: Linear.optional().describe('Issues of Linear, to read: the tool query_linear.'),
    logs: z.record(Name, LogSource).default({}).describe('Logs by name, to read: the tool query_logs.'),
    databases: z.record(Name, DatabaseSource).default({}).describe('Databases by name, to read: the tool query_db.'),
    ci: z
      .boolean()
      .default(false)
      .describe("Logs of the forge's CI jobs, read with the login of its program: the tool query_ci_logs."),
  })
  .prefault({})
  .describe(
    'Tools of agents that read from other systems. Read only from your own settings file, not from that of a project. Their credentials are not given to agents.',
  );
export type IntegrationsConfig = z.infer<typeof IntegrationsConfig>;

/** The tools of integrations. */
export type Integration = 'linear' | 'logs' | 'databases' | 'ci';

/** What the agents of a project may use, whose folder has these paths: the rest of the settings is left out. */
export function integrationsOf(config: IntegrationsConfig, ...roots: readonly string[]): IntegrationsConfig {
  const folders = new Set(roots.map(withoutSlash));
  const isAllowed = ({ projects }: { projects?: string[] | undefined }) =>
    projects === undefined || projects.some((folder) => folders.has(withoutSlash(folder)));
  const allowed = <T extends { projects?: string[] | undefined }>(named: Record<string, T>) =>
    Object.fromEntries(Object.entries(named).filter(([, source]) => isAllowed(source)));
  const { linear, logs, databases, ci } = config;
  return {
    ...(linear !== undefined && isAllowed(linear) ? { linear } : {}),
    logs: allowed(logs),
    databases: allowed(databases),
    ci,
  };
}

/** Which tools these settings switch on. */
export function configuredIntegrations({ linear, logs, databases, ci }: IntegrationsConfig): Set<Integration> {
  const isOn: Record<Integration, boolean> = {
    linear: linear !== undefined,
    logs: Object.keys(logs).length > 0,
    databases: Object.keys(databases).length > 0,
    ci,
  };
  // The keys of the record are those of its type.
  return new Set((Object.keys(isOn) as Integration[]).filter((name) => isOn[name]));
}

function withoutSlash(folder: string): string {
  return folder.replace(/\/+$/, '');
}
