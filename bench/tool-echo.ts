import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';

/** A minimal server of calls: for each line it commits one row, which is on disk before it answers; it prints a line when it listens. */
export function serveToolEcho(socket: string): void {
  const database = new DatabaseSync(`${socket}.db`);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE notes (text TEXT NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO notes (text) VALUES (?)');
  const server = createServer((client) => {
    client.write('{}\n');
    createInterface({ input: client }).on('line', (line) => {
      insert.run(line);
      client.write(`${line}\n`);
    });
  });
  process.stdin.on('end', () => process.exit(0)).resume();
  server.listen(socket, () => process.stdout.write('listening\n'));
}
