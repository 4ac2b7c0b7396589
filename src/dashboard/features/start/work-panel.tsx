import type { ReactElement, ReactNode } from 'react';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { EntryFields } from '../../ui/form/entry-fields.tsx';
import type { Entry } from '../../ui/form/field.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import styles from './start.module.css';
import type { Draft } from './start-draft.ts';
import { issuesIn, type Recipe } from './start-request.ts';
import type { WorkFileReading } from './use-start-form.ts';
import { WorkFile } from './work-file.tsx';

type WorkPanelProps = {
  recipe: Recipe;
  draft: Draft;
  dir: string;
  /** Whether runs were started in this project before. */
  isKnown: boolean;
  entries: readonly Entry[];
  reading: WorkFileReading;
  issues: ReadonlyMap<string, string>;
  change(some: Partial<Draft>): void;
  /** The project field. */
  children: ReactNode;
};

const SHOWN = ['planOnly', 'template', 'write', 'execute', 'only', 'number'];
const SOURCES = [
  { value: 'file', title: 'From a work file' },
  { value: 'form', title: 'Entered here' },
] as const;

/** The work and its project. */
export function WorkPanel(props: WorkPanelProps): ReactElement {
  const { recipe, draft, dir, entries, reading, change } = props;
  const source = (
    <Tabs
      label="Source of the work"
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
          issues={issuesIn(props.issues, 'input')}
          onChange={(next) => change({ inputs: { ...draft.inputs, [recipe.name]: next } })}
        />
      </div>
    </Panel>
  );
}

type RecipeChoiceProps = { recipes: readonly Recipe[]; chosen: string; onChoose(name: string): void };

/** Selects the recipe. */
export function RecipeChoice({ recipes, chosen, onChoose }: RecipeChoiceProps): ReactElement {
  return (
    <fieldset className={styles.recipes}>
      <legend className="visually-hidden">Recipe</legend>
      {recipes.map(({ name, title, summary }) => (
        <label key={name} className={styles.recipe} data-chosen={name === chosen}>
          <input type="radio" name="recipe" value={name} checked={name === chosen} onChange={() => onChoose(name)} />
          <span>
            <span className={styles.title}>{title}</span>
            <span className={styles.summary}>{summary}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
