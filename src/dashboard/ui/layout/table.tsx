import type { ReactElement, ReactNode } from 'react';
import styles from './table.module.css';

/** A column: its title, whether it holds numbers, and what stands in it. */
export type Column<T> = { title: string; isNumber?: boolean; cell(row: T): ReactNode };

type TableProps<T> = { label: string; columns: readonly Column<T>[]; rows: readonly T[]; keyOf(row: T): string };

/** Rows and columns with aligned numbers; it scrolls by itself where the screen is narrow. */
export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>): ReactElement {
  return (
    // A part that scrolls must be reachable by keys.
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
