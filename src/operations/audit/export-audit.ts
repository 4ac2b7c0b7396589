import { z } from 'zod';
import { signFile } from '../../git/sign.ts';
import { nodesOf } from '../../recipes/registry.ts';
import { auditRecord } from '../../reports/audit-record.ts';
import { toMarkdown } from '../../reports/markdown.ts';
import { runReport } from '../../reports/run-report.ts';
import { runStream } from '../../schema/ids.ts';
import { headText } from '../../store/chain.ts';
import { findRun, RunRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { examineIfPossible } from '../results/examine-result.ts';
import { writeBundle } from './audit-bundle.ts';

/** Writes everything that an auditor needs about a run into a folder, signed with the person's git signing key if there is one. */
export const exportAudit = operation({
  name: 'export-audit',
  where: 'anywhere',
  summary: 'Write an audit bundle of a run into a folder',
  http: { unreachable: 'A bundle is signed with the key of the person at this machine, and written to their folder.' },
  allow: ['operator'],
  tool: { none: 'A bundle is signed with the key of the person at this machine.' },
  input: z.object({ ...RunRef, folder: z.string().describe('A folder that does not exist yet; absolute.') }),
  output: z.object({
    run: z.string(),
    folder: z.string(),
    head: z.string().describe('The chain head of the run; keep it to verify against it later.'),
    events: z.number().int(),
    signature: z.string().nullable().describe('The file with the signature; null if it is not signed.'),
    unsigned: z.string().nullable().describe('Why it is not signed.'),
  }),
  run: async (app, { folder, ...ref }) => {
    const state = await findRun(app, ref);
    const { run } = state.start;
    const record = app.store.exportRun(run);
    const chain = app.store.head(runStream(run));
    const head = chain === undefined ? '' : headText(chain);
    const events = app.store.read(runStream(run));
    const page = runReport({
      state,
      nodes: nodesOf(state),
      events,
      ...(await examineIfPossible(app, state)),
      chainHead: head,
    });
    const sums = await writeBundle(folder, {
      'audit.json': `${JSON.stringify(auditRecord(state, events, head), null, 2)}\n`,
      'events.jsonl': record.events.map((event) => `${JSON.stringify(event)}\n`).join(''),
      'report.md': toMarkdown(page),
    });
    const signed = await signFile(sums);
    return {
      run,
      folder,
      head,
      events: record.events.length,
      signature: signed.kind === 'signed' ? signed.file : null,
      unsigned: signed.kind === 'unsigned' ? signed.reason : null,
    };
  },
});
