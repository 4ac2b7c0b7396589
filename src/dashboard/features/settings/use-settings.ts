import { useState } from 'react';
import type { OperationInput, OperationOutput } from '../../../operations/all.ts';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useOperation } from '../../api/use-operation.ts';
import { useKeptDraft } from '../../ui/browser/kept-draft.ts';
import { notify } from '../../ui/feedback/notices.ts';
import { type Change, changesBetween, withChanges } from '../../ui/form/changes.ts';

export type SettingsDocument = OperationOutput<'read-settings'>;
type SettingsTarget = OperationInput<'read-settings'>;

/** A settings file and its unsaved changes. */
export type SettingsEdit = {
  document: SettingsDocument | undefined;
  values: Record<string, unknown>;
  changes: readonly Change[];
  isLoading: boolean;
  isBusy: boolean;
  /** Why reading or saving failed. */
  error: unknown;
  isConflict: boolean;
  change(values: Record<string, unknown>): void;
  save(): void;
  discard(): void;
  reload(): void;
};

/** The file of the user is the same in all projects. */
export function draftKey(form: 'settings' | 'settings text', { scope, dir }: SettingsTarget): string {
  return scope === 'user' ? `${form} of the user` : `${form} ${scope} ${dir}`;
}

/** Reads a settings file and keeps unsaved changes, also if the file is changed concurrently. */
export function useSettings(target: SettingsTarget): SettingsEdit {
  const reading = useOperation('read-settings', target, { fresh: true });
  const [changes = [], setChanges] = useKeptDraft<readonly Change[]>(draftKey('settings', target));
  const [saving, setSaving] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: undefined });
  const document = reading.data;
  const reload = () => {
    setSaving({ isBusy: false, error: undefined });
    reading.reload();
  };
  const save = async () => {
    if (document === undefined || changes.length === 0) return;
    setSaving({ isBusy: true, error: undefined });
    try {
      await call('write-settings', { ...target, changes: [...changes], hash: document.hash });
      setChanges(undefined);
      notify({ kind: 'done', text: `Saved to ${document.file}` });
      reload();
    } catch (error) {
      setSaving({ isBusy: false, error });
    }
  };
  return {
    document,
    values: withChanges(document?.values, changes),
    changes,
    isLoading: reading.isLoading,
    // Saving during a reload would use the outdated hash.
    isBusy: saving.isBusy || reading.isAsking,
    error: reading.error ?? saving.error,
    isConflict: saving.error instanceof ApiError && saving.error.code === 'CONFLICT',
    change: (values) => setChanges(changesBetween(document?.values ?? {}, values)),
    save: () => void save(),
    discard: () => {
      setChanges(undefined);
      setSaving({ isBusy: false, error: undefined });
    },
    reload,
  };
}
