import type { Act } from './forge-state.mjs';

export const bitbucket: Act;
