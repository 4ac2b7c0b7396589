import { workerAddress } from '../ui/browser/worker-address.ts';

/** An installed app, or a device on which the page can be one. */
const APP = '(display-mode: standalone), (pointer: coarse)';

/** Keeps the frame of the page on phones and in the installed app, so that it opens without a network. */
export function installShell(): void {
  if (!('serviceWorker' in navigator) || !window.matchMedia(APP).matches) return;
  navigator.serviceWorker.register(workerAddress('/service-worker.js')).catch(() => {
    // Without it, the page works as long as the server answers.
  });
}
