import { z } from 'zod';

const TrackConfig = z.strictObject({
  categories: z.array(z.string().min(1)).default([]).describe('Features of these categories belong to this track.'),
  color: z.string().optional().describe('Colour of the track: a colour name or #rrggbb.'),
  default: z.boolean().default(false).describe('Features of no other track belong to this one.'),
  features: z.number().int().min(1).max(150).default(1).describe('Maximum number of concurrent features.'),
  agent: z.string().optional().describe('The agent that implements the features of this track.'),
});

/** Tracks: groups of features that run in parallel. */
export const TracksConfig = z
  .record(z.string().regex(/^[^\p{Cc}]{1,60}$/u, 'one line of at most 60 characters'), TrackConfig)
  .default({})
  .superRefine((tracks, context) => {
    const names = Object.entries(tracks).flatMap(([name, track]) => (track.default ? [name] : []));
    if (names.length > 1)
      context.addIssue({ code: 'custom', message: `only one track can be the default, not ${names.join(' and ')}` });
    const owners = new Map<string, string>();
    for (const [name, track] of Object.entries(tracks)) {
      for (const category of track.categories) {
        const owner = owners.get(category);
        if (owner !== undefined && owner !== name)
          context.addIssue({ code: 'custom', message: `category "${category}" is in ${owner} and in ${name}` });
        owners.set(category, name);
      }
    }
  })
  .describe('Groups of features, by category, that run in parallel.');
