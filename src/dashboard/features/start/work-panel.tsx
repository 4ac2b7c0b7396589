import type { ReactElement, ReactNode } from 'react';
import { EntryFields } from '../../ui/form/entry-fields.tsx';
import type { Entry } from '../../ui/form/field.ts';
import { Panel } from '../../ui/panel.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { mistakesIn, type Recipe } from './asked.ts';
import type { Draft } from './draft.ts';
import styles from './start.module.css';
import type { FileReading } from './use-work-file.ts';
import { WorkFile } from './work-file.tsx';

type WorkPanelProps = {
  recipe: Recipe;
  draft: Draft;
  dir: string;
  /** Whether it is a project in which something was started before. */
  isKnown: boolean;
  entries: readonly Entry[];
  reading: FileReading;
  mistakes: ReadonlyMap<string, string>;
  change(some: Partial<Draft>): void;
  /** The choice of the project. */
  children: ReactNode;
};

const SHOWN = ['planOnly', 'template', 'write', 'execute', 'only', 'number'];
const SOURCES = [
  { value: 'file', title: 'From a work file' },
  { value: 'form', title: 'Written here' },
] as const;

/** What is to be done and where. */
export function WorkPanel(props: WorkPanelProps): ReactElement {
  const { recipe, draft, dir, entries, reading, change } = props;
  const source = (
    <Tabs
      label="Where the work is described"
      options={SOURCES}
      value={draft.isFromFile ? 'file' : 'form'}
      onChoose={(chosen) => change({ isFromFile: chosen === 'file' })}
    />
  );
  return (
    <Panel title={recipe.title} actions={recipe.file ? source : undefined}>
      <div className={styles.column}>
        {props.children}
        {recipe.file && draft.isFromFile ? (
          <WorkFile
            dir={dir}
            isKnown={props.isKnown}
            file={draft.file}
            reading={reading}
            onChange={(file) => change({ file })}
          />
        ) : null}
        <EntryFields
          key={recipe.name}
          entries={entries}
          shown={SHOWN}
          value={draft.inputs[recipe.name]}
          mistakes={mistakesIn(props.mistakes, 'input')}
          onChange={(next) => change({ inputs: { ...draft.inputs, [recipe.name]: next } })}
        />
      </div>
    </Panel>
  );
}
