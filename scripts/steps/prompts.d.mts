export const PROMPTS_FILE: string;
export function promptsModule(): string;
