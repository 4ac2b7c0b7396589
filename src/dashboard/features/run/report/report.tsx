import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import { call } from '../../../api/call.ts';
import { saveText } from '../../../ui/browser/save-text.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ErrorMessage, Skeleton } from '../../../ui/feedback/placeholders.tsx';
import { useSave } from '../../../ui/feedback/use-save.ts';
import { Panel } from '../../../ui/layout/panel.tsx';
import type { ViewProps } from '../run-views.ts';
import { Verdicts } from './acceptance.tsx';
import { markdownBlocks } from './markdown-blocks.ts';
import styles from './report.module.css';
import { ReportText } from './report-text.tsx';

/** The report of a run and the acceptance of its result; reloaded when the run ends or lands, and on request. */
export function Report({ state }: ViewProps): ReactElement {
  const run = state.start.run;
  const revision = `${state.status.kind} ${state.landed?.commit ?? ''} ${state.undone?.commit ?? ''}`;
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['report-run', run, revision],
    queryFn: ({ signal }) => call('report-run', { run }, signal),
  });
  const blocks = useMemo(() => (data === undefined ? [] : markdownBlocks(data.text).slice(1)), [data]);
  const [isSaving, save] = useSave(async (format: 'md' | 'html', full: boolean) => {
    const { text } = await call('report-run', { run, format, full });
    saveText(`manyhands-${run}${full ? '-full' : ''}.${format}`, text, format === 'md' ? 'text/markdown' : 'text/html');
  });
  return (
    <div className={styles.report}>
      <Verdicts run={run} revision={revision} isEnded={state.status.kind === 'ended'} />
      <Panel
        title="Report"
        actions={
          <>
            <Button busy={isFetching} onClick={() => void refetch()}>
              Refresh
            </Button>
            <Button busy={isSaving} onClick={() => void save('md', false)}>
              Save Markdown
            </Button>
            <Button busy={isSaving} onClick={() => void save('html', false)}>
              Save HTML
            </Button>
            <Button
              busy={isSaving}
              onClick={() => void save('html', true)}
              title="With the patch and all transcripts, in one file"
            >
              Save everything
            </Button>
          </>
        }
      >
        {error !== null ? (
          <ErrorMessage error={error} retry={() => void refetch()} />
        ) : data === undefined ? (
          <Skeleton lines={10} />
        ) : (
          <ReportText blocks={blocks} />
        )}
      </Panel>
    </div>
  );
}
