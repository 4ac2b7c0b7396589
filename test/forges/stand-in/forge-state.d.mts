type Request = { method: string | undefined; path: string | undefined; body: unknown };
type Reply = { status: number; headers: Record<string, string>; body: unknown; text?: string; operation?: string };
export type Act = (state: never, request: never) => { status: number; body: unknown; operation: string };

export function readState(file: string): Record<string, unknown>;
export function writeState(file: string, state: object): void;
export function answer(file: string, request: Request, act: Act): Reply | { hang: true };
