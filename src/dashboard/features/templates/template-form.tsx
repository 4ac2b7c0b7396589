import { type ReactElement, useId, useState } from 'react';
import type { OperationInput, OperationOutput } from '../../../operations/all.ts';
import { useAction } from '../../api/use-operation.ts';
import { Button } from '../../ui/controls/button.tsx';
import choice from '../../ui/controls/controls.module.css';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { EntryFields } from '../../ui/form/entry-fields.tsx';
import { entriesOf, fieldOf } from '../../ui/form/field.ts';
import { findIssues, NO_ISSUES } from '../../ui/form/validate.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import styles from './templates.module.css';

export type Template = OperationOutput<'list-templates'>['templates'][number];
type SaveRequest = OperationInput<'save-template'>;

/** The fields of a template except its name. */
const HEADER_SCHEMA = {
  type: 'object',
  properties: {
    summary: { type: 'string', minLength: 1, maxLength: 200, description: 'What it is for, in one line.' },
    text: {
      type: 'string',
      minLength: 1,
      maxLength: 100_000,
      description: 'Guidelines that precede the task.',
    },
    role: { type: 'string', pattern: '^[a-z][a-z0-9-]*$', description: 'The role of the job.' },
    write: { type: 'boolean', description: 'Whether the role may change files.' },
    agent: { type: 'string', description: 'The agent to use.' },
    tier: { type: 'string', enum: ['light', 'standard', 'heavy'], description: 'The model tier.' },
    checks: { type: 'array', items: { type: 'string' }, description: 'Commands that must exit 0 on the result.' },
    budget: { type: 'number', exclusiveMinimum: 0, description: 'Maximum cost of a job in US dollars.' },
    dir: { type: 'string', description: 'The working folder of its jobs.' },
  },
  required: ['summary', 'text'],
} as const;

type TemplateFormProps = { dir: string; template: Template | undefined; onDone(name: string | undefined): void };

const SCOPES = [
  { value: 'project', title: 'This project' },
  { value: 'global', title: 'All my projects' },
] as const;
const ENTRIES = entriesOf(HEADER_SCHEMA);
const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Creates or edits a template; a built-in template is overridden by a copy of the same name. */
export function TemplateForm({ dir, template, onDone }: TemplateFormProps): ReactElement {
  const id = useId();
  const [name, setName] = useState(template?.name ?? '');
  const [values, setValues] = useState(() => valuesOf(template));
  const [scope, setScope] = useState<'project' | 'global'>(template?.from === 'global' ? 'global' : 'project');
  const [issues, setIssues] = useState(NO_ISSUES);
  const isOwn =
    template !== undefined && template.from !== 'built-in' && (template.from === 'global') === (scope === 'global');
  const saving = useAction('save-template', {
    done: 'Saved',
    onDone: (saved) => onDone(saved.name),
    changes: ['list-templates'],
  });
  const save = () => {
    const found = findIssues(fieldOf(HEADER_SCHEMA), values);
    if (!NAME.test(name)) found.set('name', 'Use up to 64 lower-case letters, digits and dashes.');
    setIssues(found);
    if (found.size === 0)
      saving.act(saveRequest(dir, name, values, { scope, replace: isOwn && name === template?.name }));
  };
  return (
    <Panel
      title={template === undefined ? 'New template' : `Edit ${template.name}`}
      actions={<Tabs label="Scope" options={SCOPES} value={scope} onChoose={(next) => setScope(next)} />}
    >
      <div className={styles.column}>
        <div className={styles.field}>
          <label htmlFor={id} className={styles.name}>
            Name
          </label>
          <input
            id={id}
            type="text"
            className={choice.input}
            value={name}
            spellCheck={false}
            aria-invalid={issues.has('name') || undefined}
            onChange={(event) => setName(event.target.value)}
          />
          {issues.has('name') ? <p className={styles.issue}>{issues.get('name')}</p> : null}
        </div>
        <EntryFields entries={ENTRIES} shown={['role', 'write']} value={values} issues={issues} onChange={setValues} />
        <div className={styles.buttons}>
          <Button weight="main" busy={saving.isBusy} onClick={save}>
            Save
          </Button>
          <Button onClick={() => onDone(template?.name)}>Discard</Button>
        </div>
      </div>
    </Panel>
  );
}

/** The form values of an existing template. */
function valuesOf(template: Template | undefined): Record<string, unknown> {
  if (template === undefined) return {};
  const { summary, text, role, write, agent, tier, checks, budget, dir } = template;
  const all = {
    summary,
    text,
    role,
    write: write || null,
    agent,
    tier,
    checks: checks.length === 0 ? null : checks,
    budget,
    dir,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** The request that saves a form; the server validates it, so its type is only assumed here. */
function saveRequest(
  dir: string,
  name: string,
  values: Record<string, unknown>,
  how: { scope: string; replace: boolean },
): SaveRequest {
  const { text, ...header } = values;
  return { dir, name, text, header, ...how } as SaveRequest;
}
