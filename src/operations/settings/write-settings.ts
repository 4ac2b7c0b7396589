import { z } from 'zod';
import { changeConfig } from '../../config/edit.ts';
import { AppError } from '../../errors.ts';
import { operation } from '../operation.ts';
import { withKnownNames } from './known-names.ts';
import {
  hashOf,
  readSettingsFile,
  requireShown,
  reservedSetting,
  SettingsDocument,
  SettingsRef,
  settingsTarget,
} from './settings-files.ts';

/** One change of a settings file; without a value the setting is removed. */
const SettingsChange = z.object({
  path: z.array(z.string().min(1)).min(1).max(10),
  value: z.unknown().optional(),
});

/** Changes a settings file, all changes or none; rejected if the file was modified since it was read. */
export const writeSettings = operation({
  name: 'write-settings',
  where: 'anywhere',
  summary: 'Change a settings file; its comments and order are kept',
  http: 'PUT /api/settings',
  allow: ['operator'],
  reserved: ({ changes }) => {
    const parsed = z.array(SettingsChange).safeParse(changes);
    return parsed.data?.map(({ path }) => reservedSetting(path)).find((reason) => reason !== undefined);
  },
  input: z.object({
    ...SettingsRef,
    changes: z.array(SettingsChange).min(1).max(1_000),
    hash: z.string().describe('The hash that was read.'),
  }),
  output: SettingsDocument,
  run: async ({ env }, { changes, hash, ...ref }) => {
    for (const { path, value } of changes) requireShown(path, value);
    await changeConfig({
      ...withKnownNames(await settingsTarget(env, ref)),
      changes: changes.map(({ path, value }) => (value === undefined ? { path } : { path, value })),
      expects: (text, file) => {
        if (hashOf(text) === hash) return;
        throw new AppError('CONFLICT', `${file} was changed concurrently: read it again`, { file });
      },
    });
    return readSettingsFile(env, ref);
  },
});
