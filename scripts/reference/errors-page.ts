import { ERRORS } from '../../src/errors.ts';
import { code, codeBlock, type Page, referencePage, table } from './markdown.ts';

const DOCUMENT = `{ "error": { "code": "RUN_UNKNOWN", "message": "There is no run zzz", "hint": "List the runs of all projects: manyhands ls --all", "details": { "run": "zzz" } } }`;

/** Every failure that a user can see. */
export function errorsPage(): Page {
  const rows = Object.entries(ERRORS).map(([name, { exit, hint }]) => [code(name), String(exit), hint]);
  return referencePage('errors', 'Errors', [
    'A failure is printed to stderr as a message (what happened, with which value) and a hint (what to do). With `--json` it is a document on stdout instead:',
    codeBlock('json', DOCUMENT),
    'Codes are stable; messages and hints may change. A placeholder such as `<run>` in a hint is replaced if the details contain its value. The failures of an *attempt* are in [another table](failures.md).',
    table(['code', 'exit', 'hint'], rows),
  ]);
}
