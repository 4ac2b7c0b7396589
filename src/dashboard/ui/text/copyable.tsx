import { type ReactElement, useState } from 'react';
import { after } from '../browser/clock.ts';
import { copyText } from '../browser/copy-text.ts';
import { notify } from '../feedback/notices.ts';
import styles from './copyable.module.css';
import { Icon } from './icon.tsx';
import { visibleText } from './visible-text.ts';

const SHOWN_MS = 1_500;

/** An id, path or command that a click copies. */
export function Copyable({ text, shown = text }: { text: string; shown?: string }): ReactElement {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await copyText(text))) {
      notify({ kind: 'error', text: `The browser blocked copying: ${text}` });
      return;
    }
    setCopied(true);
    after(SHOWN_MS, () => setCopied(false));
  };
  return (
    <button type="button" className={styles.copyable} title={`Copy ${text}`} onClick={() => void copy()}>
      <code>{visibleText(shown)}</code>
      <Icon name={isCopied ? 'check' : 'copy'} size={12} />
      <span className="visually-hidden" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  );
}
