import { z } from 'zod';
import { replaceConfig } from '../../config/edit.ts';
import { AppError } from '../../errors.ts';
import { operation } from '../operation.ts';
import { withKnownNames } from './known-names.ts';
import { unmaskText } from './masked-text.ts';
import { hashOf, readSettingsFile, SettingsDocument, SettingsRef, settingsTarget } from './settings-files.ts';

const MAX_CHARS = 1_000_000;

/** Replaces the text of a settings file, such as of a broken one; a text with a mistake is rejected. */
export const replaceSettingsText = operation({
  name: 'replace-settings-text',
  where: 'anywhere',
  summary: 'Replace the text of a settings file; rejected if it is invalid',
  http: 'PUT /api/settings/text',
  allow: ['operator'],
  tool: { none: 'A person repairs their file; set_setting and write_settings change single settings.' },
  reserved: () => 'replacing a settings file',
  input: z.object({
    ...SettingsRef,
    text: z.string().max(MAX_CHARS).describe('[hidden] stands for the value that the unchanged line has now.'),
    hash: z.string().describe('The hash that was read.'),
  }),
  output: SettingsDocument,
  run: async ({ env }, { text, hash, ...ref }) => {
    await replaceConfig(withKnownNames(await settingsTarget(env, ref)), (before, file) => {
      if (hashOf(before) !== hash)
        throw new AppError('CONFLICT', `${file} was changed concurrently: read it again`, { file });
      return unmaskText(text, before);
    });
    return readSettingsFile(env, ref);
  },
});
