import { type ReactElement, useState } from 'react';
import { decisionPath } from '../../../core/view/decision-path.ts';
import { useAction } from '../../api/use-operation.ts';
import { runPath } from '../browser/page-paths.ts';
import { Button, LinkButton } from '../controls/button.tsx';
import controls from '../controls/controls.module.css';
import { Copyable } from '../text/copyable.tsx';
import { visibleText } from '../text/visible-text.ts';
import { stepPieces } from './next-step.ts';

/** What needs the user in a run: a task, or without a task the run itself or one of its tracks. */
type Waiting = {
  run: string;
  task: string | null;
  what: 'plan' | 'held' | 'blocked' | 'paused' | 'question';
  question?: string | undefined;
  subRun?: string | undefined;
  options?: readonly { id: string; label: string }[] | undefined;
  track?: string | undefined;
};

/** The button that resolves an item; a plan or held work is first shown, and answered there. */
export function AttentionButtons({ item }: { item: Waiting }): ReactElement {
  const { run, task, what, track } = item;
  const retry = useAction('retry-run', { done: 'Retry started' });
  const resume = useAction('resume-runs', { done: 'Resumed' });
  const path = decisionPath(item);
  switch (what) {
    case 'plan':
      return (
        <LinkButton to={path} weight="main">
          {(item.options ?? []).length === 0 ? 'Review the plan' : 'Choose'}
        </LinkButton>
      );
    case 'held':
      return (
        <LinkButton to={path} weight="main">
          {task === null ? 'Review' : 'Review the change'}
        </LinkButton>
      );
    case 'blocked':
      if (item.subRun !== undefined)
        return (
          <LinkButton to={runPath(item.subRun)} weight="main">
            Open sub-run
          </LinkButton>
        );
      return (
        <>
          <Button weight="main" busy={retry.isBusy} onClick={() => retry.act(task === null ? { run } : { run, task })}>
            Retry
          </Button>
          <LinkButton to={path}>{task === null ? 'Open run' : 'Open task'}</LinkButton>
        </>
      );
    case 'question':
      return <AnswerForm run={run} question={item.question ?? ''} options={item.options ?? []} />;
    case 'paused':
      return (
        <Button
          weight="main"
          busy={resume.isBusy}
          onClick={() => resume.act({ run, ...(track === undefined ? {} : { track }) })}
        >
          Resume
        </Button>
      );
  }
}

type AnswerFormProps = { run: string; question: string; options: readonly { id: string; label: string }[] };

/** Answers a question of an agent, which continues with it: with one of its options, or with other words. */
function AnswerForm({ run, question, options }: AnswerFormProps): ReactElement {
  const [answer, setAnswer] = useState('');
  const { act, isBusy } = useAction('answer-question', { done: 'Answered' });
  return (
    <form
      className={controls.answer}
      onSubmit={(event) => {
        event.preventDefault();
        if (answer.trim() !== '') act({ run, question, answer });
      }}
    >
      {options.map(({ id, label }) => (
        <Button key={id} busy={isBusy} onClick={() => act({ run, question, answer: id })}>
          {visibleText(label)}
        </Button>
      ))}
      <span className={controls.words}>
        <input
          className={controls.input}
          aria-label="Answer"
          placeholder={options.length === 0 ? 'Your answer' : 'Another answer'}
          value={answer}
          onChange={(event) => setAnswer(event.target.value)}
        />
        <Button weight="main" busy={isBusy} type="submit">
          Answer
        </Button>
      </span>
    </form>
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
