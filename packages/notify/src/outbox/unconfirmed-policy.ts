import type { ChannelName } from '@steward/contract'

interface UnconfirmedPolicy {
  /** When nobody can say whether it arrived: at least once, or at most once. */
  otherwise: 'send' | 'leave'
  because: string
}

/**
 * What becomes of a delivery when nobody knows how its attempt ended: its process was killed in the
 * middle of it, or the answer was lost. A channel that can be asked is asked first. None of the others
 * offers a look-up: a Discord webhook gives out a message only by the id that was lost, and its nonce
 * is for bots; webhooks of Slack, SMTP and desktops have nothing of the kind.
 */
export const UNCONFIRMED_POLICY: Readonly<Record<ChannelName, UnconfirmedPolicy>> = {
  push: {
    otherwise: 'send',
    because: 'a repeat has the id of the first, in whose place ntfy 2.16 and later shows it',
  },
  chat: {
    otherwise: 'send',
    because: 'a webhook cannot be asked, and the repeat says that it may be one',
  },
  desktop: {
    otherwise: 'leave',
    because: 'a desktop cannot be asked, and the command that shows an alert outlives its caller',
  },
  email: {
    otherwise: 'send',
    because: 'a mail server cannot be asked, and the repeat has the Message-ID of the first',
  },
}

/**
 * A request that was on its way when its process was killed may be taken, and listed, so much later:
 * twice what a living process waits for the answer. Only then does "not there" count.
 */
export const TAKEN_WITHIN_MS = 10_000

/** After so many questions without an answer, about ten minutes, the policy decides. */
export const MOST_QUESTIONS = 5
