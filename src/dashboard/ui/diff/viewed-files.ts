import { useMemo, useState } from 'react';
import type { DiffFile } from './parse-diff.ts';

/** Which files of a diff the user has marked as viewed. */
export type ViewedFiles = { paths: ReadonlySet<string>; toggle(path: string): void };

/** The marks, stored in this browser; a file that changed since is not viewed any more. */
export function useViewedFiles(storageKey: string, files: readonly DiffFile[]): ViewedFiles {
  const [marks, setMarks] = useState(() => readMarks(storageKey));
  const paths = useMemo(() => viewedPaths(files, marks), [files, marks]);
  const toggle = (path: string) => {
    const file = files.find((each) => each.path === path);
    if (file === undefined) return;
    const { [path]: _, ...others } = marks;
    const next = paths.has(path) ? others : { ...others, [path]: fingerprint(file) };
    setMarks(next);
    try {
      localStorage.setItem(storageKey, JSON.stringify(next));
    } catch {
      // Without storage the marks last until the page is closed.
    }
  };
  return { paths, toggle };
}

/** The files whose content is still the one that was marked. */
export function viewedPaths(files: readonly DiffFile[], marks: Readonly<Record<string, string>>): Set<string> {
  const marked = files.filter(({ path }) => marks[path] !== undefined);
  return new Set(marked.filter((file) => marks[file.path] === fingerprint(file)).map(({ path }) => path));
}

/** A short value that differs when the changes of a file differ. */
export function fingerprint({ status, from, notes, hunks }: DiffFile): string {
  const text = [
    status,
    from ?? '',
    ...notes,
    ...hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => kind + text)),
  ];
  let hash = 0x811c9dc5;
  for (const line of text)
    for (let at = 0; at <= line.length; at += 1)
      hash = Math.imul(hash ^ (at === line.length ? 10 : line.charCodeAt(at)), 0x01000193) >>> 0;
  return hash.toString(36);
}

function readMarks(storageKey: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}');
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, mark]) => typeof mark === 'string'));
  } catch {
    // Storage may be disabled, or its content invalid.
    return {};
  }
}
