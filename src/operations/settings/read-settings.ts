import { z } from 'zod';
import { operation } from '../operation.ts';
import { readSettingsFile, SettingsDocument, SettingsRef } from './settings-files.ts';

/** Reads a settings file and the resulting effective settings. */
export const readSettings = operation({
  name: 'read-settings',
  where: 'anywhere',
  summary: 'Read a settings file',
  http: 'GET /api/settings',
  allow: ['viewer', 'operator'],
  input: z.object(SettingsRef),
  output: SettingsDocument,
  run: (app, ref) => readSettingsFile(app.env, ref),
});
