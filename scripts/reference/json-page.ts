import { z } from 'zod';
import { AgentPick, AgentStanding, LogLine, RunDocument, RunSummary, UsageRow } from '../../src/schema/document.ts';
import { DoctorLine, OPERATIONS, SalvageItem } from '../../src/schema/operation.ts';
import { type Page, referencePage, table } from './markdown.ts';
import { schemaBlock } from './schema-text.ts';

const DOCUMENTS: Record<string, z.ZodType> = {
  RunDocument,
  RunSummary,
  LogLine,
  UsageRow,
  AgentStanding,
  AgentPick,
  SalvageItem,
  DoctorLine,
  diff: OPERATIONS['diff-run'].output,
  restored: OPERATIONS['restore-salvage'].output,
  cleaned: OPERATIONS.clean.output,
  places: OPERATIONS.where.output,
};

const PRINTED: readonly (readonly [string, string])[] = [
  ['`do`, `job`, `show`, `wait`, `approve`, `retry`, `land`, `limit`, `cancel`', '[RunDocument](#rundocument)'],
  ['`resume`', 'list of [RunDocument](#rundocument); with a run id that one alone'],
  ['any of these with `--detach`', '`{ "run": "<id>" }`; for `resume` without an id a list of them'],
  ['`ls`', 'list of [RunSummary](#runsummary)'],
  ['`logs`', 'list of [LogLine](#logline); with `-f` it is printed when the run ends'],
  ['`usage`', 'list of [UsageRow](#usagerow)'],
  ['`models`', 'list of [AgentStanding](#agentstanding)'],
  ['`models pick`', '[AgentPick](#agentpick)'],
  ['`diff`', '[diff](#diff)'],
  ['`open`', 'list of folders, as texts'],
  ['`salvage`', 'list of [SalvageItem](#salvageitem)'],
  ['`salvage restore`', '[restored](#restored)'],
  ['`clean`', '[cleaned](#cleaned)'],
  ['`where`', '[places](#places)'],
  ['`doctor`', 'list of [DoctorLine](#doctorline)'],
  [
    '`config list`',
    'list of `{ "key", "value", "from", "type", "description" }`; `from` is default, global or project',
  ],
  ['`config get`', '`{ "key", "value", "from" }`'],
  ['`config set`', '`{ "key", "value", "file" }`'],
  ['`config unset`', '`{ "key", "file" }`'],
  ['any command that fails', '[an error](errors.md)'],
];

/** The documents that commands print with --json, as JSON Schema. */
export function jsonPage(): Page {
  return referencePage('json', 'JSON documents', [
    'With `--json` a command prints exactly one document on stdout. Fields may be added in later versions; none is removed or changes its meaning without a note in the changelog. Times are ISO 8601 in UTC, money is US dollars.',
    table(['command', 'document'], PRINTED),
    ...Object.entries(DOCUMENTS).flatMap(([name, schema]) => [`## ${name}`, schemaBlock(z.toJSONSchema(schema))]),
  ]);
}
