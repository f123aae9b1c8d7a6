import type { LearningSignal, RatingRow, StewardEvent } from '@steward/contract'
import {
  appendRating,
  appendSignal,
  captureRating,
  captureSignals,
  type Home,
  type Redactor,
  readRatings,
  readSignals,
} from '@steward/platform'

export interface LearningWriter {
  /** Writes ratings and signals of prompts among the events. Throws `storage_failed`. */
  takePrompts: (events: readonly StewardEvent[]) => void
  writeSignals: (signals: readonly LearningSignal[]) => void
}

/** Rows searched for duplicates; a crash can lose at most these. */
const KNOWN_ROWS = 500
/** The event that carries a person's prompt. */
const PROMPT_TYPE = 'user_prompt'

/** Writes each rating and signal once, even if a hook already wrote it or the daemon was killed. */
export const openLearningWriter = async (
  home: Home,
  redactor: () => Pick<Redactor, 'redactFields'>,
): Promise<LearningWriter> => {
  const ratings = await readRatings(home, KNOWN_ROWS, redactor())
  const signals = await readSignals(home, KNOWN_ROWS, redactor())
  const knownRatings = createRecentKeys(ratings.rows.toReversed().map(keyOfRating))
  const knownSignals = createRecentKeys(signals.rows.toReversed().map(keyOfSignal))
  const writeSignals = (found: readonly LearningSignal[]): void => {
    for (const signal of found) {
      const key = keyOfSignal(signal)
      if (knownSignals.has(key)) continue
      appendSignal(home, signal, redactor())
      knownSignals.add(key)
    }
  }
  const writeRating = (rating: RatingRow): void => {
    const key = keyOfRating(rating)
    if (knownRatings.has(key)) return
    appendRating(home, rating, redactor())
    knownRatings.add(key)
  }
  return {
    writeSignals,
    takePrompts: (events) => {
      for (const event of events) {
        const { type, prompt, session_id, timestamp } = event
        if (type !== PROMPT_TYPE || typeof prompt !== 'string' || timestamp === '') continue
        const rating = captureRating(prompt, { session_id, timestamp })
        if (rating !== undefined) writeRating(rating)
        writeSignals(captureSignals(prompt, { session_id, timestamp }))
      }
    },
  }
}

const keyOfRating = ({ timestamp, session_id, rating }: RatingRow): string =>
  `${timestamp}|${session_id}|${rating}`

const keyOfSignal = ({ timestamp, session_id, kind }: LearningSignal): string =>
  `${timestamp}|${session_id}|${kind}`

/** Remembers the most recent keys for deduplication. */
interface RecentKeys {
  has: (key: string) => boolean
  add: (key: string) => void
}

const MOST_KEYS = 1000

const createRecentKeys = (known: Iterable<string> = []): RecentKeys => {
  const keys = new Set(known)
  return {
    has: (key) => keys.has(key),
    add: (key) => {
      keys.add(key)
      for (const oldest of keys) {
        if (keys.size <= MOST_KEYS) break
        keys.delete(oldest)
      }
    },
  }
}
