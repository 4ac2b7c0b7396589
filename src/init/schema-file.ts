import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { writeWhole } from '../config/write.ts';
import { Config } from '../schema/config.ts';
import type { World } from '../world.ts';
import type { InitFile } from './init-document.ts';
import { pathExists, requireInsideProject } from './project-path.ts';

/** The name of the schema file beside the settings. */
export const SCHEMA_NAME = 'config.schema.json';

const PATH = `.manyhands/${SCHEMA_NAME}`;
const MARK = 'Made by manyhands init, for editors. Run it again after an update; changes to this file are lost.';

/** Whether the schema file of a project matches the settings that this program knows. */
export type SchemaState = 'absent' | 'current' | 'old' | 'foreign';

/** Looks at the schema file of a project. */
export async function schemaState(root: string): Promise<SchemaState> {
  const file = await requireInsideProject(root, PATH);
  if (!(await pathExists(file))) return 'absent';
  const text = await readFile(file, 'utf8');
  if (text === schemaText()) return 'current';
  return text.includes(JSON.stringify(MARK)) ? 'old' : 'foreign';
}

/** Writes the schema beside the settings, where it serves every editor without a network; one that is not ours is kept. */
export async function refreshSchema(root: string, dryRun: boolean, world: World): Promise<InitFile> {
  const state = await schemaState(root);
  const file = (action: InitFile['action'], note: string | null = null) => ({ path: PATH, action, backup: null, note });
  if (state === 'current') return file('unchanged');
  if (state === 'foreign') return file('kept', 'it was not made by manyhands init');
  if (!dryRun) await writeWhole(await requireInsideProject(root, PATH), schemaText(), { world });
  return file(state === 'absent' ? 'written' : 'updated');
}

function schemaText(): string {
  const schema = z.toJSONSchema(Config, { io: 'input', target: 'draft-7' });
  return `${JSON.stringify({ $comment: MARK, ...schema }, null, 2)}\n`;
}
