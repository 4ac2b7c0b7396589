import { ERRORS } from '../../src/errors.ts';
import { code, codeBlock, type Page, referencePage, table } from './markdown.ts';

const DOCUMENT = `{ "error": { "code": "RUN_UNKNOWN", "message": "There is no run zzz", "hint": "List the runs of all projects: manyhands ls --all", "details": { "run": "zzz" } } }`;

/** Every failure that a user can see. */
export function errorsPage(): Page {
  const rows = Object.entries(ERRORS).map(([name, { exit, hint }]) => [code(name), String(exit), hint]);
  return referencePage('errors', 'Errors', [
    'A failure is told on stderr as what happened, with which value, and a hint. With `--json` it is the one document on stdout instead:',
    codeBlock('json', DOCUMENT),
    'Codes are stable; messages are for people. How an *attempt* can fail, and what follows, is [another table](failures.md).',
    table(['code', 'exit', 'hint'], rows),
  ]);
}
