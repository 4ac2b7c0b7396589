import { z } from 'zod';

/** How the result of a run reaches its base. */
export const LandMode = z.enum(['branch', 'merge', 'pr']);
export type LandMode = z.infer<typeof LandMode>;

/** How the branch of an ended run lands. */
export const BranchLandMode = LandMode.exclude(['branch']);
export type BranchLandMode = z.infer<typeof BranchLandMode>;
