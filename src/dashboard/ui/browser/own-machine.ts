/** Whether the page comes from the machine on which it is shown, so that the paths and the address of the server work on it, and only there. */
export const IS_ON_OWN_MACHINE = /^(?:localhost|127\..*|\[::1\])$/.test(window.location.hostname);
