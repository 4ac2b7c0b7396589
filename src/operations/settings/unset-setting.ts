import { z } from 'zod';
import { requireKey, unsetConfig } from '../../config/edit.ts';
import { operation } from '../operation.ts';
import { reservedSetting, SettingsRef, settingTarget } from './settings-files.ts';

/** Removes a value from a settings file; an error if it is not set there. */
export const unsetSetting = operation({
  name: 'unset-setting',
  where: 'anywhere',
  summary: 'Remove a value from a settings file, so that the next lower file or the default applies',
  http: 'DELETE /api/settings/{key}',
  allow: ['operator'],
  reserved: ({ key }) => reservedSetting(requireKey(String(key))),
  input: z.object({ ...SettingsRef, key: z.string() }),
  output: z.object({ key: z.string(), file: z.string() }),
  run: async (app, ref) => ({ key: ref.key, ...(await unsetConfig(await settingTarget(app.env, ref))) }),
});
