import type { Painter } from './symbols.ts';

/** What Manyhands is, and three commands to try. */
export function welcomeLines(colors: Painter): string[] {
  const command = (text: string, purpose: string) => `  ${colors.cyan(text.padEnd(49))}${colors.dim(purpose)}`;
  return [
    `${colors.bold('Manyhands')} turns a goal into landed, verified code:`,
    'many coding agents work side by side, each in its own clone; nothing counts before your checks pass.',
    '',
    command('manyhands doctor', 'is everything here that it needs?'),
    command('manyhands do "Add a --version flag" --rehearse', 'watch a goal become commits, without a model'),
    command('manyhands do "<goal>" --check "npm test"', 'the real thing'),
    '',
    colors.dim('All commands: manyhands --help'),
  ];
}
