import { join } from 'node:path'
import type { Home } from '../home/home.ts'

/** The files of the learning data. */
export interface LearningFiles {
  ratings: string
  signals: string
  /** The counts of the failure log; can be rebuilt from it. */
  failurePatterns: string
}

export const learningFilesOf = (home: Pick<Home, 'learning' | 'stateDir'>): LearningFiles => ({
  ratings: join(home.learning, 'SIGNALS', 'ratings.jsonl'),
  signals: join(home.learning, 'SIGNALS', 'signals.jsonl'),
  failurePatterns: join(home.stateDir, 'failure-patterns.json'),
})
