import type { ReactElement } from 'react';
import { MAY_ACT } from '../api/role.ts';
import styles from './viewer-line.module.css';

/** Tells a viewer why nothing can be done here, before it is tried. */
export function ViewerLine(): ReactElement | null {
  if (MAY_ACT) return null;
  return (
    <p className={styles.line}>
      You are here as a viewer: you can look at everything. To act, log in with an operator's token.
    </p>
  );
}
