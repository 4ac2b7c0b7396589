import { z } from 'zod';
import { DryRun } from '../../src/cli/start/dry-run.ts';
import { InitDocument } from '../../src/init/init-document.ts';
import { OPERATIONS } from '../../src/operations/all.ts';
import { AuditCheck } from '../../src/operations/audit/verify-audit.ts';
import { InboxItem } from '../../src/operations/inbox/list-inbox.ts';
import { KnowledgeStats } from '../../src/operations/knowledge/knowledge-stats.ts';
import { ProjectLocks } from '../../src/operations/locks/list-locks.ts';
import { DoctorLine } from '../../src/operations/maintenance/doctor/doctor-line.ts';
import { OpenQuestion } from '../../src/operations/questions/list-questions.ts';
import { RunOutline } from '../../src/operations/recipes/outline-run.ts';
import { SalvageItem } from '../../src/operations/results/list-salvage.ts';
import { WarningItem } from '../../src/operations/runs/list-warnings.ts';
import { SearchResult } from '../../src/operations/transcripts/search.ts';
import { BulkStatus } from '../../src/recipes/item-status.ts';
import { Acceptance, Judgement } from '../../src/schema/acceptance.ts';
import { BatchDocument, BatchResult } from '../../src/schema/batch.ts';
import { UndoResult } from '../../src/schema/change.ts';
import { CollectionDocument } from '../../src/schema/collection.ts';
import { CompactRun } from '../../src/schema/compact-run.ts';
import { KnowledgeEntry } from '../../src/schema/coordination/knowledge.ts';
import { AgentPick, AgentStatus, LogLine, RunDocument, RunSummary } from '../../src/schema/document.ts';
import { ArchiveResult, BackupResult } from '../../src/schema/keeping.ts';
import { BenchItem, BenchResult, ModelScore, RoutePlan } from '../../src/schema/model.ts';
import { PressureReport, TeamReport } from '../../src/schema/report/work-report.ts';
import { TemplateDocument } from '../../src/schema/template.ts';
import { UsageRow } from '../../src/schema/usage.ts';
import { WatchDocument } from '../../src/schema/watch/watch-round.ts';
import { WorkCheck } from '../../src/work-files/work-plan.ts';
import { type Page, referencePage, table } from './markdown.ts';
import { schemaBlock } from './schema-text.ts';

const DOCUMENTS: Record<string, z.ZodType> = {
  RunDocument,
  RunSummary,
  LogLine,
  UsageRow,
  TeamReport,
  PressureReport,
  CompactRun,
  SearchResult,
  InboxItem,
  WarningItem,
  OpenQuestion,
  ProjectLocks,
  KnowledgeEntry,
  KnowledgeStats,
  AgentStatus,
  AgentPick,
  ModelScore,
  RoutePlan,
  BenchItem,
  BenchResult,
  SalvageItem,
  DoctorLine,
  InitDocument,
  diff: OPERATIONS['diff-run'].output,
  summary: OPERATIONS['summarize-diff'].output,
  Acceptance,
  Judgement,
  UndoResult,
  BackupResult,
  ArchiveResult,
  AuditCheck,
  exported: OPERATIONS['export-audit'].output,
  decided: OPERATIONS['check-policy'].output,
  policy: OPERATIONS['list-policy'].output,
  restored: OPERATIONS['restore-salvage'].output,
  cleaned: OPERATIONS.clean.output,
  places: OPERATIONS.where.output,
  CollectionDocument,
  filed: OPERATIONS['hide-run'].output,
  TemplateDocument,
  BatchDocument,
  BatchResult,
  WorkCheck,
  DryRun,
  RunOutline,
  WatchDocument,
  BulkStatus,
  scanned: OPERATIONS['scan-files'].output,
};

const PRINTED: readonly (readonly [string, string])[] = [
  [
    '`do`, `demo`, `cycle`, `cycle wrap-up`, `debate`, `team`, `improve`, `job`, `run`, `show`, `wait`, `approve`, `reject`, `retry`, `send`, `answer`, `land`, `pr`, `limit`, `pause`, `prioritize`, `plan edit`, `cancel`',
    '[RunDocument](#rundocument)',
  ],
  [
    '`cancel --all`',
    '`{ "runs", "batches", "refused" }`: ids, names, and runs that could not be cancelled with the reason',
  ],
  ['`upgrade`', '`{ "installed", "newest", "isNewer", "changes", "how" }`; `changes` is Markdown or null'],
  [
    '`migrate`',
    '`{ "items", "applied", "backup", "written" }`; an item has `what`, `path`, `action` (migrate, import, run or keep) and `detail`',
  ],
  ['`resume`', 'list of [RunDocument](#rundocument); with a run id that one alone'],
  ['`review`', 'list of [RunDocument](#rundocument); with one `--pr` that one alone'],
  ['any of these with `--detach`', '`{ "run": "<id>" }`; for `resume` without an id a list of them'],
  ['`plan`', '[RunDocument](#rundocument); its `result` holds the tasks. With `--run`: `{ "run", "file" }`'],
  [
    '`yolo`, `run --with-review`',
    '[RunDocument](#rundocument); with `--with-review` a list: the work, then its reviews',
  ],
  ['`bulk run`, `bulk retry`, `bulk resume`', '[RunDocument](#rundocument)'],
  ['`bulk status`', '[BulkStatus](#bulkstatus)'],
  ['`bulk scan`', '[scanned](#scanned), and the `file` that was written, or null'],
  ['`serve`', '`{ "url", "link", "pid" }`; the link lets one browser in, once'],
  ['`preview`', '`{ "url", "commit", "run", "task" }`, as soon as the application answers'],
  ['`stop`', '`{ "pid" }` of the process that ended'],
  ['`token`', '`{ "role", "token" }`'],
  [
    '`share`',
    '`{ "share", "run", "createdAt", "expiresAt", "link", "token" }`; with `--list` a list of them without link and token, with `--revoke` `{ "share" }`',
  ],
  ['`notify`', 'list of `{ "kind", "host", "ok", "detail" }`, one for each receiver'],
  ['`run --dry-run`', '[DryRun](#dryrun)'],
  [
    '`do --dry-run`, `cycle --dry-run`, `debate --dry-run`, `team --dry-run`, `improve --dry-run`',
    '[RunOutline](#runoutline)',
  ],
  ['`watch`, `watch show`, `watch stop`', '[WatchDocument](#watchdocument)'],
  ['`watch accept`', '[RunDocument](#rundocument)'],
  [
    '`watch reply`, `watch reject`, `watch post`, `watch discard`',
    'the discussion, the proposal or the draft review, as in [WatchDocument](#watchdocument)',
  ],
  ['`check`', '[WorkCheck](#workcheck), also when the file has mistakes'],
  ['`ls`', 'list of [RunSummary](#runsummary)'],
  ['`rename`', '[RunDocument](#rundocument)'],
  ['`hide`, `flag`', '[filed](#filed)'],
  ['`login`', '`{ url, role, version }` of the server'],
  ['`logout`', '`{ url }` of the server that was forgotten, or null'],
  ['`project ls`', 'list of projects: `{ id, root, name, exists, runs, lastAt, costUsd, remote? }`'],
  ['`project add`, `project rm`', '`{ id, name, remote, root }`'],
  ['`collection ls`', 'list of [CollectionDocument](#collectiondocument)'],
  ['`collection add`, `collection rename`', '[CollectionDocument](#collectiondocument)'],
  ['`collection show`', 'list of [RunSummary](#runsummary)'],
  ['`collection rm`', '`{ "name", "removed", "runs" }`; `removed` is false when only runs were taken out'],
  ['`template ls`', 'list of [TemplateDocument](#templatedocument)'],
  ['`template show`', '[TemplateDocument](#templatedocument)'],
  ['`template render`', '`{ "template", "text" }`'],
  ['`template add`, `template rm`, `batch rm`', '`{ "name", "file" }`'],
  ['`batch ls`', 'list of [BatchDocument](#batchdocument)'],
  ['`batch show`, `batch add`', '[BatchDocument](#batchdocument)'],
  ['`batch run`', '[BatchResult](#batchresult); with `--detach` `{ "run": "<id>" }`, its first run'],
  ['`logs`', 'list of [LogLine](#logline); with `-f` it is printed when the run ends'],
  ['`usage`', 'list of [UsageRow](#usagerow)'],
  ['`show --compact`', '[CompactRun](#compactrun)'],
  ['`search`', '[SearchResult](#searchresult)'],
  ['`inbox`', 'list of [InboxItem](#inboxitem)'],
  ['`warnings`', 'list of [WarningItem](#warningitem)'],
  ['`questions`', 'list of [OpenQuestion](#openquestion)'],
  ['`locks`', '[ProjectLocks](#projectlocks)'],
  ['`kb ls`, `kb search`', 'list of [KnowledgeEntry](#knowledgeentry)'],
  ['`kb show`, `kb edit`', '[KnowledgeEntry](#knowledgeentry)'],
  ['`kb rm`', '`{ "id" }`'],
  ['`kb stats`', '[KnowledgeStats](#knowledgestats)'],
  ['`kb export`', 'list of `{ "title", "text", "tags" }`'],
  ['`kb import`', '`{ "added", "known" }`'],
  ['`mcp install`, `mcp repair`, `mcp uninstall`', '`{ "assistant", "file", "change", "backup" }`'],
  ['`mcp doctor`', 'list of `{ "assistant", "file", "installed", "tools", "problem" }`'],
  ['`models`', 'list of [AgentStatus](#agentstatus)'],
  ['`models pick`', '[AgentPick](#agentpick)'],
  ['`models scores`', 'list of [ModelScore](#modelscore)'],
  [
    '`models report`',
    '`{ "agents", "routes", "scores" }`: lists of [AgentStatus](#agentstatus), [RoutePlan](#routeplan) and [ModelScore](#modelscore)',
  ],
  [
    '`models bench`',
    'list of [BenchItem](#benchitem); with `--execute` `{ "items", "results" }`: that list, and one of [BenchResult](#benchresult)',
  ],
  ['`diff`', '[diff](#diff)'],
  ['`diff --summary`', '[summary](#summary)'],
  ['`verify`', '[Acceptance](#acceptance)'],
  ['`judge`', '[Judgement](#judgement)'],
  ['`report`', '`{ "run", "format", "text", "file" }`; `file` is null when it was not written to one'],
  ['`report --team`', '`{ "format", "text", "file", "report" }`; `report` is a [TeamReport](#teamreport)'],
  ['`report --pressure`', '`{ "format", "text", "file", "report" }`; `report` is a [PressureReport](#pressurereport)'],
  ['`undo`', '[UndoResult](#undoresult)'],
  ['`backup`', '[BackupResult](#backupresult)'],
  [
    '`hosts`',
    'a list of `{ "name", "status", "slots", "busy", "attempts", "agents", "labels", "memoryBytes", "diskBytes", "version", "machine", "since" }`; `status` is up, draining, lost or incompatible',
  ],
  ['`host add`', '`{ "name", "url" }`; `url` contains the token, which is not stored'],
  ['`host revoke`', '`{ "name" }`'],
  ['`host drain`', '`{ "name", "draining" }`'],
  ['`host remove`', '`{ "name" }`'],
  ['`store move`', '`{ "to", "runs", "events", "texts", "transcriptRows", "kept" }`; `kept` is the old file, or null'],
  ['`archive`', '[ArchiveResult](#archiveresult)'],
  ['`archive restore`', '`{ "run": "<id>" }`'],
  ['`policy check`', '[decided](#decided)'],
  ['`policy ls`', '[policy](#policy)'],
  ['`audit verify`', '[AuditCheck](#auditcheck)'],
  ['`audit export`', '[exported](#exported)'],
  ['`open`', 'list of folders, as texts'],
  ['`salvage`', 'list of [SalvageItem](#salvageitem)'],
  ['`salvage restore`', '[restored](#restored)'],
  ['`clean`', '[cleaned](#cleaned)'],
  ['`where`', '[places](#places)'],
  ['`doctor`', 'list of [DoctorLine](#doctorline)'],
  ['`init`', '[InitDocument](#initdocument)'],
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
