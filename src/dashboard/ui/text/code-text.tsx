import type { ReactElement } from 'react';
import { visibleText } from './visible-text.ts';

/** A sentence of the program, which may quote an agent; what is between backticks in it is code, and what is invisible is shown. */
export function CodeText({ text }: { text: string }): ReactElement {
  return (
    <>
      {visibleText(text)
        .split('`')
        .map((piece, index, pieces) => {
          const key = `${index} ${piece}`;
          const isCode = index % 2 === 1 && index < pieces.length - 1;
          return isCode ? <code key={key}>{piece}</code> : <span key={key}>{piece}</span>;
        })}
    </>
  );
}
