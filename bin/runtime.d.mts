export function findFittingNode(): string | undefined;
export function requireFittingNode(say: (line: string) => void): string;
