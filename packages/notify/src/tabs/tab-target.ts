import { z } from 'zod'
import { TERMINALS } from './terminals.ts'

const terminal = z.enum(TERMINALS).catch('other')

/**
 * The one tab that belongs to a session. Each says enough to tell whether it still is that tab: ids
 * and device names are given to others later.
 */
export const tabTarget = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('kitty'),
    /** `unix:/run/kitty-4711`: the socket of the one kitty that has the window. */
    listenOn: z.string().regex(/^(?:unix|tcp):\S+$/),
    windowId: z.string().regex(/^\d+$/),
  }),
  z.object({
    kind: z.literal('tmux'),
    socket: z.string().startsWith('/'),
    /** The server's process: after it, pane ids begin anew. */
    serverPid: z.string().regex(/^\d+$/),
    pane: z.string().regex(/^%\d+$/),
    terminal,
  }),
  z.object({
    kind: z.literal('tty'),
    path: z.string().regex(/^\/dev\/(?:pts\/\d+|tty\w+)$/),
    /** The first process of this terminal, and when it began: after it, the device is another's. */
    ownerPid: z.int().positive(),
    ownerStarted: z.string().min(1),
    terminal,
  }),
])
export type TabTarget = z.infer<typeof tabTarget>
