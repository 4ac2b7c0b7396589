import type { ReactElement } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { runPath, taskPath } from '../browser/page-paths.ts';
import { Button, LinkButton } from '../controls/button.tsx';
import { Copyable } from '../text/copyable.tsx';
import { stepPieces } from './next-step.ts';

/** What needs the user in a run: a task, or without a task the run itself or one of its tracks. */
type Waiting = {
  run: string;
  task: string | null;
  what: 'plan' | 'held' | 'blocked' | 'paused';
  track?: string | undefined;
};

/** The buttons that resolve what needs the user, and a link to look at it first. */
export function AttentionButtons({ item, away = true }: { item: Waiting; away?: boolean }): ReactElement {
  const { run, task, what, track } = item;
  const approve = useAction('approve-run', { done: 'Approved' });
  const retry = useAction('retry-run', { done: 'Retry started' });
  const resume = useAction('resume-runs', { done: 'Resumed' });
  const about = task === null ? { run } : { run, task };
  return (
    <>
      {what === 'plan' || what === 'held' ? (
        <Button weight="main" busy={approve.isBusy} onClick={() => approve.act(about)}>
          {what === 'plan' ? 'Approve plan' : 'Approve'}
        </Button>
      ) : null}
      {what === 'blocked' ? (
        <Button weight="main" busy={retry.isBusy} onClick={() => retry.act(about)}>
          Retry
        </Button>
      ) : null}
      {what === 'paused' ? (
        <Button
          weight="main"
          busy={resume.isBusy}
          onClick={() => resume.act({ run, ...(track === undefined ? {} : { track }) })}
        >
          Resume
        </Button>
      ) : null}
      {task === null && !away ? null : (
        <LinkButton to={task === null ? runPath(run) : taskPath(run, task)}>
          {task === null ? 'Open run' : 'Open task'}
        </LinkButton>
      )}
    </>
  );
}

/** The next step; its commands can be copied. */
export function NextStepLine({ step, run }: { step: string; run: string }): ReactElement {
  return (
    <>
      {stepPieces(step, run).map(({ kind, text }, index) => {
        const key = `${index} ${text}`;
        return kind === 'text' ? <span key={key}>{text}</span> : <Copyable key={key} text={text} />;
      })}
    </>
  );
}
