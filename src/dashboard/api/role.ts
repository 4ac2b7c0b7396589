/** Whether who looks at this page may also act; the server decides, and says so in the page. */
export const MAY_ACT = document.querySelector<HTMLMetaElement>('meta[name="role"]')?.content !== 'viewer';
