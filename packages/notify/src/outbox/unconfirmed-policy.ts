import type { ChannelName } from '@steward/contract'

interface UnconfirmedPolicy {
  /** The semantics if the outcome cannot be determined: at least once, or at most once. */
  otherwise: 'send' | 'leave'
  because: string
}

/**
 * The policy for deliveries with unknown outcome: the process was killed during the attempt, or the
 * answer was lost. A channel that can be queried is queried first. The others offer no lookup: a
 * Discord webhook returns a message only by the id that was lost, and its nonce is for bots; Slack
 * webhooks, SMTP and desktops have no equivalent.
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
  webpush: {
    otherwise: 'send',
    because: 'a push service cannot be asked, and a repeat takes the place of the first',
  },
}

/** Marks a detail: an attempt may have arrived. */
export const OUTCOME_UNKNOWN = 'outcome unknown'

/**
 * A request in transit when its process was killed may be accepted and listed this much later:
 * twice the timeout of a living process. Only then does "not there" count.
 */
export const TAKEN_WITHIN_MS = 10_000

/** After this many queries without an answer, about ten minutes, the policy decides. */
export const MOST_QUESTIONS = 5
