import { z } from 'zod';
import { requireKey } from '../../config/edit.ts';
import { loadLayers, originOf } from '../../config/load.ts';
import { valueAt } from '../../config/merge.ts';
import { operation } from '../operation.ts';
import { SettingsRef, settingsLocation, shownValue } from './settings-files.ts';

/** The effective value of a setting, and where it comes from. */
export const getSetting = operation({
  name: 'get-setting',
  where: 'anywhere',
  summary: 'Return the effective value of a setting',
  http: 'GET /api/settings/{key}',
  allow: ['viewer', 'operator'],
  input: z.object({ ...SettingsRef, key: z.string().describe('Such as limits.agents.') }),
  output: z.object({ key: z.string(), value: z.unknown(), from: z.enum(['default', 'global', 'project']) }),
  run: async (app, { key, ...ref }, { origin }) => {
    const path = requireKey(key);
    const { config, ...loaded } = await loadLayers(await settingsLocation(app.env, ref));
    return { key, value: shownValue(path, valueAt(config, path) ?? null, origin), from: originOf(loaded, path) };
  },
});
