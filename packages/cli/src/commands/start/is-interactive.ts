import type { Io } from '../../io.ts'

/** Whether a person can answer questions: both ends are terminals, and it is no build machine. */
export const isInteractive = (io: Io): boolean =>
  io.err.isTerminal && io.out.isTerminal && io.stdinKind() === 'nothing' && !io.env.CI

/** Whether a browser would open on the screen in front of the person. */
export const hasScreen = (io: Io, platform: NodeJS.Platform): boolean =>
  isInteractive(io) &&
  !io.env.SSH_CONNECTION &&
  (platform === 'darwin' || Boolean(io.env.DISPLAY || io.env.WAYLAND_DISPLAY))
