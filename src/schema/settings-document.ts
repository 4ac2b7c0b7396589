import { z } from 'zod';

/** Whose settings: those of a project, or a person's own for all of them. */
export const SettingsScope = z.enum(['project', 'user']);
export type SettingsScope = z.infer<typeof SettingsScope>;

/** A file of settings as it stands, and what holds because of it. */
export const SettingsDocument = z.object({
  file: z.string(),
  exists: z.boolean(),
  text: z.string(),
  values: z.record(z.string(), z.unknown()).describe('What the file itself says.'),
  effective: z.record(z.string(), z.unknown()).describe('What holds: all files together, over the defaults.'),
  origins: z
    .record(z.string(), z.enum(['default', 'user', 'project']))
    .describe('Where the value of each setting comes from.'),
  schema: z.record(z.string(), z.unknown()).describe('The JSON Schema of a file of settings.'),
  hash: z.string().describe('Names the text; a change is refused when the file has another one by then.'),
});
export type SettingsDocument = z.infer<typeof SettingsDocument>;

/** One change of a file of settings; without a value the setting is removed. */
export const SettingsChange = z.object({
  path: z.array(z.string().min(1)).min(1).max(10),
  value: z.unknown().optional(),
});
export type SettingsChange = z.infer<typeof SettingsChange>;
