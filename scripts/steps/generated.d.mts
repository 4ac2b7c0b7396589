export function generatedFiles(): { path: string; text: string }[];
