import type { ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import { useOperation } from '../../api/use-operation.ts';
import { useProject } from '../../api/use-project.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ProjectChoice } from '../../ui/controls/project-select.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { Icon } from '../../ui/text/icon.tsx';
import { type Template, TemplateForm } from './template-form.tsx';
import { TemplateView } from './template-view.tsx';
import styles from './templates.module.css';

type TemplateListProps = { templates: readonly Template[]; chosen: string | undefined; onChoose(name: string): void };

const FROM: Record<Template['from'], string> = { 'built-in': 'built in', global: 'yours', project: 'this project' };

/** Templates for jobs: their text, their statistics, and a form to create and edit them. */
export function TemplatesPage(): ReactElement {
  const { projects, dir, choose, isLoading } = useProject();
  const [params, setParams] = useSearchParams();
  const list = useOperation('list-templates', { dir: dir ?? '' }, { enabled: dir !== undefined, fresh: true });
  const go = (some: { name?: string; edit?: string }) => setParams({ ...(dir === undefined ? {} : { dir }), ...some });
  const { templates = [], mistakes = [] } = list.data ?? {};
  const chosen = templates.find(({ name }) => name === params.get('name')) ?? templates[0];
  const edit = params.get('edit');
  return (
    <PageFrame
      title="Templates"
      about="Guidelines and defaults for jobs."
      actions={
        <>
          <ProjectChoice projects={projects} dir={dir} onChoose={choose} />
          <Button onClick={() => go({ edit: 'new' })} disabled={dir === undefined}>
            <Icon name="plus" size={12} />
            New template
          </Button>
        </>
      }
    >
      {isLoading || list.isLoading ? <Skeleton lines={8} /> : null}
      {list.error === undefined ? null : <ErrorMessage error={list.error} retry={list.reload} />}
      {!isLoading && dir === undefined ? (
        <EmptyState title="No project yet">Start a run in a project and it appears here.</EmptyState>
      ) : null}
      {mistakes.map((problem) => (
        <ErrorMessage key={problem} error={problem} />
      ))}
      {dir === undefined || list.data === undefined ? null : (
        <div className={styles.columns}>
          <TemplateList templates={templates} chosen={chosen?.name} onChoose={(name) => go({ name })} />
          {edit !== null ? (
            <TemplateForm
              key={edit}
              dir={dir}
              template={edit === 'new' ? undefined : chosen}
              onDone={(name) => go(name === undefined ? {} : { name })}
            />
          ) : chosen === undefined ? (
            <EmptyState title="Choose a template">Or create one with your own guidelines.</EmptyState>
          ) : (
            <TemplateView
              dir={dir}
              template={chosen}
              onEdit={() => go({ name: chosen.name, edit: chosen.name })}
              onRemoved={() => go({})}
            />
          )}
        </div>
      )}
    </PageFrame>
  );
}

/** All templates by name, with their origin. */
function TemplateList({ templates, chosen, onChoose }: TemplateListProps): ReactElement {
  return (
    <ul className={styles.list} aria-label="Templates">
      {templates.map(({ name, summary, from }) => (
        <li key={name}>
          <button
            type="button"
            className={styles.entry}
            aria-current={name === chosen || undefined}
            onClick={() => onChoose(name)}
          >
            <span>
              <span className={styles.name}>{name}</span> <span className="quiet">{FROM[from]}</span>
            </span>
            <span className="quiet">{summary}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
