/** What can be asked for with a key; `task` is null where the whole run is meant. */
export type Deed =
  | { kind: 'approve' | 'retry'; run: string; task: string | null }
  | { kind: 'cancel' | 'pause' | 'resume' | 'land'; run: string }
  | { kind: 'send'; run: string; task: string; message: string };
