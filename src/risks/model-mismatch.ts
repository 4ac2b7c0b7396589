import type { Risk } from './risk.ts';

/** Another model was billed than the one that was requested. Dates and vendor prefixes of a model's name do not count. */
export const modelMismatch: Risk = {
  name: 'model-mismatch',
  title: 'Model mismatch',
  severity: 'high',
  find: ({ declaredModel, billedModel }) => {
    if (declaredModel === undefined || billedModel === undefined) return undefined;
    const [requested, billed] = [plain(declaredModel), plain(billedModel)];
    if (requested === billed || billed.startsWith(`${requested}-`) || isAlias(requested, billed)) return undefined;
    return `${declaredModel} was requested and ${billedModel} was billed`;
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
function isAlias(requested: string, billed: string): boolean {
  return !requested.includes('-') && billed.split('-').includes(requested);
}
