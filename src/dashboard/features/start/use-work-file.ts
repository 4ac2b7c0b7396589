import { useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import type { WorkFile } from './asked.ts';

/** What was read in a work file. */
export type FileReading = { read: WorkFile | undefined; isLoading: boolean; error: unknown; again(): void };

type Place = { dir: string; file: string; isWanted: boolean; isKnown: boolean };

/** Reads a work file when it is asked for, not with every letter of its name; one of a known project that was named before, at once. */
export function useWorkFile({ dir, file, isWanted, isKnown }: Place): FileReading {
  const [asked, setAsked] = useState<{ file: string; dir?: string }>({ file });
  const isHere = asked.dir === undefined ? isKnown : asked.dir === dir;
  const isAsked = isWanted && file !== '' && asked.file === file && dir !== '' && isHere;
  const reading = useOperation('read-work-file', { dir, file }, { enabled: isAsked, fresh: true });
  return {
    read: isAsked ? reading.data : undefined,
    isLoading: isAsked && reading.isLoading,
    error: isAsked ? reading.error : undefined,
    again: () => (isAsked ? reading.again() : setAsked({ dir, file })),
  };
}
