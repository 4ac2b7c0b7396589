export function isFitting(version: string): boolean;
