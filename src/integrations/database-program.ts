import { text } from 'node:stream/consumers';
import { messageOf } from '../errors.ts';
import { type DatabaseAnswer, DatabaseRequest } from './query-database.ts';
import { queryPostgres } from './query-postgres.ts';
import { querySqlite } from './query-sqlite.ts';

/** Reads one request from its input and prints the answer. */
async function runProgram(): Promise<void> {
  const request = DatabaseRequest.parse(JSON.parse(await text(process.stdin)));
  const { target } = request;
  const answer: DatabaseAnswer = await ('url' in target
    ? queryPostgres(target.url, request)
    : querySqlite(target.file, request)
  ).catch((error: unknown) => ({ kind: 'failed' as const, reason: messageOf(error) }));
  process.stdout.write(JSON.stringify(answer));
}

void runProgram();
