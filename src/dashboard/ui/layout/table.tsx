import type { ReactElement, ReactNode } from 'react';
import styles from './table.module.css';

/** A table column: its title, whether it contains numbers, whether a narrow screen leaves it out, and its cells. */
export type Column<T> = { title: string; isNumber?: boolean; isDetail?: boolean; cell(row: T): ReactNode };

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
            {columns.map((column) => (
              <th key={column.title} scope="col" className={classesOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.title} className={classesOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function classesOf({ isNumber = false, isDetail = false }: { isNumber?: boolean; isDetail?: boolean }): string {
  return `${isNumber ? styles.number : ''} ${isDetail ? styles.detail : ''}`.trim();
}
