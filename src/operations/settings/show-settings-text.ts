import { z } from 'zod';
import { configFile, readConfigText } from '../../config/files.ts';
import { loadLayers } from '../../config/load.ts';
import { parseConfig } from '../../config/parse.ts';
import { AppError } from '../../errors.ts';
import { operation } from '../operation.ts';
import { maskText } from './masked-text.ts';
import { hashOf, SettingsRef, settingsTarget } from './settings-files.ts';

/** The text of a settings file, and what is wrong with it. */
export const SettingsText = z.object({
  file: z.string(),
  exists: z.boolean(),
  text: z.string().describe('Values that may be secret are [hidden].'),
  hash: z.string().describe('The hash of the text; a change is rejected if the file has another hash by then.'),
  mistake: z.string().nullable().describe('Why it cannot be used; null if it can.'),
});

/** Reads a settings file as text, also one that is broken. */
export const showSettingsText = operation({
  name: 'show-settings-text',
  where: 'anywhere',
  summary: 'Read the text of a settings file, also of a broken one, with what is wrong with it',
  http: 'GET /api/settings/text',
  allow: ['operator'],
  input: z.object(SettingsRef),
  output: SettingsText,
  run: async ({ env }, ref) => {
    const { scope, place } = await settingsTarget(env, ref);
    const file = configFile(scope, place) ?? '';
    const found = await readConfigText(file);
    const text = found ?? '';
    const mistake = await mistakeIn(async () => {
      parseConfig(text, file);
      await loadLayers(place);
    });
    return { file, exists: found !== undefined, text: maskText(text), hash: hashOf(text), mistake };
  },
});

async function mistakeIn(read: () => Promise<void>): Promise<string | null> {
  try {
    await read();
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code !== 'INTERNAL') return error.message;
    throw error;
  }
}
