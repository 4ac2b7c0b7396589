import { createHash } from 'node:crypto';

/** A known answer as a digest, so that a model cannot read it in the check. */
export function digestOf(answer: string): string {
  return createHash('sha256').update(`manyhands ${answer}`).digest('hex');
}

/** The same function for the text of a check. */
export const DIGEST_SOURCE = `import { createHash } from 'node:crypto';
const digestOf = (answer) => createHash('sha256').update(\`manyhands \${answer}\`).digest('hex');
`;
