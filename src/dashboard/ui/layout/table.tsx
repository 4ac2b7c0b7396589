import type { ReactElement, ReactNode } from 'react';
import styles from './table.module.css';

/** A table column: its title, whether it contains numbers, and its cells. */
export type Column<T> = { title: string; isNumber?: boolean; cell(row: T): ReactNode };

type TableProps<T> = { label: string; columns: readonly Column<T>[]; rows: readonly T[]; keyOf(row: T): string };

/** A table with aligned numbers; it scrolls horizontally on narrow screens. */
export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>): ReactElement {
  return (
    // Scrollable content must be focusable with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={styles.scroll} tabIndex={0} aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" className={isNumber ? styles.number : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, isNumber, cell }) => (
                <td key={title} className={isNumber ? styles.number : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
