import { z } from 'zod';
import { LogLine, RunDocument, RunSummary, UsageRow } from '../../src/schema/document.ts';
import { Evidence } from '../../src/schema/gate.ts';
import { CleanItem, DoctorLine, OPERATIONS, SalvageItem } from '../../src/schema/operation.ts';
import { code, codeBlock, type Page, referencePage, table } from './markdown.ts';

const DOCUMENTS = { RunDocument, RunSummary, LogLine, UsageRow, SalvageItem, CleanItem, DoctorLine, Evidence };

const PRINTED: readonly (readonly [string, string])[] = [
  ['do, job, show, wait, approve, retry, land, cancel', '[RunDocument](#rundocument)'],
  ['resume', 'list of [RunDocument](#rundocument); with a run id that one alone'],
  ['any of these with --detach', '`{ "run": "<id>" }`; for resume without an id a list of them'],
  ['ls', 'list of [RunSummary](#runsummary)'],
  ['logs', 'list of [LogLine](#logline); with -f it is printed when the run ends'],
  ['usage', 'list of [UsageRow](#usagerow)'],
  ['diff', '[diff](#diff)'],
  ['open', 'list of folders, as texts'],
  ['salvage', 'list of [SalvageItem](#salvageitem)'],
  ['salvage restore', '[restored](#restored)'],
  ['clean', '`{ "items": [...], "bytes": 0, "applied": false }`; each item is a [CleanItem](#cleanitem)'],
  ['where', '[places](#places)'],
  ['doctor', 'list of [DoctorLine](#doctorline)'],
  ['config list', 'list of `{ "key", "value", "from", "type", "description" }`'],
  ['config get', '`{ "key", "value", "from" }`; `from` is default, global or project'],
  ['config set', '`{ "key", "value", "file" }`'],
  ['config unset', '`{ "key", "file" }`'],
  ['any command that fails', '[an error](errors.md)'],
];

/** The documents that commands print with --json, as JSON Schema. */
export function jsonPage(): Page {
  const rows = PRINTED.map(([commands, document]) => [commands.split(', ').map(code).join(', '), document]);
  return referencePage('json', 'JSON documents', [
    'With `--json` a command prints exactly one document on stdout. Fields may be added in later versions; none is removed or changes its meaning without a note in the changelog. Times are ISO 8601 in UTC, money is US dollars.',
    table(['command', 'document'], rows),
    ...Object.entries(DOCUMENTS).flatMap(([name, schema]) => [`## ${name}`, schemaText(schema)]),
    '## diff',
    schemaText(OPERATIONS['diff-run'].output),
    '## restored',
    schemaText(OPERATIONS['restore-salvage'].output),
    '## places',
    schemaText(OPERATIONS.where.output),
  ]);
}

function schemaText(schema: z.ZodType): string {
  const { $schema: _, ...plain } = z.toJSONSchema(schema);
  return codeBlock('json', JSON.stringify(plain, null, 2));
}
