import type { ConfigIssue } from '../../config/config-error.ts';
import { isPlain } from '../../config/merge.ts';
import { validationIssuesOf } from '../../config/validation-issue.ts';
import { Config } from '../../schema/config.ts';
import type { ImportEntry } from '../init-document.ts';
import type { ForeignFile } from './foreign-file.ts';
import type { ForeignFormat } from './formats.ts';
import type { ForeignPrompt, ImportContext, KeyMapping, NewFile, Setting } from './key-mapping.ts';
import { settingsMap, takingCommand } from './settings-map.ts';

/** What one file of another tool becomes. Nothing of `held` counts before a person accepts it. */
export type Translation = {
  entries: ImportEntry[];
  settings: Setting[];
  held: Setting[];
  files: NewFile[];
  prompts: ForeignPrompt[];
  issues: ConfigIssue[];
};

/** Goes through every key of a file: each becomes something, is left out for a reason, or is reported as not understood. */
export function translate(
  found: ForeignFile,
  format: ForeignFormat,
  context: Omit<ImportContext, 'whole'>,
): Translation {
  const result: Translation = { entries: [], settings: [], held: [], files: [], prompts: [], issues: [] };
  const visit = (value: unknown, path: readonly string[]) => {
    const row = format.keys.find(({ key }) => key === path.join('.'));
    if (row !== undefined)
      translateKey(result, { found, row, path, value, context: { ...context, whole: found.value } });
    else if (isPlain(value)) for (const [name, inner] of Object.entries(value)) visit(inner, [...path, name]);
    else result.entries.push(entry(found, path, { fate: 'unknown', to: null, note: 'no such key is known' }));
  };
  visit(found.value, []);
  return result;
}

type KeyTranslation = {
  found: ForeignFile;
  row: KeyMapping;
  path: readonly string[];
  value: unknown;
  context: ImportContext;
};

function translateKey(result: Translation, { found, row, path, value, context }: KeyTranslation): void {
  const addEntry = (facts: Pick<ImportEntry, 'fate' | 'to' | 'note'>) => result.entries.push(entry(found, path, facts));
  if (row.fate === 'ignored') return void addEntry({ fate: 'ignored', to: null, note: row.reason });
  const mappedKey = row.read(value, context);
  if ('error' in mappedKey) return void result.issues.push(found.locate(path, mappedKey.error));
  const { settings = [], files = [], prompt, note = null } = mappedKey;
  if (settings.length === 0) {
    if (prompt !== undefined) result.prompts.push(prompt);
    return void addEntry(
      prompt === undefined ? { fate: 'ignored', to: null, note } : { fate: 'mapped', to: row.to, note },
    );
  }
  for (const setting of settings) {
    const reason = refusal(setting);
    if (reason !== undefined) addEntry({ fate: 'ignored', to: null, note: `${setting.to}: ${reason}` });
    else if (setting.widens !== undefined) {
      result.held.push(setting);
      addEntry({
        fate: 'held',
        to: setting.to,
        note: `${setting.widens}; to apply it: ${takingCommand(setting)}`,
      });
    } else {
      result.settings.push(setting);
      result.files.push(...files);
      addEntry({ fate: 'mapped', to: setting.to, note });
    }
  }
}

/** What our own schema has against a value, judged alone. */
function refusal(setting: Setting): string | undefined {
  const parsed = Config.safeParse(settingsMap([setting]), { reportInput: true });
  if (parsed.success) return undefined;
  const path = setting.to.split('.');
  const own = validationIssuesOf(parsed.error.issues).find((issue) =>
    path.every((part, index) => issue.path[index] === part || index >= issue.path.length),
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
