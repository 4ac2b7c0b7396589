import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { realWorld } from '../../../src/world.ts';

/** Appends and ingests for ever with many callers; prints each acknowledgement as `event <stream> <version>` or `row <attempt> <offset>`. */
const [file = ''] = process.argv.slice(2);
const store = await openSqliteStore({ file, world: realWorld });

await Promise.all([...Array.from({ length: 16 }, (_, n) => appendForever(`s${n}`)), ingestForever('a-1-1')]);

async function appendForever(stream: string): Promise<void> {
  for (let version = 0; ; version++) {
    const events = [{ type: 'counted', data: { stream, version: version + 1, filler: 'x'.repeat(300) } }];
    await store.append([{ stream, expected: version, events }], version);
    writeSync(1, `event ${stream} ${version + 1}\n`);
  }
}

async function ingestForever(attempt: string): Promise<void> {
  for (let offset = 0; ; offset++) {
    const row = { attempt, file: 'stdout', offset, at: offset, kind: 'text', text: `line ${offset}` } as const;
    const cursors = [{ file: 'stdout', offset: offset + 1 }] as const;
    await store.ingest({ attempt, rows: [row], cursors, usage: { lines: offset + 1 } });
    writeSync(1, `row ${attempt} ${offset}\n`);
  }
}
