import { createHmac, randomBytes } from 'node:crypto'
import { isPending, reasonOf } from '@steward/contract'
import { readStateFile, updateStateFile } from '@steward/platform'
import { z } from 'zod'

const SESSION_LIFE_MS = 30 * 24 * 3_600_000
/** A day more than a sign-in lasts, so that a corrected clock signs no browser out. */
const LONGEST_LIFE_MS = SESSION_LIFE_MS + 24 * 3_600_000
const MOST_SESSIONS = 100

const signIns = z.object({
  sessions: z.array(z.object({ hash: z.string(), expiresAt: z.number() })),
})
type SignIns = z.infer<typeof signIns>
const NONE: SignIns = { sessions: [] }

export interface BrowserSessionPorts {
  /** Stores signed-in browsers across restarts, as hashes only. */
  path: string
  token: () => Promise<string>
  now: () => number
  warn: (message: string) => void
}

/**
 * Signed-in browsers. Each is stored as a hash keyed with the token, so a new token signs every
 * browser out.
 */
export const createBrowserSessions = ({ path, token, now, warn }: BrowserSessionPorts) => {
  let known = NONE
  const live = ({ sessions }: SignIns): SignIns['sessions'] =>
    sessions
      .filter(({ expiresAt }) => isPending(expiresAt, now(), LONGEST_LIFE_MS))
      .slice(-MOST_SESSIONS)
  return {
    load: async (): Promise<void> => {
      const read = await readStateFile(path, signIns, NONE)
      if (read.ok) known = read.value
      else warn(`browsers must sign in again: ${read.error.message}`)
    },
    create: async (): Promise<{ id: string; maxAgeSeconds: number }> => {
      const id = randomBytes(32).toString('base64url')
      const hash = hashOf(id, await token())
      known = { sessions: [...live(known), { hash, expiresAt: now() + SESSION_LIFE_MS }] }
      const stored = await updateStateFile(path, signIns, NONE, () => ({
        sessions: live(known),
      }))
      if (!stored.ok) warn(`a sign-in only lasts until a restart: ${reasonOf(stored.error)}`)
      return { id, maxAgeSeconds: SESSION_LIFE_MS / 1000 }
    },
    has: async (id: string): Promise<boolean> => {
      const hash = hashOf(id, await token())
      return live(known).some((session) => session.hash === hash)
    },
  }
}
export type BrowserSessions = ReturnType<typeof createBrowserSessions>

const hashOf = (id: string, token: string): string =>
  createHmac('sha256', token).update(id).digest('hex')
