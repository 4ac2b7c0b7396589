import type { ReactElement } from 'react';

/** A sentence of the program; what is between backticks in it is code. */
export function CodeText({ text }: { text: string }): ReactElement {
  return (
    <>
      {text.split('`').map((piece, index, pieces) => {
        const key = `${index} ${piece}`;
        const isCode = index % 2 === 1 && index < pieces.length - 1;
        return isCode ? <code key={key}>{piece}</code> : <span key={key}>{piece}</span>;
      })}
    </>
  );
}
