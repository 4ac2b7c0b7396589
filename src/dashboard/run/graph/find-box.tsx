import { type FormEvent, type ReactElement, useState } from 'react';
import styles from './graph.module.css';

/** Looks for a task in the graph; Enter again goes on to the next. */
export function FindBox({ onFind }: { onFind(words: string): boolean }): ReactElement {
  const [words, setWords] = useState('');
  const [isMissing, setMissing] = useState(false);
  const find = (event: FormEvent) => {
    event.preventDefault();
    setMissing(words.trim() !== '' && !onFind(words));
  };
  return (
    <form onSubmit={find} className={styles.by}>
      <input
        type="search"
        className={styles.find}
        placeholder="Find a task"
        aria-label="Find a task in the graph"
        value={words}
        onChange={({ target }) => setWords(target.value)}
      />
      <span className="quiet" role="status">
        {isMissing ? 'No task is like that' : ''}
      </span>
    </form>
  );
}
