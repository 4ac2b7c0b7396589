import { type ReactElement, useState } from 'react';
import { visibleText } from '../text/visible-text.ts';
import styles from './diff.module.css';
import { Changed } from './diff-bar.tsx';
import type { DraftComment } from './draft-review.ts';
import type { Folder } from './file-tree.ts';

type FileTreeProps = {
  tree: Folder;
  comments: readonly DraftComment[];
  /** The files because of which the work is held. */
  held: ReadonlySet<string>;
  onChoose(path: string): void;
};

/** The tree of changed files; a click scrolls to a file. */
export function FileTree({ tree, comments, held, onChoose }: FileTreeProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const withComment = new Set(comments.map(({ path }) => path));
  return (
    <nav className={styles.tree} aria-label="Changed files" data-open={isOpen}>
      <button type="button" className={styles.treeHead} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Files
      </button>
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
