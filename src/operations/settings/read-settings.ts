import { z } from 'zod';
import { operation } from '../operation.ts';
import { readSettingsFile, SettingsDocument, SettingsRef } from './settings-files.ts';

/** Reads a file of settings and what is in force because of it. */
export const readSettings = operation({
  name: 'read-settings',
  where: 'anywhere',
  summary: 'Read a file of settings',
  http: 'GET /api/settings',
  allow: ['viewer', 'operator'],
  input: z.object(SettingsRef),
  output: SettingsDocument,
  run: (app, ref) => readSettingsFile(app.env, ref),
});
