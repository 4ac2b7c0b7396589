import { type ReactElement, useMemo, useState } from 'react';
import { visibleText } from '../text/visible-text.ts';
import styles from './diff.module.css';
import { Changed } from './diff-bar.tsx';
import type { DraftComment } from './draft-review.ts';
import { type Folder, fileTree } from './file-tree.ts';
import type { DiffFile } from './parse-diff.ts';

/** Of fewer files none has to be searched. */
const SEARCHED_FROM = 12;

type FileTreeProps = {
  files: readonly DiffFile[];
  comments: readonly DraftComment[];
  /** The files because of which the work is held. */
  held: ReadonlySet<string>;
  onChoose(path: string): void;
};

/** The tree of changed files, of which a part of their path selects some; a click scrolls to a file. */
export function FileTree({ files, comments, held, onChoose }: FileTreeProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const tree = useMemo(() => {
    const part = text.trim().toLowerCase();
    return fileTree(part === '' ? files : files.filter(({ path }) => path.toLowerCase().includes(part)));
  }, [files, text]);
  const isEmpty = tree.folders.length + tree.files.length === 0;
  const withComment = new Set(comments.map(({ path }) => path));
  return (
    <nav className={styles.tree} aria-label="Changed files" data-open={isOpen}>
      <button type="button" className={styles.treeHead} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Files
      </button>
      {files.length < SEARCHED_FROM ? null : (
        <input
          type="search"
          className={styles.treeSearch}
          placeholder="Find a file"
          aria-label="Find a file"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      {isEmpty ? <p className="quiet">No changed file has this in its path.</p> : null}
      <Level folder={tree} marks={{ withComment, held }} onChoose={onChoose} />
    </nav>
  );
}

type Marks = { withComment: ReadonlySet<string>; held: ReadonlySet<string> };
type LevelProps = { folder: Folder; marks: Marks; onChoose(path: string): void };

function Level({ folder, marks, onChoose }: LevelProps): ReactElement {
  return (
    <ul className={styles.level}>
      {folder.folders.map((each) => (
        <li key={each.name}>
          <details open>
            <summary>{visibleText(each.name)}</summary>
            <Level folder={each} marks={marks} onChoose={onChoose} />
          </details>
        </li>
      ))}
      {folder.files.map(({ name, file }) => (
        <li key={file.path}>
          <button type="button" className={styles.leaf} title={file.path} onClick={() => onChoose(file.path)}>
            <span className={styles.leafName} data-status={file.status}>
              {visibleText(name)}
            </span>
            {marks.held.has(file.path) ? <span className={styles.heldFile}>held</span> : null}
            {marks.withComment.has(file.path) ? <span className={styles.dot} title="Has comments" /> : null}
            <Changed added={file.added} deleted={file.deleted} />
          </button>
        </li>
      ))}
    </ul>
  );
}
