import { useState } from 'react';
import { useOperation } from '../api/use-operation.ts';
import type { WorkFile } from './asked.ts';

/** A work file that is read when it is asked for, and not with every letter of its name. */
export type FileReading = { read: WorkFile | undefined; isLoading: boolean; error: unknown; again(): void };

export function useWorkFile(dir: string, file: string, isWanted: boolean): FileReading {
  const [asked, setAsked] = useState(file);
  const isAsked = isWanted && asked !== '' && asked === file && dir !== '';
  const reading = useOperation('read-work-file', { dir, file: asked }, { enabled: isAsked });
  return {
    read: isAsked ? reading.data : undefined,
    isLoading: isAsked && reading.isLoading,
    error: isAsked ? reading.error : undefined,
    again: () => (asked === file ? reading.again() : setAsked(file)),
  };
}
