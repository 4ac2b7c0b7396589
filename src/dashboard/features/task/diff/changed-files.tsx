import { type ReactElement, useState } from 'react';
import { visibleText } from '../../../ui/text/visible-text.ts';
import styles from './diff.module.css';
import { Changed } from './diff-bar.tsx';
import type { DraftComment } from './draft-review.ts';
import type { Folder } from './file-tree.ts';

type FileTreeProps = { tree: Folder; comments: readonly DraftComment[]; onChoose(path: string): void };

/** The tree of changed files; a click scrolls to a file. */
export function FileTree({ tree, comments, onChoose }: FileTreeProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const withComment = new Set(comments.map(({ path }) => path));
  return (
    <nav className={styles.tree} aria-label="Changed files" data-open={isOpen}>
      <button type="button" className={styles.treeHead} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Files
      </button>
      <Level folder={tree} withComment={withComment} onChoose={onChoose} />
    </nav>
  );
}

type LevelProps = { folder: Folder; withComment: ReadonlySet<string>; onChoose(path: string): void };

function Level({ folder, withComment, onChoose }: LevelProps): ReactElement {
  return (
    <ul className={styles.level}>
      {folder.folders.map((each) => (
        <li key={each.name}>
          <details open>
            <summary>{visibleText(each.name)}</summary>
            <Level folder={each} withComment={withComment} onChoose={onChoose} />
          </details>
        </li>
      ))}
      {folder.files.map(({ name, file }) => (
        <li key={file.path}>
          <button type="button" className={styles.leaf} title={file.path} onClick={() => onChoose(file.path)}>
            <span className={styles.leafName} data-status={file.status}>
              {visibleText(name)}
            </span>
            {withComment.has(file.path) ? <span className={styles.dot} title="Has comments" /> : null}
            <Changed added={file.added} deleted={file.deleted} />
          </button>
        </li>
      ))}
    </ul>
  );
}
