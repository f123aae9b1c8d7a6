/** Calls back once after a delay; what it gives back takes that back. */
export type SetTimer = (delayMs: number, action: () => void) => () => void
