import type { Risk } from './risk.ts';

/** Another model was billed than the one that was asked for. Dates and vendor prefixes of a model's name do not count. */
export const modelMismatch: Risk = {
  name: 'model-mismatch',
  title: 'Model mismatch',
  severity: 'high',
  find: ({ declaredModel, billedModel }) => {
    if (declaredModel === undefined || billedModel === undefined) return undefined;
    const [asked, billed] = [plain(declaredModel), plain(billedModel)];
    if (asked === billed || billed.startsWith(`${asked}-`) || isAlias(asked, billed)) return undefined;
    return `${declaredModel} was asked for and ${billedModel} was billed`;
  },
};

function plain(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/-(20\d{6}|latest)$/, '')
    .replace(/\[.*\]$/, '');
}

/** `sonnet` is an alias of `claude-sonnet-4-5`. */
function isAlias(asked: string, billed: string): boolean {
  return !asked.includes('-') && billed.split('-').includes(asked);
}
