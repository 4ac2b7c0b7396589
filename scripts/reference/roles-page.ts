import { loadRole, roleNames } from '../../src/roles/load.ts';
import type { Role } from '../../src/roles/role.ts';
import { PLACEHOLDERS } from '../../src/roles/template.ts';
import { code, codeBlock, type Page, referencePage, table } from './markdown.ts';
import { schemaBlock } from './schema-text.ts';

const MEANINGS: Record<(typeof PLACEHOLDERS)[number], string> = {
  goal: 'the goal of the whole run, in the words of who started it',
  task: 'what this task asks for',
  title: 'its title, one line',
  id: 'its id in the work file, or else its key',
  evidence: 'why the last attempt was not accepted',
  checks: 'the commands that must exit 0, a line each',
  conflict: 'the files in conflict, a line each',
  context: 'what the tasks before it have done, a line each',
  appUrl: 'Where the application runs that is to be verified.',
  instructions: 'nothing so far; the file that the setting `instructions` names reaches agents beside the role',
};

const EXAMPLE = `---
role: changelog
summary: Writes the changelog.
access: write
tier: light
---
# {{title}}

{{task}}

{{#evidence}}
The last attempt was not accepted:

{{evidence}}
{{/evidence}}`;

/** The built-in roles, and how to write one. */
export async function rolesPage(): Promise<Page> {
  const roles = await Promise.all((await roleNames()).map((name) => loadRole(name)));
  const rows = roles.map(({ name, summary, access, tier = '', output }) => [
    output === undefined ? code(name) : `[${name}](#${name})`,
    access,
    tier,
    output === undefined ? 'text' : 'structured',
    summary,
  ]);
  return referencePage('roles', 'Roles', [
    'A role is what a task asks of an agent. `mh job "<task>" --role <role>` gives one task to an agent in a role; it may change nothing unless `--write` is given. The tier chooses the model of agents that have several.',
    table(['role', 'access', 'tier', 'output', 'summary'], rows),
    '## A role of your own',
    'A file `.manyhands/roles/<role>.md` of the project adds a role, or replaces the built-in one of that name. A run keeps the texts it started with.',
    codeBlock('markdown', EXAMPLE),
    'The front matter holds `role` (the name of the file), `summary`, `access` (`read` or `write`), and if you like `tier` (`light`, `standard`, `heavy`), `dependencies` (`true`: its workspace gets the dependencies of the project although it only reads; one that writes or verifies a started application always gets them) and `output` (a JSON Schema with `type: object`; a result that does not satisfy it is not accepted). The text must hold `{{task}}` or `{{goal}}`. Values are put in as they are. A section `{{#name}}…{{/name}}` disappears while its value is empty.',
    table(
      ['placeholder', 'stands for'],
      PLACEHOLDERS.map((name) => [code(`{{${name}}}`), MEANINGS[name]]),
    ),
    '## Structured output',
    'The last line of stdout of a [command agent](../how-to/write-an-agent.md) is such an object.',
    ...roles.flatMap(outputOf),
  ]);
}

function outputOf({ name, output }: Role): string[] {
  return output === undefined ? [] : [`### ${name}`, schemaBlock(output)];
}
