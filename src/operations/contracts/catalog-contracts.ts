import { z } from 'zod';
import { BatchDocument } from '../../schema/batch.ts';
import { CollectionName } from '../../schema/collection.ts';
import { RecipeDocument } from '../../schema/recipe-document.ts';
import { StartOptions } from '../../schema/request.ts';
import { SettingsChange, SettingsDocument, SettingsScope } from '../../schema/settings-document.ts';
import { FileName, TemplateDocument, TemplateHeader } from '../../schema/template.ts';
import { WorkFormat } from '../../schema/work-file.ts';
import { WorkCheck } from '../../schema/work-plan.ts';
import { operation } from '../contract.ts';

const SettingsRef = { dir: z.string().optional(), scope: SettingsScope };

/** What there is to start and to set: recipes, work files, batches, templates, settings. */
export const CATALOG_OPERATIONS = {
  'list-recipes': operation('anywhere', 'List the recipes and what they take', z.object({}), z.array(RecipeDocument)),
  'read-work-file': operation(
    'anywhere',
    'Read a work file of a project, and say what it asks for or what is wrong with it',
    z.object({
      dir: z.string(),
      file: z.string().min(1).describe('A file inside the project.'),
      format: WorkFormat.optional(),
    }),
    WorkCheck.extend({
      summary: z.array(z.string()).describe('What it asks for, a line each.'),
      request: z
        .object({ recipe: z.string(), input: z.unknown(), options: z.record(z.string(), z.unknown()) })
        .nullable()
        .describe('What start-run takes: its options are those that the file says; null where it has mistakes.'),
    }),
  ),
  'list-batches': operation(
    'anywhere',
    'List the batches of a project',
    z.object({ dir: z.string() }),
    z.object({ batches: z.array(BatchDocument), mistakes: z.array(z.string()) }),
  ),
  'show-batch': operation(
    'anywhere',
    'Show the items of a batch',
    z.object({ dir: z.string(), name: z.string() }),
    BatchDocument,
  ),
  'start-batch': operation(
    'engine',
    'Do each item of a batch as a job of its own',
    z.object({
      dir: z.string(),
      name: z.string(),
      from: z.number().int().min(1).default(1).describe('The item to begin with.'),
      parallel: z.number().int().min(1).max(50).optional().describe('Jobs at once, whatever the batch says.'),
      collection: CollectionName.optional().describe('Where its runs are filed; by default a new collection.'),
      options: StartOptions.omit({ dir: true, title: true, collection: true }).prefault({}),
    }),
    z.object({
      batch: z.string(),
      collection: z.string(),
      runs: z.array(z.object({ item: z.number().int(), run: z.string(), title: z.string() })),
    }),
  ),
  'save-template': operation(
    'engine',
    'Write a template for jobs',
    z.object({
      dir: z.string(),
      name: FileName,
      text: z.string().min(1).max(100_000).describe('Its guidelines; or a whole file with front matter of its own.'),
      header: TemplateHeader.omit({ name: true }).partial().prefault({}),
      scope: z.enum(['project', 'global']).default('project'),
      replace: z.boolean().default(false).describe('Replace the one of that name.'),
    }),
    TemplateDocument,
  ),
  'remove-template': operation(
    'engine',
    'Remove a template; the built-in ones stay',
    z.object({ dir: z.string(), name: FileName, scope: z.enum(['project', 'global']).default('project') }),
    z.object({ name: z.string(), file: z.string() }),
  ),
  'read-settings': operation('anywhere', 'Read a file of settings', z.object(SettingsRef), SettingsDocument),
  'write-settings': operation(
    'engine',
    'Change a file of settings; its comments and its order stay',
    z.object({
      ...SettingsRef,
      changes: z.array(SettingsChange).min(1).max(1_000),
      hash: z.string().describe('The hash that was read.'),
    }),
    SettingsDocument,
  ),
} as const;
