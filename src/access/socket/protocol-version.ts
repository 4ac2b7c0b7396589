/** Increased whenever an older program could misread a line. */
export const PROTOCOL = 1;
