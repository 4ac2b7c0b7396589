import type { ConfigIssue } from '../../config/config-error.ts';
import { isPlain } from '../../config/merge.ts';
import { validationIssuesOf } from '../../config/validation-issue.ts';
import { Config } from '../../schema/config.ts';
import type { ImportEntry } from '../../schema/init.ts';
import type { ForeignFile } from './foreign-file.ts';
import type { ForeignFormat } from './formats.ts';
import type { ForeignPrompt, ImportContext, KeyMapping, NewFile, Setting } from './key-mapping.ts';
import { settingsMap, takingCommand } from './settings-map.ts';

/** What one file of another tool becomes. Nothing of `held` counts before a person says so. */
export type Translation = {
  entries: ImportEntry[];
  settings: Setting[];
  held: Setting[];
  files: NewFile[];
  prompts: ForeignPrompt[];
  mistakes: ConfigIssue[];
};

/** Goes through every key of a file: each becomes something, is left out for a reason, or is told as not understood. */
export function translate(
  found: ForeignFile,
  format: ForeignFormat,
  context: Omit<ImportContext, 'whole'>,
): Translation {
  const result: Translation = { entries: [], settings: [], held: [], files: [], prompts: [], mistakes: [] };
  const visit = (value: unknown, path: readonly string[]) => {
    const row = format.keys.find(({ key }) => key === path.join('.'));
    if (row !== undefined) take(result, { found, row, path, value, context: { ...context, whole: found.value } });
    else if (isPlain(value)) for (const [name, inner] of Object.entries(value)) visit(inner, [...path, name]);
    else result.entries.push(entry(found, path, { fate: 'unknown', to: null, note: 'no such key is known' }));
  };
  visit(found.value, []);
  return result;
}

type Taking = { found: ForeignFile; row: KeyMapping; path: readonly string[]; value: unknown; context: ImportContext };

function take(result: Translation, { found, row, path, value, context }: Taking): void {
  const tell = (facts: Pick<ImportEntry, 'fate' | 'to' | 'note'>) => result.entries.push(entry(found, path, facts));
  if (row.fate === 'ignored') return void tell({ fate: 'ignored', to: null, note: row.reason });
  const taken = row.read(value, context);
  if ('mistake' in taken) return void result.mistakes.push(found.locate(path, taken.mistake));
  const { settings = [], files = [], prompt, note = null } = taken;
  if (settings.length === 0) {
    if (prompt !== undefined) result.prompts.push(prompt);
    return void tell(prompt === undefined ? { fate: 'ignored', to: null, note } : { fate: 'mapped', to: row.to, note });
  }
  for (const setting of settings) {
    const reason = refusal(setting);
    if (reason !== undefined) tell({ fate: 'ignored', to: null, note: `${setting.to}: ${reason}` });
    else if (setting.widens !== undefined) {
      result.held.push(setting);
      tell({ fate: 'held', to: setting.to, note: `${setting.widens}; to take it: ${takingCommand(setting)}` });
    } else {
      result.settings.push(setting);
      result.files.push(...files);
      tell({ fate: 'mapped', to: setting.to, note });
    }
  }
}

/** What our own schema has against a value, judged alone. */
function refusal(setting: Setting): string | undefined {
  const parsed = Config.safeParse(settingsMap([setting]), { reportInput: true });
  if (parsed.success) return undefined;
  const path = setting.to.split('.');
  const own = validationIssuesOf(parsed.error.issues).find((complaint) =>
    path.every((part, index) => complaint.path[index] === part || index >= complaint.path.length),
  );
  return own?.reason;
}

function entry(
  found: ForeignFile,
  path: readonly string[],
  facts: Pick<ImportEntry, 'fate' | 'to' | 'note'>,
): ImportEntry {
  return { file: found.file, key: path.join('.'), ...facts };
}
