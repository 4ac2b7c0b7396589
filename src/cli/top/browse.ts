import type { Platform } from '../platform.ts';

/** Shows a run or a task in the browser if a server runs, and gives what to say; where no browser opens, its link. */
export async function browse(platform: Platform, place: { run: string; task: string | null }): Promise<string> {
  const door = await platform.findDoor();
  if (door === undefined) return 'No server runs. In another terminal: mh serve --open';
  const task = place.task === null ? '' : `/tasks/${encodeURIComponent(place.task)}`;
  const path = `/runs/${place.run}${task}`;
  try {
    await platform.reveal(await door.linkFile(path));
    return 'Opened in the browser.';
  } catch {
    // No browser can be started from here: a person can open the link elsewhere.
    return `Open (for one browser, once): ${await door.link(path)}`;
  }
}
