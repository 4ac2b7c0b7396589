/** An error response of the server, with the code and hint of its error table. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: Record<string, unknown>;

  constructor(status: number, body: unknown) {
    super(textOf(body, 'detail') ?? textOf(body, 'title') ?? `The server responded with status ${status}`);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = textOf(body, 'code') ?? 'UNKNOWN';
    this.hint = textOf(body, 'hint');
    this.details = detailsOf(body);
  }
}

/** The server cannot be reached. */
export class ServerUnreachableError extends Error {
  constructor() {
    super('The server cannot be reached');
    this.name = 'Unreachable';
  }
}

function textOf(body: unknown, key: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Reflect.get(body, key);
  return typeof value === 'string' ? value : undefined;
}

function detailsOf(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || !('details' in body)) return {};
  const { details } = body;
  return typeof details === 'object' && details !== null ? { ...details } : {};
}
