import { bulk } from './offers/bulk.mjs';

/** Every offer of the shop, in the order in which they are taken off the bill. */
export const OFFERS = [bulk];
