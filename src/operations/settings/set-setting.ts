import { z } from 'zod';
import { requireKey, setConfig } from '../../config/edit.ts';
import { loadLayers } from '../../config/load.ts';
import { operation } from '../operation.ts';
import { withKnownNames } from './known-names.ts';
import { hiddenValue, reservedSetting, SettingsRef, settingTarget } from './settings-files.ts';

/** Sets a value in a settings file; all files together are validated before it is written. */
export const setSetting = operation({
  name: 'set-setting',
  where: 'anywhere',
  summary: 'Set a value in a settings file; its comments and order are kept',
  http: 'PUT /api/settings/{key}',
  allow: ['operator'],
  reserved: ({ key }) => reservedSetting(requireKey(String(key))),
  input: z.object({ ...SettingsRef, key: z.string(), value: z.string().describe('YAML, such as 8 or ["npm test"].') }),
  output: z.object({
    key: z.string(),
    value: z.unknown(),
    file: z.string(),
    ignored: z.string().optional().describe("Why it has no effect in a project's file."),
  }),
  run: async (app, { value: text, ...ref }) => {
    const target = withKnownNames(await settingTarget(app.env, ref));
    const { file, value } = await setConfig(target, text);
    const { ignored } = await loadLayers(target.place);
    const isSet = ({ key }: { key: string }) =>
      key === ref.key || ref.key.startsWith(`${key}.`) || key.startsWith(`${ref.key}.`);
    const reason = target.scope === 'project' ? ignored.find(isSet)?.reason : undefined;
    const shown = { key: ref.key, value: hiddenValue(requireKey(ref.key), value), file };
    return reason === undefined ? shown : { ...shown, ignored: reason };
  },
});
