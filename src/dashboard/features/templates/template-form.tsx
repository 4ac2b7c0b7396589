import { type ReactElement, useId, useState } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { Button } from '../../ui/button.tsx';
import choice from '../../ui/choice.module.css';
import { EntryFields } from '../../ui/form/entry-fields.tsx';
import { entriesOf, fieldOf } from '../../ui/form/field.ts';
import { findMistakes, NO_MISTAKES } from '../../ui/form/mistake.ts';
import { Panel } from '../../ui/panel.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { HEADER_SCHEMA, savingOf, type Template, valuesOf } from './template-draft.ts';
import styles from './templates.module.css';

type TemplateFormProps = { dir: string; template: Template | undefined; onDone(name: string | undefined): void };

const SCOPES = [
  { value: 'project', title: 'This project' },
  { value: 'global', title: 'All my projects' },
] as const;
const ENTRIES = entriesOf(HEADER_SCHEMA);
const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Makes a template or changes one; a built-in one is never changed, but one's own of the same name stands before it. */
export function TemplateForm({ dir, template, onDone }: TemplateFormProps): ReactElement {
  const id = useId();
  const [name, setName] = useState(template?.name ?? '');
  const [values, setValues] = useState(() => valuesOf(template));
  const [scope, setScope] = useState<'project' | 'global'>(template?.from === 'global' ? 'global' : 'project');
  const [mistakes, setMistakes] = useState(NO_MISTAKES);
  const isOwn =
    template !== undefined && template.from !== 'built-in' && (template.from === 'global') === (scope === 'global');
  const saving = useAction('save-template', {
    done: 'Saved',
    onDone: (saved) => onDone(saved.name),
    changes: ['list-templates'],
  });
  const save = () => {
    const found = findMistakes(fieldOf(HEADER_SCHEMA), values);
    if (!NAME.test(name)) found.set('name', 'Up to 64 lower-case letters, digits and dashes.');
    setMistakes(found);
    if (found.size === 0) saving.act(savingOf(dir, name, values, { scope, replace: isOwn && name === template?.name }));
  };
  return (
    <Panel
      title={template === undefined ? 'New template' : `Edit ${template.name}`}
      actions={<Tabs label="Where it is kept" options={SCOPES} value={scope} onChoose={(next) => setScope(next)} />}
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
            aria-invalid={mistakes.has('name') || undefined}
            onChange={(event) => setName(event.target.value)}
          />
          {mistakes.has('name') ? <p className={styles.mistake}>{mistakes.get('name')}</p> : null}
        </div>
        <EntryFields
          entries={ENTRIES}
          shown={['role', 'write']}
          value={values}
          mistakes={mistakes}
          onChange={setValues}
        />
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
