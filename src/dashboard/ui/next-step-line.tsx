import type { ReactElement } from 'react';
import { Copyable } from './copyable.tsx';
import { stepPieces } from './next-step.ts';

/** What to do next, its commands ready to be copied. */
export function NextStepLine({ step, run }: { step: string; run: string }): ReactElement {
  return (
    <>
      {stepPieces(step, run).map(({ kind, text }, index) => {
        const key = `${index} ${text}`;
        return kind === 'words' ? <span key={key}>{text}</span> : <Copyable key={key} text={text} />;
      })}
    </>
  );
}
