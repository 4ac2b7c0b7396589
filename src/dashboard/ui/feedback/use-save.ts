import { useState } from 'react';
import { notify } from './notices.ts';

/** Whether a file is being made, and a function that makes and saves it; an error becomes a notice. */
export function useSave<A extends unknown[]>(
  make: (...given: A) => Promise<void>,
): [boolean, (...given: A) => Promise<void>] {
  const [isSaving, setSaving] = useState(false);
  const save = async (...given: A) => {
    setSaving(true);
    try {
      await make(...given);
    } catch (error) {
      notify({ kind: 'error', text: error instanceof Error ? error.message : String(error), error });
    } finally {
      setSaving(false);
    }
  };
  return [isSaving, save];
}
