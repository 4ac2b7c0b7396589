import { type ReactElement, useState } from 'react';
import { Icon } from '../../../ui/text/icon.tsx';
import { visibleText } from '../../../ui/text/visible-text.ts';
import {
  type PersonQuestion,
  type PlanStep,
  planSteps,
  questionToPerson,
  type ToolGroup,
  type ToolItem,
} from './fold-rows.ts';
import { firstLine, mainArgument } from './one-line.ts';
import { LongText, Marked } from './row-text.tsx';
import styles from './transcript-rows.module.css';

type ToolRowProps = { item: ToolItem; isOpen: boolean; words: readonly string[]; toggle(): void };

/** Several calls of one tool, folded to a line with their main arguments. */
export function ToolGroupRow({ group, isOpen, words, toggle }: ToolGroupProps): ReactElement {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const flip = (id: number) =>
    setOpened((was) => new Set(was.has(id) ? [...was].filter((each) => each !== id) : [...was, id]));
  return (
    <div className={`${styles.tool} ${styles.group}`}>
      <button type="button" className={styles.toolHead} aria-expanded={isOpen} onClick={toggle}>
        <Icon name="chevron" size={12} />
        <span className={styles.toolName}>{group.name}</span>
        <span className={styles.times}>× {group.calls.length}</span>
        <span className={styles.argument}>
          <Marked text={group.calls.map(({ input }) => mainArgument(input)).join(', ')} words={words} />
        </span>
      </button>
      {isOpen
        ? group.calls.map((call) => (
            <ToolRow
              key={call.id}
              item={call}
              isOpen={opened.has(call.id)}
              words={words}
              toggle={() => flip(call.id)}
            />
          ))
        : null}
    </div>
  );
}

type ToolGroupProps = { group: ToolGroup; isOpen: boolean; words: readonly string[]; toggle(): void };

const MARKS: Readonly<Record<string, string>> = { completed: '☑', in_progress: '▶' };

/** The agent's own plan, as it recorded it. */
function PlanRow({ steps }: { steps: readonly PlanStep[] }): ReactElement {
  return (
    <div className={styles.tool}>
      <p className={styles.label}>Plan</p>
      <ol className={styles.steps}>
        {steps.map(({ text, status }) => (
          <li key={text} data-status={status}>
            {MARKS[status] ?? '☐'} {visibleText(text)}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** A question to a person, and the answer if it came while the agent waited. */
function QuestionRow({ question, words }: { question: PersonQuestion; words: readonly string[] }): ReactElement {
  return (
    <div className={styles.line} data-kind="question">
      <span className={styles.label}>Question to you</span>
      <LongText text={question.question} words={words} plain markdown />
      <p className="quiet">
        {question.answer === undefined ? 'No answer while it waited.' : <>Answer: {visibleText(question.answer)}</>}
      </p>
    </div>
  );
}

/** A tool call on one line: name, main argument, repetitions, and the first line of its result. */
export function ToolRow({ item, isOpen, words, toggle }: ToolRowProps): ReactElement {
  const { result } = item;
  const steps = planSteps(item.input);
  if (steps !== undefined) return <PlanRow steps={steps} />;
  const question = questionToPerson(item);
  if (question !== undefined) return <QuestionRow question={question} words={words} />;
  const argument = mainArgument(item.input);
  return (
    <div className={styles.tool} data-error={result?.isError === true}>
      <button type="button" className={styles.toolHead} aria-expanded={isOpen} onClick={toggle}>
        <Icon name="chevron" size={12} />
        <span className={styles.toolName}>{item.name}</span>
        <span className={styles.argument}>
          <Marked text={argument} words={words} />
        </span>
        {item.times > 1 ? <span className={styles.times}>× {item.times}</span> : null}
        {result?.isError === true ? <span className={styles.error}>failed</span> : null}
      </button>
      {isOpen ? <ToolDetails item={item} words={words} /> : <ToolResultLine item={item} words={words} />}
    </div>
  );
}

function ToolResultLine({ item, words }: { item: ToolItem; words: readonly string[] }): ReactElement | null {
  const line = item.result === null ? '' : firstLine(item.result.text);
  if (line === '') return null;
  return (
    <p className={styles.outcome}>
      <Marked text={line} words={words} />
    </p>
  );
}

function ToolDetails({ item, words }: { item: ToolItem; words: readonly string[] }): ReactElement {
  return (
    <div className={styles.inside}>
      <p className={styles.insideHead}>Input</p>
      <LongText text={inputText(item.input)} words={words} />
      <p className={styles.insideHead}>{item.times > 1 ? 'Last result' : 'Result'}</p>
      {item.result === null ? (
        <p className="quiet">None yet.</p>
      ) : (
        <LongText text={item.result.text === '' ? '(empty)' : item.result.text} words={words} />
      )}
    </div>
  );
}

function inputText(input: unknown): string {
  if (typeof input === 'string') return input;
  return JSON.stringify(input, null, 2) ?? '(none)';
}
