/** An action of a key; `task` is null for the whole run. */
export type Action =
  | { kind: 'approve'; run: string; task: string | null }
  | { kind: 'retry'; run: string; task: string | null }
  | { kind: 'cancel'; run: string }
  | { kind: 'pause'; run: string }
  | { kind: 'resume'; run: string }
  | { kind: 'land'; run: string }
  | { kind: 'send'; run: string; task: string; message: string };
