import { z } from 'zod';
import { CollectionDocument, CollectionName, Filing } from '../../schema/collection.ts';
import { RunDocument } from '../../schema/document.ts';
import { RunRef } from '../../schema/run-ref.ts';
import { TemplateDocument } from '../../schema/template.ts';
import { operation } from '../contract.ts';

const Runs = z.array(z.string()).max(10_000).default([]);
const FiledRun = Filing.extend({ run: z.string() });

/** What can be asked for about a project as a whole: its collections, what is hidden or flagged, its templates. */
export const PROJECT_OPERATIONS = {
  'list-collections': operation(
    'anywhere',
    'List the collections of a project',
    z.object({ dir: z.string() }),
    z.array(CollectionDocument),
  ),
  'add-collection': operation(
    'engine',
    'Make a collection, or put runs into one',
    z.object({ dir: z.string(), name: CollectionName, runs: Runs }),
    CollectionDocument,
  ),
  'rename-collection': operation(
    'engine',
    'Give a collection another name',
    z.object({ dir: z.string(), name: z.string(), to: CollectionName }),
    CollectionDocument,
  ),
  'remove-collection': operation(
    'engine',
    'Remove a collection, or take runs out of one; the runs stay',
    z.object({ dir: z.string(), name: z.string(), runs: Runs }),
    z.object({ name: z.string(), removed: z.boolean(), runs: z.array(z.string()) }),
  ),
  'hide-run': operation(
    'engine',
    'Leave a run out of lists, or list it again',
    z.object({ ...RunRef, hidden: z.boolean().default(true) }),
    FiledRun,
  ),
  'flag-run': operation(
    'engine',
    'Mark a run to come back to, or take the mark away',
    z.object({ ...RunRef, flagged: z.boolean().default(true), note: z.string().trim().max(1_000).optional() }),
    FiledRun,
  ),
  'rename-run': operation(
    'engine',
    'Give a run another title',
    z.object({ ...RunRef, title: z.string().trim().min(1).max(200) }),
    RunDocument,
  ),
  'list-templates': operation(
    'anywhere',
    'List the templates for jobs, and how jobs from them went',
    z.object({ dir: z.string() }),
    z.object({ templates: z.array(TemplateDocument), mistakes: z.array(z.string()) }),
  ),
  'show-template': operation(
    'anywhere',
    'Show a template, and how jobs from it went',
    z.object({ dir: z.string(), name: z.string() }),
    TemplateDocument,
  ),
} as const;
