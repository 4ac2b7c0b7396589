import { type ReactElement, useEffect, useRef } from 'react';
import type { OperationOutput } from '../../../operations/all.ts';
import { useOperation } from '../../api/use-operation.ts';
import { useProject } from '../../api/use-project.ts';
import { ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { EntryFields } from '../../ui/form/entry-fields.tsx';
import { type Suggestions, SuggestionsContext } from '../../ui/form/text-controls.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { AgentChoice } from './agent-choice.tsx';
import { commandLineOf } from './equivalent-command.ts';
import { FolderChoice } from './project-folder.tsx';
import styles from './start.module.css';
import type { Draft } from './start-draft.ts';
import { StartPanel } from './start-panel.tsx';
import { inputEntries, issuesIn, optionEntries, type Recipe, withReview } from './start-request.ts';
import { useDraft, useStart, useWorkFile } from './use-start-form.ts';
import { RecipeChoice, WorkPanel } from './work-panel.tsx';

const SHOWN_OPTIONS = ['checks', 'budget', 'land'];

/** Starts a run; the form is derived from the recipe's schema. */
export function StartPage(): ReactElement {
  const recipes = useOperation('list-recipes', {}, { fresh: true });
  return (
    <PageFrame title="New run" about="Describe the work. Agents plan it, do it and verify it with your checks.">
      {recipes.error === undefined ? null : <ErrorMessage error={recipes.error} retry={recipes.reload} />}
      {recipes.isLoading ? <Skeleton lines={12} /> : null}
      {recipes.data === undefined ? null : <StartForm recipes={withReview(recipes.data)} />}
    </PageFrame>
  );
}

/** The form of a new run; each recipe keeps its input while another is selected. */
function StartForm({ recipes }: { recipes: readonly Recipe[] }): ReactElement {
  const [draft, change] = useDraft();
  const project = useProject();
  const form = useRef<HTMLDivElement>(null);
  const dir = draft.dir ?? project.dir ?? '';
  const recipe = recipes.find(({ name }) => name === draft.recipe) ?? recipes[0];
  const isFromFile = recipe?.file === true && draft.isFromFile;
  const isKnown = project.projects.some(({ root, exists }) => exists && root === dir);
  const { names, models } = useKnownNames(dir, isKnown);
  const reading = useWorkFile({ dir, file: draft.file, isEnabled: isFromFile, isKnown });
  const { issues, ...startState } = useStart(change);
  useEffect(() => {
    if (issues.size > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [issues]);
  if (recipe === undefined) return <ErrorMessage error="No recipe is available." />;

  const { read } = reading;
  const effectiveRecipe = recipes.find(({ name }) => name === read?.recipe) ?? recipe;
  const input = draft.inputs[recipe.name] ?? {};
  const file = isFromFile ? { file: draft.file === '' ? 'tasks.yaml' : draft.file } : {};
  const start = () => {
    if (isFromFile && read?.ok !== true) reading.reload();
    else
      startState.start({
        recipe: effectiveRecipe,
        draft: { ...draft, recipe: recipe.name, dir, inputs: { ...draft.inputs, [effectiveRecipe.name]: input } },
        read,
      });
  };
  const rehearse = (isOn: boolean) => {
    const { rehearse: _, ...rest } = draft.options;
    change({ options: isOn ? { ...rest, rehearse: true } : rest });
  };
  return (
    <SuggestionsContext value={names}>
      <div className={styles.columns} ref={form}>
        <div className={styles.column}>
          <RecipeChoice recipes={recipes} chosen={recipe.name} onChoose={(name) => change({ recipe: name })} />
          <WorkPanel
            recipe={recipe}
            draft={draft}
            dir={dir}
            isKnown={isKnown}
            entries={isFromFile && read?.ok !== true ? [] : inputEntries(effectiveRecipe, read)}
            reading={reading}
            issues={issues}
            change={change}
          >
            <FolderChoice
              projects={project.projects}
              dir={dir}
              issue={issues.get('options.dir')}
              onChoose={(next) => change({ dir: next })}
            />
          </WorkPanel>
          <Panel title="Options">
            <AgentChoice
              agents={models}
              selected={namesIn(draft.options.agents)}
              onSelect={(agents) => change({ options: withAgents(draft.options, agents) })}
            />
            <EntryFields
              entries={optionEntries(recipe)}
              shown={models.length === 0 ? ['agents', ...SHOWN_OPTIONS] : SHOWN_OPTIONS}
              value={draft.options}
              issues={issuesIn(issues, 'options')}
              onChange={(options) => change({ options })}
            />
          </Panel>
        </div>
        <div className={styles.aside}>
          <StartPanel
            isRehearsal={draft.options.rehearse === true}
            onRehearse={rehearse}
            command={commandLineOf({ recipe, dir, input, options: draft.options, ...file })}
            isBusy={startState.isBusy}
            issues={issues.size}
            error={startState.error}
            onStart={start}
          />
        </div>
      </div>
    </SuggestionsContext>
  );
}

/** The agents, templates and collections of a known project, as suggestions. */
function useKnownNames(dir: string, isKnown: boolean): { names: Suggestions; models: OperationOutput<'list-models'> } {
  const isNamed = { enabled: isKnown, fresh: true };
  const models = useOperation('list-models', { dir }, isNamed).data ?? [];
  const templates = useOperation('list-templates', { dir }, isNamed).data?.templates ?? [];
  const collections = useOperation('list-collections', { dir }, isNamed).data ?? [];
  const names = {
    agents: models.map(({ agent }) => agent),
    template: templates.map(({ name }) => name),
    collection: collections.map(({ name }) => name),
  };
  return { names, models };
}

function namesIn(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined;
}

function withAgents(options: Draft['options'], agents: string[] | undefined): Draft['options'] {
  const { agents: _, ...rest } = options;
  return agents === undefined ? rest : { ...rest, agents };
}
