import { writeSync } from 'node:fs';
import { openPostgresStore } from '../../../src/store/postgres/open.ts';
import { realWorld } from '../../../src/world.ts';

/** As flood.ts, on PostgreSQL; prints the code of the error that ends it. */
const [url = '', file = '', server = 'one'] = process.argv.slice(2);
const candidate = { server, holder: server };
const { store } = await openPostgresStore({ url, file, world: realWorld, candidate, lead: true });
writeSync(1, 'leads\n');

try {
  await Promise.all([...Array.from({ length: 8 }, (_, n) => appendForever(`s${n}`)), ingestForever('a-1-1')]);
} catch (error) {
  writeSync(1, `error ${error instanceof Error && 'code' in error ? error.code : error}\n`);
  process.exit(1);
}

async function appendForever(stream: string): Promise<void> {
  const [last] = store.streams(stream);
  for (let version = last?.version ?? 0; ; version++) {
    const events = [{ type: 'counted', data: { stream, version: version + 1, filler: 'x'.repeat(300) } }];
    await store.append([{ stream, expected: version, events }], version);
    writeSync(1, `event ${stream} ${version + 1}\n`);
  }
}

async function ingestForever(attempt: string): Promise<void> {
  for (let offset = store.cursor(attempt, 'stdout'); ; offset++) {
    const row = { attempt, file: 'stdout', offset, at: offset, kind: 'text', text: `line ${offset}` } as const;
    const cursors = [{ file: 'stdout', offset: offset + 1 }] as const;
    await store.ingest({ attempt, rows: [row], cursors, usage: { lines: offset + 1 } });
    writeSync(1, `row ${attempt} ${offset}\n`);
  }
}
