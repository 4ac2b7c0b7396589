export function isFitting(version: string): boolean;
export function findFittingNode(): string | undefined;
