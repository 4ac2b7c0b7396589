import { z } from 'zod';
import { listConfig } from '../../config/list.ts';
import { loadLayers } from '../../config/load.ts';
import { operation } from '../operation.ts';
import { SettingsRef, settingsLocation, shownValue } from './settings-files.ts';

const SettingEntry = z.object({
  key: z.string(),
  value: z.unknown(),
  from: z.enum(['default', 'global', 'project']),
  type: z.string(),
  description: z.string(),
});

/** Lists every setting, its effective value and where that comes from. */
export const listSettings = operation({
  name: 'list-settings',
  where: 'anywhere',
  summary: 'List every setting, its effective value and where that comes from',
  http: 'GET /api/settings/list',
  allow: ['viewer', 'operator'],
  input: z.object(SettingsRef),
  output: z.array(SettingEntry),
  run: async (app, ref, { origin }) => {
    const entries = listConfig(await loadLayers(await settingsLocation(app.env, ref)));
    return entries.map((entry) => ({ ...entry, value: shownValue(entry.key.split('.'), entry.value, origin) }));
  },
});
