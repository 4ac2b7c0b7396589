import type { ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import { ApiError } from '../../api/api-error.ts';
import { MAY_ACT } from '../../api/role.ts';
import { useProject } from '../../api/use-project.ts';
import { ProjectChoice } from '../../ui/controls/project-select.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../../ui/feedback/placeholders.tsx';
import { PageFrame } from '../../ui/layout/page.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Copyable } from '../../ui/text/copyable.tsx';
import { BrowserSettings } from './browser-settings.tsx';
import { Schedules } from './schedules.tsx';
import { ServerPanel } from './server-settings.tsx';
import styles from './settings.module.css';
import { SettingsForm } from './settings-form.tsx';
import { SettingsText } from './settings-text.tsx';
import { useSettings } from './use-settings.ts';

const VIEWS = [
  { value: 'project', title: 'Project' },
  { value: 'user', title: 'All my projects' },
  { value: 'schedules', title: 'Schedules' },
  { value: 'browser', title: 'This browser' },
  { value: 'server', title: 'Server' },
] as const;

/** The settings of a project, of the user and of this browser, schedules, and the paths of the server. */
export function SettingsPage(): ReactElement {
  const { projects, dir, choose, isLoading } = useProject();
  const [params, setParams] = useSearchParams();
  const view = VIEWS.find(({ value }) => value === params.get('view'))?.value ?? 'project';
  const show = (next: Record<string, string>) =>
    setParams({ ...Object.fromEntries(params), ...next }, { replace: true });
  const isText = params.get('as') === 'text';
  return (
    <PageFrame
      title="Settings"
      actions={
        <>
          <Tabs label="Scope" options={VIEWS} value={view} onChoose={(next) => show({ view: next })} />
          {view === 'browser' ? null : <ProjectChoice projects={projects} dir={dir} onChoose={choose} />}
        </>
      }
    >
      {view === 'browser' ? <BrowserSettings /> : null}
      {view !== 'browser' && isLoading ? <Skeleton lines={12} /> : null}
      {!isLoading && dir === undefined && view !== 'browser' && view !== 'user' ? (
        <EmptyState title="No project yet">Start a run in a project and its settings appear here.</EmptyState>
      ) : null}
      {view === 'schedules' && dir !== undefined ? <Schedules dir={dir} /> : null}
      {view === 'server' && dir !== undefined ? <ServerPanel dir={dir} /> : null}
      {!isLoading && (view === 'user' || (view === 'project' && dir !== undefined)) ? (
        <FileSettings key={`${view} ${dir}`} scope={view} dir={dir} isText={isText} onShow={(as) => show({ as })} />
      ) : null}
    </PageFrame>
  );
}

type FileSettingsProps = {
  scope: 'project' | 'user';
  dir: string | undefined;
  isText: boolean;
  onShow(as: string): void;
};

function FileSettings({ scope, dir, isText, onShow }: FileSettingsProps): ReactElement {
  const edit = useSettings({ scope, ...(dir === undefined ? {} : { dir }) });
  const { document } = edit;
  const target = { scope, ...(dir === undefined ? {} : { dir }) };
  if (document === undefined) {
    if (edit.error === undefined) return <Skeleton lines={12} />;
    const isBroken = edit.error instanceof ApiError && edit.error.code.startsWith('CONFIG_') && MAY_ACT;
    return (
      <>
        <ErrorMessage error={edit.error} retry={edit.reload} />
        {isBroken ? <SettingsText target={target} onSaved={edit.reload} /> : null}
      </>
    );
  }
  const forms = [
    { value: 'form', title: 'Form' },
    { value: 'text', title: 'File' },
  ];
  return (
    <>
      <div className={styles.file}>
        <Tabs label="Shown as" options={forms} value={isText ? 'text' : 'form'} onChoose={onShow} />
        <Copyable text={document.file} />
        {document.exists ? null : <span className="quiet">The first change creates this file</span>}
      </div>
      {isText && MAY_ACT ? (
        <SettingsText target={target} onSaved={edit.reload} />
      ) : isText ? (
        <Panel title="File content">
          {document.text === '' ? (
            <EmptyState title="The file is empty" />
          ) : (
            <pre className={styles.text}>{document.text}</pre>
          )}
        </Panel>
      ) : (
        <SettingsForm edit={edit} document={document} />
      )}
    </>
  );
}
